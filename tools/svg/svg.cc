#include "tools/svg/svg.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace linebloom::tools {
namespace {

// How many bytes of UTF-8 `text` begins with, 0 if it is none or a character
// that XML cannot hold.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    const bool is_allowed =
        (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
    return is_allowed ? 1 : 0;
  }
  if (first >= 0xc2 && first < 0xe0) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    if (!continues(1) || !continues(2)) return 0;
    const unsigned code =
        (first & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code < 0x800 || is_surrogate || code >= 0xfffe ? 0 : 3;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const unsigned code = (first & 7) << 18 | (byte(1) & 0x3f) << 12;
    return code < 0x10000 || code >= 0x110000 ? 0 : 4;
  }
  return 0;
}

std::string TitleElement(absl::string_view title) {
  if (title.empty()) return "";
  return absl::StrCat("<title>", EscapeXml(title), "</title>");
}

// One decimal is finer than a screen, and keeps files small.
std::string Number(double value) {
  std::string text = absl::StrFormat("%.1f", value);
  if (text.size() > 2 && text.substr(text.size() - 2) == ".0") {
    text.resize(text.size() - 2);
  }
  return text == "-0" ? "0" : text;
}

std::string Attribute(absl::string_view name, double value) {
  return absl::StrCat(" ", name, "=\"", Number(value), "\"");
}

std::string ClassAttribute(absl::string_view style_class) {
  return absl::StrCat(" class=\"", style_class, "\"");
}

// Closes an element that may have a title.
std::string Close(absl::string_view element, absl::string_view title) {
  if (title.empty()) return "/>\n";
  return absl::StrCat(">", TitleElement(title), "</", element, ">\n");
}

// Signs around 0, 0.
constexpr std::array<const char*, kSeriesColors> kMarkers = {
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",  // circle
    "M-4.5 -4.5h9v9h-9z",                     // square
    "M0 -6.5L6 4.5H-6z",                      // triangle
    "M0 -6.5L6.5 0L0 6.5L-6.5 0z",            // diamond
    "M-5 -5L5 5M-5 5L5 -5",                   // cross
    "M0 6.5L6 -4.5H-6z",                      // triangle downwards
    "M-6 0H6M0 -6V6",                         // plus
    "M-6 -4H6L-6 4H6z"};                      // hourglass

}  // namespace

