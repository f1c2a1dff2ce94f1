#include "report/page.hpp"

#include <gtest/gtest.h>

#include "report/xml_text.hpp"
#include "support/contains.hpp"

namespace epsfree {
namespace {

Page example() {
  Page page{"Figures & more", {"First.", "Second."}};
  page.links = {{"claims", "claims.json"}, {"paper", "https://arxiv.org/abs/1605.06376"}};
  page.footer = "The end.";
  PageTable table{
      "Claims", {"claim", "verdict"}, {{{"one", "holds"}, "holds"}, {{"two"}, "fails"}}};
  page.sections = {{"Claims", {"A table."}, {table}},
                   {"Figure 1", {}, {}, {{"figure-1", "Title", "Caption."}}, {"A note."}},
                   {"Figure 2", {}, {}, {{"folder/b c", "", ""}}}};
  return page;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Page, HoldsItsParts) {
  const std::string html = page_html(example());
  for (const char* part :
       {"<title>Figures &amp; more</title>", "<h1>Figures &amp; more</h1>", "<p>First.</p>",
        "<p>Second.</p>", "<a href=\"claims.json\">claims</a>",
        "<a href=\"https://arxiv.org/abs/1605.06376\">paper</a>", "<h2>Figure 1</h2>",
        "<caption>Claims</caption>", "<p class=\"note\">A note.</p>", "<p>The end.</p>"}) {
    EXPECT_CONTAINS(html, part);
  }
}

TEST(Page, FiguresHaveAlternativesCaptionsAndFiles) {
  const std::string html = page_html(example());
  EXPECT_CONTAINS(html, "<img src=\"figure-1.svg\" alt=\"Title. Caption.\">");
  EXPECT_CONTAINS(html, "href=\"figure-1.pdf\"");
  EXPECT_CONTAINS(html, "href=\"figure-1.csv\"");
  EXPECT_CONTAINS(html, "<img src=\"folder/b%20c.svg\" alt=\"folder/b c\">");
  Figure figure;
  figure.name = "a";
  figure.title = "b";
  figure.caption = "c";
  EXPECT_EQ(page_figure(figure, true).name, "a");
  EXPECT_EQ(page_figure(figure, true).caption, "c");
  Page page{.title = "t"};
  page.sections.push_back({.heading = "h", .figures = {page_figure(figure, false)}});
  EXPECT_CONTAINS(page_html(page), "href=\"a.svg\"");
  EXPECT_CONTAINS(page_html(page), "href=\"a.csv\"");
  EXPECT_EQ(page_html(page).find("a.pdf"), std::string::npos);
}

TEST(Page, RowsHaveTheirKindAndAllCells) {
  const std::string html = page_html(example());
  EXPECT_CONTAINS(html, "<tr role=\"row\" class=\"holds\">");
  EXPECT_CONTAINS(html, "<tr role=\"row\" class=\"fails\">");
  EXPECT_EQ(count(html, "<td "), 4u);
  EXPECT_CONTAINS(html, "<td role=\"cell\" data-label=\"verdict\">holds</td>");
}

TEST(Page, LinksToItsSectionsIfThereAreSeveral) {
  Page page = example();
  EXPECT_CONTAINS(page_html(page), "<a href=\"#section-3\">Figure 2</a>");
  EXPECT_CONTAINS(page_html(page), "<section id=\"section-3\">");
  page.sections.resize(2);
  EXPECT_EQ(count(page_html(page), "<nav"), 0u);
}

TEST(Page, EscapesEveryText) {
  const std::string evil = "<script>\"'&</script>";
  Page page{evil, {evil}};
  page.links = {{evil, evil}, {evil, "javascript:alert(1)"}};
  page.footer = evil;
  PageTable table{evil, {evil}, {{{evil}, evil}}};
  page.sections.assign(3, {evil, {evil}, {table}, {{evil, evil, evil}}, {evil}});
  const std::string html = page_html(page);
  EXPECT_EQ(count(html, "<script"), 0u);
  EXPECT_EQ(count(html, "javascript:"), 0u);
  EXPECT_CONTAINS(html, "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;");
}

TEST(Page, NeedsNothingFromElsewhere) {
  Page page = example();
  page.links.clear();
  const std::string html = page_html(page);
  EXPECT_EQ(count(html, "http://") + count(html, "https://"), 0u);
  EXPECT_EQ(count(html, "url("), 0u);
  EXPECT_CONTAINS(html, "prefers-color-scheme: dark");
  EXPECT_CONTAINS(html, "@media print");
  EXPECT_CONTAINS(html, "width=device-width");
}

TEST(Page, ElementsAreClosed) {
  std::string html = page_html(example());
  // As XML, in which <meta> and <img> must be closed too.
  html = html.substr(html.find("<body>"));
  for (std::size_t at = html.find("<img"); at != std::string::npos;
       at = html.find("<img", at + 1)) {
    html.insert(html.find('>', at), "/");
  }
  html.resize(html.find("</html>"));
  EXPECT_NO_THROW(parse_xml(html));
}

TEST(Page, CanHoldItsFiguresAndTheirData) {
  Figure figure{.name = "line", .title = "A line", .caption = "Rises.", .x = {"x"}, .y = {"y"}};
  figure.series.push_back({.kind = SeriesKind::line,
                           .label = "a<b",
                           .colour = "#0072b2",
                           .x = Eigen::VectorXd::LinSpaced(3, 0, 2),
                           .y = Eigen::VectorXd::LinSpaced(3, 0, 2)});
  Page page{"Whole"};
  page.verdict = PageVerdict{"warns", "Look & see", {"first <point>"}};
  page.sections = {{"One"}};
  page.sections[0].figures = {inline_figure(figure)};
  page.sections[0].texts = {{"Commands", "a < b\n  c\n", true}, {"", "plain\n"}};
  const std::string html = page_html(page);
  EXPECT_CONTAINS(html, "<svg");
  EXPECT_CONTAINS(html, "a&lt;b");
  EXPECT_EQ(html.find("<img"), std::string::npos);
  // "series,x,y,low,high\na<b,0,..." as base64
  EXPECT_CONTAINS(html, "href=\"data:text/csv;charset=utf-8;base64,c2VyaWVzLHgseSxsb3csaGlnaAph");
  EXPECT_CONTAINS(html, "download=\"line.csv\"");
  EXPECT_CONTAINS(html, "<div role=\"status\" class=\"verdict warns\">");
  EXPECT_CONTAINS(html, "Look &amp; see");
  EXPECT_CONTAINS(html, "<li>first &lt;point&gt;</li>");
  EXPECT_CONTAINS(html, "<summary>Commands</summary>");
  EXPECT_CONTAINS(html, "a &lt; b\n  c\n</pre>");
  EXPECT_LT(html.find("verdict warns"), html.find("<section"));
}

}  // namespace
}  // namespace epsfree
