#include "report/page.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "report/drawing/svg_figure.hpp"
#include "report/markup.hpp"
#include "report/page_style.hpp"

namespace epsfree {
namespace {

std::string element(const std::string& name, const std::string& text,
                    const std::string& attributes = "") {
  return "<" + name + attributes + ">" + escape_markup(text) + "</" + name + ">\n";
}

/// Escaped line by line, since the ends of lines count here.
std::string escape_lines(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += escape_markup(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return result;
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escape_markup(value) + "\"";
}

/// What would end the path of a relative address, or be taken for something else, by its number.
std::string path_address(const std::string& path) {
  constexpr std::string_view kPlain = "-_.~/!$&'()*+,;=@";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string address;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain) {
      address += c;
    } else {
      address += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return address;
}

/// Addresses of the web stay what they are; whatever else is a file.
std::string link_address(const std::string& target) {
  const bool web = target.starts_with("https://") || target.starts_with("http://");
  return web || target.starts_with("#") ? target : path_address(target);
}

std::string link(const std::string& text, const std::string& target,
                 const std::string& attributes = "") {
  return "<a" + attribute("href", link_address(target)) + attributes + ">" + escape_markup(text) +
         "</a>";
}

std::string paragraphs(const std::vector<std::string>& texts, const std::string& attributes = "") {
  std::string html;
  for (const std::string& text : texts) html += element("p", text, attributes);
  return html;
}

std::string list_of(const std::vector<PageLink>& links) {
  std::string html = "<ul class=\"list\">\n";
  for (const PageLink& each : links) html += "<li>" + link(each.text, each.target) + "</li>\n";
  return html + "</ul>\n";
}

std::string file_link(const PageFigure& figure, const std::string& ending) {
  std::string upper;
  for (const char c : ending) upper += static_cast<char>(c - 'a' + 'A');
  const std::string& subject = figure.title.empty() ? figure.name : figure.title;
  return link(upper, figure.name + "." + ending, attribute("aria-label", upper + " of " + subject));
}

/// As the standard has it: six bits a character.
std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

/// The picture, or two of which the screen's width chooses one.
std::string pictures_of(const PageFigure& figure) {
  if (figure.narrow_svg.empty()) return figure.svg;
  return "<div class=\"on-wide\">\n" + figure.svg + "</div>\n<div class=\"on-narrow\">\n" +
         figure.narrow_svg + "</div>\n";
}

/// In the page itself, its data as an address that holds them.
std::string inline_html(const PageFigure& figure) {
  const std::string& subject = figure.title.empty() ? figure.name : figure.title;
  std::string html = std::string("<figure") + (figure.wide ? " class=\"whole\"" : "") + ">\n" +
                     pictures_of(figure) + "<figcaption>" + escape_markup(figure.caption);
  if (!figure.csv.empty()) {
    html += " <span class=\"files\"><a" + attribute("download", figure.name + ".csv") +
            attribute("href", "data:text/csv;charset=utf-8;base64," + base64(figure.csv)) +
            attribute("aria-label", "data of " + subject) + ">Data (CSV)</a></span>";
  }
  return html + "</figcaption>\n</figure>\n";
}

std::string figure_html(const PageFigure& figure) {
  if (!figure.svg.empty()) return inline_html(figure);
  const std::string alternative = figure.title.empty()     ? figure.caption
                                  : figure.caption.empty() ? figure.title
                                                           : figure.title + ". " + figure.caption;
  return "<figure>\n<img" + attribute("src", path_address(figure.name + ".svg")) +
         attribute("alt", alternative.empty() ? figure.name : alternative) + ">\n<figcaption>" +
         escape_markup(figure.caption) + (figure.caption.empty() ? "" : " ") +
         "<span class=\"files\">" + file_link(figure, "svg") + " · " +
         (figure.has_pdf ? file_link(figure, "pdf") + " · " : "") + file_link(figure, "csv") +
         "</span></figcaption>\n</figure>\n";
}

std::string table_html(const PageTable& table) {
  std::size_t columns = table.header.size();
  for (const PageRow& row : table.rows) columns = std::max(columns, row.cells.size());
  // What is wider than the screen scrolls, by the keyboard too.
  std::string html = "<div class=\"wide\" role=\"region\" tabindex=\"0\"" +
                     attribute("aria-label", table.caption.empty() ? "table" : table.caption) +
                     ">\n<table role=\"table\">\n";
  if (!table.caption.empty()) html += element("caption", table.caption);
  if (!table.header.empty()) {
    html += "<thead><tr role=\"row\">\n";
    for (std::size_t i = 0; i < columns; ++i) {
      html += element("th", i < table.header.size() ? table.header[i] : "",
                      " scope=\"col\" role=\"columnheader\"");
    }
    html += "</tr></thead>\n";
  }
  html += "<tbody>\n";
  for (const PageRow& row : table.rows) {
    html += "<tr role=\"row\"" + (row.kind.empty() ? "" : attribute("class", row.kind)) + ">\n";
    for (std::size_t i = 0; i < columns; ++i) {
      // On a narrow screen each row becomes a card, whose lines need the columns' names; the roles
      // keep it a table for screen readers then.
      const std::string label = i < table.header.size() ? table.header[i] : "";
      html += element("td", i < row.cells.size() ? row.cells[i] : "",
                      " role=\"cell\"" + attribute("data-label", label));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

std::string text_html(const PageText& text) {
  const std::string body = "<pre tabindex=\"0\">" + escape_lines(text.text) + "</pre>\n";
  if (!text.folded) return (text.caption.empty() ? "" : element("p", text.caption)) + body;
  return "<details>\n" + element("summary", text.caption) + body + "</details>\n";
}

std::string verdict_html(const PageVerdict& verdict) {
  std::string html = "<div role=\"status\"" + attribute("class", "verdict " + verdict.kind) +
                     ">\n" + element("p", verdict.heading, " class=\"heading\"");
  if (!verdict.points.empty()) {
    html += "<ul>\n";
    for (const std::string& point : verdict.points) html += element("li", point);
    html += "</ul>\n";
  }
  return html + "</div>\n";
}

std::string section_html(const PageSection& section, const std::string& name) {
  std::string html = "<section" + attribute("id", name) + ">\n" + element("h2", section.heading) +
                     paragraphs(section.paragraphs);
  for (const PageTable& table : section.tables) html += table_html(table);
  if (!section.figures.empty()) {
    html += "<div class=\"figures\">\n";
    for (const PageFigure& figure : section.figures) html += figure_html(figure);
    html += "</div>\n";
  }
  html += paragraphs(section.notes, " class=\"note\"");
  for (const PageText& text : section.texts) html += text_html(text);
  return html + "</section>\n";
}

}  // namespace

PageFigure page_figure(const Figure& figure, bool has_pdf) {
  return {
      .name = figure.name, .title = figure.title, .caption = figure.caption, .has_pdf = has_pdf};
}

PageFigure inline_figure(const Figure& figure) {
  return {.name = figure.name,
          .title = figure.title,
          .caption = figure.caption,
          .svg = figure_svg(figure),
          .csv = figure_csv(figure)};
}

std::string page_html(const Page& page) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing but the page's own style and the images beside it, whatever it holds.
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'\">\n";
  html += element("title", page.title) + "<style>" + page_style() + "</style>\n</head>\n<body>\n";
  html += "<header>\n" + element("h1", page.title);
  if (page.verdict) html += verdict_html(*page.verdict);
  html += paragraphs(page.lead);
  if (!page.links.empty()) html += list_of(page.links);
  if (page.sections.size() > 2) {
    std::vector<PageLink> contents;
    for (std::size_t i = 0; i < page.sections.size(); ++i) {
      contents.push_back({page.sections[i].heading, "#section-" + std::to_string(i + 1)});
    }
    html += "<nav aria-label=\"Sections\">\n" + list_of(contents) + "</nav>\n";
  }
  html += "</header>\n<main>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    html += section_html(page.sections[i], "section-" + std::to_string(i + 1));
  }
  html += "</main>\n";
  if (!page.footer.empty()) html += "<footer>\n" + element("p", page.footer) + "</footer>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace epsfree
