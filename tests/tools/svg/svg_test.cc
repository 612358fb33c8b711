#include "tools/svg/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/svg/axis.h"
#include "tools/svg/bar_chart.h"
#include "tools/svg/figure.h"
#include "tools/svg/line_chart.h"
#include "tools/svg/row_chart.h"

namespace linebloom::tools {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(EscapeXmlTest, KeepsMarkupOut) {
  EXPECT_EQ(EscapeXml("a<b> & \"c\" 'd'"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(EscapeXml("\u00d7 \u20ac \U0001f600\n\t"),
            "\u00d7 \u20ac \U0001f600\n\t");
}

TEST(EscapeXmlTest, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(EscapeXml(std::string("a\0b\x1f", 4)), "a\ufffdb\ufffd");
  EXPECT_EQ(EscapeXml("\xff<"), "\ufffd&lt;");
  // Cut off, overlong, a surrogate, beyond Unicode, no character.
  EXPECT_EQ(EscapeXml("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_EQ(EscapeXml("\xc0\xbc"), "\ufffd\ufffd");
  EXPECT_EQ(EscapeXml("\xe0\x80\xbc"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(EscapeXml("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(EscapeXml("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(EscapeXml("\xef\xbf\xbf"), "\ufffd\ufffd\ufffd");
}

TEST(AxisMarksTest, AreRoundAndReachTheMost) {
  EXPECT_THAT(AxisMarks(10), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(AxisMarks(3251), ElementsAre(0, 1000, 2000, 3000, 4000));
  for (const double most : {0.0, 1e-9, 0.3, 1.0, 7.0, 99.0, 1e12}) {
    const std::vector<double> marks = AxisMarks(most);
    EXPECT_GE(marks.back(), most);
    EXPECT_GE(marks.size(), 4u);
    EXPECT_LE(marks.size(), 9u);
  }
}

TEST(AxisTest, GoesFromZero) {
  const Axis axis = Axis::Linear(9, 100, 200);
  EXPECT_DOUBLE_EQ(axis.At(0), 100);
  EXPECT_DOUBLE_EQ(axis.At(5), 150);
  EXPECT_DOUBLE_EQ(axis.At(10), 200);
  EXPECT_DOUBLE_EQ(axis.At(1e9), 200);
}

TEST(AxisTest, GoesByPowersOfTen) {
  const Axis axis = Axis::Logarithmic(0.02, 5, 0, 300);
  EXPECT_DOUBLE_EQ(axis.At(0.01), 0);
  EXPECT_NEAR(axis.At(0.1), 100, 1e-9);
  EXPECT_NEAR(axis.At(10), 300, 1e-9);
  EXPECT_DOUBLE_EQ(axis.At(0), 0);
  EXPECT_THAT(axis.Marks(0),
              ElementsAre(0.01, DoubleNear(0.1, 1e-12), DoubleNear(1, 1e-12),
                          DoubleNear(10, 1e-12)));
  EXPECT_EQ(axis.Marks(150).size(), 2u);
  // A single value has a decade of its own.
  EXPECT_EQ(Axis::Logarithmic(0.001, 0.001, 0, 1).Marks(0).size(), 2u);
}

RowChart Rows() {
  RowChart::Row row;
  row.label = "a<b>";
  row.series = 1;
  row.value = 0.01;
  row.interval = Interval{0.005, 0.02};
  row.beside = 0.011;
  row.text = "0.0100";
  row.title = "\"a\"";
  RowChart::Row zero;
  zero.label = "zero";
  zero.interval = Interval{0, 0.001};
  RowChart chart;
  chart.axis_label = "reads & more";
  chart.groups = {{"L<0>", {row, zero}}};
  return chart;
}

TEST(RowChartTest, DrawsSignsAndBarsWithTheirWords) {
  RowChart chart = Rows();
  for (const bool is_logarithmic : {true, false}) {
    chart.is_logarithmic = is_logarithmic;
    const std::string svg = DrawRows(chart).Element("x");
    for (const char* text :
         {"L&lt;0&gt;", "a&lt;b&gt;", "reads &amp; more", ">0.0100<",
          "<title>&quot;a&quot;</title>", "interval"}) {
      EXPECT_THAT(svg, HasSubstr(text));
    }
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(RowChartTest, TakesNothingAndZero) {
  RowChart chart;
  for (const bool is_logarithmic : {true, false}) {
    chart.is_logarithmic = is_logarithmic;
    chart.groups.clear();
    EXPECT_GT(DrawRows(chart).height(), 0);
    chart.groups = {{"", {RowChart::Row()}}};
    EXPECT_THAT(DrawRows(chart).Element("x"), Not(HasSubstr("nan")));
  }
}

TEST(LineChartTest, DrawsCurvesAndSpots) {
  LineChart chart;
  EXPECT_GT(DrawLines(chart).height(), 0);
  chart.x_label = "b<its";
  chart.curves = {{"a curve", "bound", {{1, 0.5}, {2, 0.001}}}};
  chart.spots = {{"a & b", 2, {1.5, 0.1}, "t>"}};
  for (const bool is_logarithmic : {true, false}) {
    chart.x_is_logarithmic = is_logarithmic;
    const std::string svg = DrawLines(chart).Element("x");
    for (const char* text : {"<polyline", "a curve", "a &amp; b", "t&gt;",
                             "b&lt;its", "series2 sign"}) {
      EXPECT_THAT(svg, HasSubstr(text));
    }
  }
}

TEST(LineChartTest, KeepsTheLastMarkInside) {
  LineChart chart;
  chart.x_is_logarithmic = true;
  chart.curves = {{"", "bound", {{1, 1}, {1'000'000, 1}}}};
  // 440 pixels wide: half of this text is wider than the 30 at the right.
  EXPECT_THAT(DrawLines(chart).Element("x"),
              Not(HasSubstr("<text x=\"410\" y=\"307\"")));
}

TEST(BarChartTest, DrawsBarsAndEscapes) {
  BarChart chart;
  EXPECT_GT(DrawBars(chart).height(), 0);
  chart.bars = {{"x>y", 1}, {"", 20'000}};
  const std::string svg = DrawBars(chart).Element("x");
  EXPECT_THAT(svg, HasSubstr("x&gt;y: 1"));
  EXPECT_THAT(svg, HasSubstr("20,000"));
}

TEST(FigureTest, AreInOneFile) {
  const std::vector<Figure> figures = {
      {"a <title>", "Read it & weep.", DrawRows(Rows())},
      {"wide", "So.", Drawing(0)}};
  const std::string svg = FiguresAsSvg(figures);
  EXPECT_THAT(svg, HasSubstr("width=\"720\""));
  EXPECT_THAT(svg, HasSubstr("a &lt;title&gt;"));
  EXPECT_THAT(svg, HasSubstr("Read it &amp; weep."));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme"));
}

TEST(PageTest, NeedsNothingElseAndEscapes) {
  Page page;
  page.title = "t<script>";
  page.summary = "s & s";
  page.figures = {{"f", "h", DrawRows(Rows())}};
  page.notes = {"<b>note"};
  page.text = "1 < 2";
  page.foot = {"command '<x>'"};
  const std::string html =
      PageAsHtml(page, {{"name", "</script><script>alert(1)"}});
  for (const char* text :
       {"t&lt;script&gt;", "s &amp; s", "&lt;b&gt;note", "1 &lt; 2",
        "command &#39;&lt;x&gt;&#39;", "\\u003c/script>\\u003cscript>"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  for (const char* text : {"src=", "href=", "url(", "@import", "alert(1)<"}) {
    EXPECT_THAT(html, Not(HasSubstr(text))) << text;
  }
}

}  // namespace
}  // namespace linebloom::tools
