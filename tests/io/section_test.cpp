#include "io/section.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

const char* kText = R"(
count = 3
share = 0.5
name = "tanh"
when = 2020-01-01
[inner]
bacth_size = 3
matrix = [[1, 2], [3]]
values = [1, nan]
)";

class SectionTest : public ::testing::Test {
 protected:
  Node document = parse_toml(kText, "f.toml");
  Section root{document};
  template <class Call>
  std::string message(Call&& call) {
    return error_of(ErrorKind::input, call);
  }
};

TEST_F(SectionTest, ReadsTypes) {
  EXPECT_EQ(root.integer("count", 0, 10), 3);
  EXPECT_EQ(root.number("count"), 3.0);
  EXPECT_EQ(root.number("share"), 0.5);
  EXPECT_EQ(root.choice("name", {"relu", "tanh"}), 1u);
  EXPECT_FALSE(root.text("absent").has_value());
  EXPECT_FALSE(root.section("nowhere").present());
}

TEST_F(SectionTest, WrongTypesSayWhatWasExpected) {
  EXPECT_EQ(message([&] { root.integer("share", 0, 10); }),
            "f.toml:3: key 'share': expected an integer, got the number 0.5");
  EXPECT_EQ(message([&] { root.number("name"); }),
            "f.toml:4: key 'name': expected a number, got the string \"tanh\"");
  EXPECT_EQ(message([&] { root.text("when"); }),
            "f.toml:5: key 'when': expected a string, got a date or time");
  EXPECT_EQ(message([&] { root.section("count"); }),
            "f.toml:2: key 'count': expected a table, got the integer 3");
  EXPECT_EQ(message([&] { root.integer("count", 5, 10); }),
            "f.toml:2: key 'count': expected an integer from 5 to 10, got the integer 3");
  EXPECT_EQ(message([&] {
              root.choice("name", {"relu", "tan"});
            }),
            "f.toml:4: key 'name': got \"tanh\", expected one of \"relu\", \"tan\" (did you mean "
            "\"tan\"?)");
}

TEST_F(SectionTest, ListsSayWhichEntry) {
  Section inner = root.section("inner");
  EXPECT_EQ(message([&] { inner.matrix("matrix"); }),
            "f.toml:8: key 'inner.matrix': row 2 has 1 numbers, expected 2 as in row 1");
  EXPECT_EQ(message([&] { inner.vector("values"); }),
            "f.toml:9: key 'inner.values': entry 2 is nan, expected a finite number");
}

TEST_F(SectionTest, UnknownKeysComeWithTheNearest) {
  Section inner = root.section("inner");
  inner.integer("batch_size", 1, 10);
  inner.integer("num_steps", 1, 10);
  EXPECT_EQ(message([&] { inner.finish(); }),
            "f.toml:7: key 'inner.bacth_size': unknown key (did you mean 'batch_size'?)");
  Section other = root.section("inner");
  other.flag("zzzzzzzzzzzzzzz");
  EXPECT_EQ(message([&] { other.finish(); }),
            "f.toml:7: key 'inner.bacth_size': unknown key (known here: zzzzzzzzzzzzzzz)");
}

TEST_F(SectionTest, MissingKeysPointAtTheTable) {
  Section inner = root.section("inner");
  EXPECT_EQ(message([&] { inner.fail_missing("kind", "a word"); }),
            "f.toml:6: key 'inner.kind': missing; expected a word");
}

}  // namespace
}  // namespace epsfree
