#include "report/markup.hpp"

#include <gtest/gtest.h>

namespace epsfree {
namespace {

TEST(Markup, EscapesWhatMeansSomething) {
  EXPECT_EQ(escape_markup("a & b < c > \"d\" 'e' &lt;"),
            "a &amp; b &lt; c &gt; &quot;d&quot; &#39;e&#39; &amp;lt;");
}

TEST(Markup, KeepsUtf8) {
  const std::string text = "θ₁ → ε, 🙂 é";
  EXPECT_EQ(clean_text(text), text);
  EXPECT_EQ(text_length("θ₁ → ε"), 6u);
}

TEST(Markup, ReplacesWhatIsNoText) {
  EXPECT_EQ(clean_text("a\tb\nc\x01\x7f"), "a b c  ");
  const std::string mark = "\uFFFD";
  EXPECT_EQ(clean_text("\xff"), mark);
  EXPECT_EQ(clean_text("\xc3"), mark);                        // cut off
  EXPECT_EQ(clean_text("\xc0\xaf"), mark + mark);             // overlong
  EXPECT_EQ(clean_text("\xe0\x80\xaf"), mark + mark + mark);  // overlong
  EXPECT_EQ(clean_text("\xed\xa0\x80"), mark + mark + mark);  // half of a pair
  EXPECT_EQ(clean_text("\xef\xbf\xbf"), mark + mark + mark);  // not allowed in XML
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), mark + mark + mark + mark);
}

}  // namespace
}  // namespace epsfree
