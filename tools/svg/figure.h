// Pictures with their words, together in one file.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/svg/svg.h"

namespace linebloom::tools {

// Narrow enough for a telephone; two are beside each other on a wide screen.
inline constexpr double kFigureWidth = 440;

struct Figure {
  std::string title;
  std::string how_to_read;  // a sentence
  Drawing drawing;
};

// An SVG file of all figures, one below the other.
std::string FiguresAsSvg(const std::vector<Figure>& figures);

struct Page {
  std::string title;
  std::string summary;
  std::vector<Figure> figures;
  std::vector<std::string> notes;
  std::string text;  // the report for a terminal, which the page folds away
  std::vector<std::string> foot;  // lines
};

// One HTML file that needs no other and no script. `json` is in it for
// programs, as <script type="application/json" id="data">.
std::string PageAsHtml(const Page& page, const nlohmann::ordered_json& json);

}  // namespace linebloom::tools
