#include "tools/svg/figure.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr char kPageStyle[] = R"(
*{box-sizing:border-box}
body{margin:0 auto;padding:16px;max-width:1168px;background:var(--ground);
color:var(--ink);font:16px/1.45 system-ui,sans-serif}
h1{font-size:24px;margin:8px 0}h2{font-size:17px;margin:0 0 4px}
main{columns:440px 2;column-gap:36px;margin:28px 0}
figure{margin:0 0 36px;break-inside:avoid}
figure.wide{column-span:all}
figcaption{color:var(--faint);margin:0 0 12px}
figure svg{display:block;max-width:100%}
figure:not(.wide) svg{width:100%;max-width:560px;height:auto}
pre{overflow-x:auto;font-size:13px;line-height:1.35}
h2,li,footer{overflow-wrap:anywhere}
footer{color:var(--faint);font-size:13px}
footer p{margin:2px 0}summary{cursor:pointer}
)";

std::string FigureElement(const Figure& figure) {
  return absl::StrCat(
      figure.drawing.width() > 0 ? "<figure>\n" : "<figure class=\"wide\">\n",
      "<h2>", EscapeXml(figure.title), "</h2>\n<figcaption>",
      EscapeXml(figure.how_to_read), "</figcaption>\n",
      figure.drawing.Element(figure.title), "</figure>\n");
}

// As it may stand in a script element, which any "</script" would end.
std::string ScriptJson(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(
      1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return absl::StrReplaceAll(text, {{"<", "\\u003c"}});
}

}  // namespace

std::string FiguresAsSvg(const std::vector<Figure>& figures) {
  constexpr double kMargin = 16;
  constexpr double kFluidWidth = 720;
  constexpr double kLine = 18;
  double widest = 0;
  for (const Figure& figure : figures) {
    widest =
        std::max(widest, figure.drawing.width() > 0 ? figure.drawing.width()
                                                    : kFluidWidth);
  }
  const auto columns = static_cast<size_t>(widest / TextWidth("m"));
  Drawing all(widest);
  std::vector<std::string> titles;
  double y = 0;
  for (const Figure& figure : figures) {
    titles.push_back(figure.title);
    y += kMargin + kLine;
    all.Text({0, y}, figure.title, "heading");
    y += 4;
    for (const absl::string_view line :
         absl::StrSplit(WrapText(figure.how_to_read, columns, 0), '\n')) {
      y += kLine;
      all.Text({0, y}, line, "faint");
    }
    y += kMargin;
    all.Add(figure.drawing, y);
    y += figure.drawing.height() + kMargin;
  }
  all.set_height(y);
  return all.Document(titles.size() == 1 ? titles[0] : "linebloom", widest);
}

std::string PageAsHtml(const Page& page, const nlohmann::ordered_json& json) {
  std::string html = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
      EscapeXml(page.title), "</title>\n<style>\n", kDrawingStyle, kPageStyle,
      "</style>\n</head>\n<body>\n<h1>", EscapeXml(page.title), "</h1>\n<p>",
      EscapeXml(page.summary), "</p>\n<main>\n");
  for (const Figure& figure : page.figures) {
    absl::StrAppend(&html, FigureElement(figure));
  }
  absl::StrAppend(&html, "</main>\n");
  if (!page.notes.empty()) absl::StrAppend(&html, "<ul>\n");
  for (const std::string& note : page.notes) {
    absl::StrAppend(&html, "<li>", EscapeXml(note), "</li>\n");
  }
  if (!page.notes.empty()) absl::StrAppend(&html, "</ul>\n");
  absl::StrAppend(&html,
                  "<details><summary>All figures as text</summary>\n"
                  "<pre>",
                  EscapeXml(page.text), "</pre></details>\n<footer>\n");
  for (const std::string& line : page.foot) {
    absl::StrAppend(&html, "<p>", EscapeXml(line), "</p>\n");
  }
  absl::StrAppend(&html,
                  "</footer>\n<script type=\"application/json\" id=\"data\">\n",
                  ScriptJson(json), "\n</script>\n</body>\n</html>\n");
  return html;
}

}  // namespace linebloom::tools