const char kDrawingStyle[] = R"(:root{--ground:#fff;--ink:#1b1f24;
--faint:#59616b;--grid:#d9dde2;
--series0:#59616b;--series1:#0072b2;--series2:#d55e00;--series3:#009e73;
--series4:#b0539a;--series5:#a87400;--series6:#2e9bd6;--series7:#1b1f24;
--scale0:#e3edf7;--scale1:#c3dbee;--scale2:#93c3df;--scale3:#5ba3cf;
--scale4:#3080bd;--scale5:#125ca4;--scale6:#08306b;--none:#d55e00}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--ink:#e8eaed;
--faint:#a3abb5;--grid:#343a41;
--series0:#a3abb5;--series1:#56b4e9;--series2:#ff8f4d;--series3:#35c79b;
--series4:#e39ac8;--series5:#e6b33d;--series6:#8fd3ff;--series7:#e8eaed;
--scale0:#1d3348;--scale1:#20466a;--scale2:#295f8f;--scale3:#3b7fb5;
--scale4:#5fa2d3;--scale5:#97c5e6;--scale6:#d6e9f7;--none:#ff8f4d}}
@media print{:root{--ground:#fff;--ink:#000;--faint:#444;--grid:#ccc}}
svg text{font:13px system-ui,sans-serif;fill:var(--ink)}
svg .faint{fill:var(--faint)}
svg .bold{font-weight:600}
svg .heading{font-size:16px;font-weight:600}
svg .middle{text-anchor:middle}
svg .end{text-anchor:end}
svg .ground{fill:var(--ground)}
svg .grid{stroke:var(--grid)}
svg .axis{stroke:var(--faint)}
svg .bound{stroke:var(--ink);stroke-dasharray:2 4}
svg .dashed{stroke-dasharray:7 4}
svg .dotdash{stroke-dasharray:9 3 2 3}
svg polyline,svg .sign{fill:none;stroke-width:2}
svg .interval{stroke-width:2}
svg .tile{stroke:var(--ground);stroke-width:1}
svg .series0{color:var(--series0)}svg .series1{color:var(--series1)}
svg .series2{color:var(--series2)}svg .series3{color:var(--series3)}
svg .series4{color:var(--series4)}svg .series5{color:var(--series5)}
svg .series6{color:var(--series6)}svg .series7{color:var(--series7)}
svg rect[class^=series]{fill:currentColor}
svg :is(line,polyline,path)[class^=series]{stroke:currentColor}
svg .scale0{fill:var(--scale0)}svg .scale1{fill:var(--scale1)}
svg .scale2{fill:var(--scale2)}svg .scale3{fill:var(--scale3)}
svg .scale4{fill:var(--scale4)}svg .scale5{fill:var(--scale5)}
svg .scale6{fill:var(--scale6)}svg .none{fill:var(--none)}
@media print{svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)";

std::string EscapeXml(absl::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    if (bytes == 0) {
      absl::StrAppend(&escaped, "\xef\xbf\xbd");
    } else if (text[0] == '&') {
      absl::StrAppend(&escaped, "&amp;");
    } else if (text[0] == '<') {
      absl::StrAppend(&escaped, "&lt;");
    } else if (text[0] == '>') {
      absl::StrAppend(&escaped, "&gt;");
    } else if (text[0] == '"') {
      absl::StrAppend(&escaped, "&quot;");
    } else if (text[0] == '\'') {
      absl::StrAppend(&escaped, "&#39;");
    } else {
      absl::StrAppend(&escaped, text.substr(0, bytes));
    }
    text.remove_prefix(std::max<size_t>(1, bytes));
  }
  return escaped;
}

double TextWidth(absl::string_view text) {
  constexpr double kCharacter = 7.2;  // of 13 pixels, rather too wide
  return kCharacter * static_cast<double>(
                          std::count_if(text.begin(), text.end(), [](char c) {
                            return (static_cast<unsigned char>(c) & 0xc0) !=
                                   0x80;
                          }));
}

std::string SeriesClass(size_t i) {
  return absl::StrCat("series", i % kSeriesColors);
}

std::string ScaleClass(size_t i) {
  return absl::StrCat("scale", std::min(i, kScaleColors - 1));
}

void Drawing::Rect(Point corner, double width, double height,
                   absl::string_view style_class, absl::string_view title) {
  absl::StrAppend(&elements_, "<rect", Attribute("x", corner.x),
                  Attribute("y", corner.y), Attribute("width", width),
                  Attribute("height", height), ClassAttribute(style_class),
                  Close("rect", title));
}

void Drawing::RectAcross(double left, double width, double y, double height,
                         absl::string_view style_class,
                         absl::string_view title) {
  absl::StrAppend(
      &elements_,
      absl::StrFormat("<rect x=\"%.3f%%\" width=\"%.3f%%\"", left, width),
      Attribute("y", y), Attribute("height", height),
      ClassAttribute(style_class), Close("rect", title));
}

void Drawing::Line(Point from, Point to, absl::string_view style_class) {
  absl::StrAppend(&elements_, "<line", Attribute("x1", from.x),
                  Attribute("y1", from.y), Attribute("x2", to.x),
                  Attribute("y2", to.y), ClassAttribute(style_class), "/>\n");
}

void Drawing::Curve(const std::vector<Point>& points,
                    absl::string_view style_class) {
  absl::StrAppend(&elements_, "<polyline", ClassAttribute(style_class),
                  " points=\"");
  for (const Point& point : points) {
    absl::StrAppend(&elements_, Number(point.x), ",", Number(point.y), " ");
  }
  absl::StrAppend(&elements_, "\"/>\n");
}

void Drawing::Marker(Point center, size_t series, absl::string_view title) {
  absl::StrAppend(
      &elements_, "<path", ClassAttribute(SeriesClass(series) + " sign"),
      " transform=\"translate(", Number(center.x), ",", Number(center.y),
      ")\" d=\"", kMarkers[series % kMarkers.size()], "\"",
      Close("path", title));
}

void Drawing::Text(Point at, absl::string_view text,
                   absl::string_view style_class) {
  absl::StrAppend(&elements_, "<text", Attribute("x", at.x),
                  Attribute("y", at.y),
                  style_class.empty() ? "" : ClassAttribute(style_class), ">",
                  EscapeXml(text), "</text>\n");
}

void Drawing::VerticalText(Point at, absl::string_view text) {
  absl::StrAppend(&elements_, "<text class=\"middle\" transform=\"translate(",
                  Number(at.x), ",", Number(at.y), ") rotate(-90)\">",
                  EscapeXml(text), "</text>\n");
}

void Drawing::Add(const Drawing& other, double y) {
  absl::StrAppend(&elements_, "<g transform=\"translate(0,", Number(y),
                  ")\">\n", other.elements_, "</g>\n");
}

std::string Drawing::Open(absl::string_view name, double width,
                          absl::string_view attributes) const {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\"", attributes,
                      width > 0 ? absl::StrCat(" viewBox=\"0 0 ", Number(width),
                                               " ", Number(height_), "\"")
                                : "",
                      " role=\"img\" aria-label=\"", EscapeXml(name), "\">\n");
}

std::string Drawing::Element(absl::string_view name) const {
  const std::string size =
      width_ > 0
          ? ""
          : absl::StrCat(" width=\"100%\"", Attribute("height", height_));
  return absl::StrCat(Open(name, width_, size), elements_, "</svg>\n");
}

std::string Drawing::Document(absl::string_view name, double width) const {
  const double used = width_ > 0 ? width_ : width;
  const std::string size =
      absl::StrCat(Attribute("width", used), Attribute("height", height_));
  return absl::StrCat(Open(name, used, size), "<style>\n", kDrawingStyle,
                      "</style>\n<rect class=\"ground\" width=\"100%\" "
                      "height=\"100%\"/>\n",
                      elements_, "</svg>\n");
}

}  // namespace linebloom::tools
