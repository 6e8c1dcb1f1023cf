// SPDX-License-Identifier: BSD-3-Clause
// Pages of one audit and of one comparison: a table, a picture, the words to read them by.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "dualdict/audit.h"

namespace dualdict {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string digits(double value, int precision = 4) {
  if (std::isnan(value)) return "";
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, precision).ptr;
  return std::string(text.begin(), end);
}

std::string page_of(const std::string& title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escaped(title) +
         "</title>\n<style>\n"
         ":root { color-scheme: light dark; --line: #8886; --ink: #2563c4; }\n"
         "@media (prefers-color-scheme: dark) { :root { --ink: #7fb0ff; } }\n"
         "body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }\n"
         "table { border-collapse: collapse; width: 100%; }\n"
         "th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }\n"
         "th:first-child, td:first-child { text-align: left; }\n"
         "svg { width: 100%; height: auto; }\n"
         ".bar { fill: var(--ink); } .curve { fill: none; stroke: var(--ink); stroke-width: 2; }\n"
         ".axis { stroke: var(--line); } text { fill: currentColor; font-size: 12px; }\n"
         "</style>\n<h1>" +
         escaped(title) + "</h1>\n" + body;
}

std::string table_row(const std::vector<std::string>& cells, const char* tag) {
  std::ostringstream row;
  row << "<tr>";
  for (const std::string& cell : cells) row << '<' << tag << '>' << escaped(cell) << "</" << tag << '>';
  row << "</tr>\n";
  return row.str();
}

// A bar for each row: what it leaves unexplained.
std::string bars(const std::vector<AuditRow>& rows) {
  constexpr int kStep = 28, kLeft = 150, kWidth = 560;
  double most = 0;
  for (const AuditRow& row : rows) most = std::max(most, row.unexplained);
  std::string svg = "<svg viewBox=\"0 0 800 " + std::to_string(kStep * rows.size() + 8) +
                    "\" role=\"img\" aria-label=\"unexplained variance of each code\">\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double width = most > 0 ? kWidth * rows[i].unexplained / most : 0;
    const std::string y = std::to_string(kStep * i + 4), base = std::to_string(kStep * i + 18);
    svg += "<text x=\"" + std::to_string(kLeft - 8) + "\" y=\"" + base + "\" text-anchor=\"end\">" +
           escaped(rows[i].code) + "</text><rect class=\"bar\" x=\"" + std::to_string(kLeft) + "\" y=\"" + y +
           "\" height=\"18\" width=\"" + digits(width) + "\"/><text x=\"" + digits(kLeft + width + 6) + "\" y=\"" +
           base + "\">" + digits(rows[i].unexplained, 3) + "</text>\n";
  }
  return svg + "</svg>\n";
}

// |cosine| of the pairs, best first.
std::string curve(const std::vector<double>& cosines, const std::string& label) {
  constexpr int kWidth = 700, kHeight = 220, kLeft = 50, kTop = 10, kMost = 600;
  std::string points;
  const std::size_t n = cosines.size(), step = std::max<std::size_t>(1, n / kMost);
  for (std::size_t i = 0; i < n; i += step)
    points += digits(kLeft + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(n), 6) + "," +
              digits(kTop + kHeight * (1 - cosines[i]), 6) + " ";
  std::string svg = "<svg viewBox=\"0 0 800 260\" role=\"img\" aria-label=\"" + escaped(label) + "\">\n";
  for (const double level : {0.0, 0.5, 0.9, 1.0}) {
    const std::string y = digits(kTop + kHeight * (1 - level), 6);
    svg += "<line class=\"axis\" x1=\"50\" x2=\"750\" y1=\"" + y + "\" y2=\"" + y + "\"/><text x=\"44\" y=\"" + y +
           "\" dy=\"4\" text-anchor=\"end\">" + digits(level) + "</text>\n";
  }
  return svg + "<polyline class=\"curve\" points=\"" + points +
         "\"/>\n<text x=\"400\" y=\"252\" text-anchor=\"middle\">" + escaped(label) +
         ", best pair first</text></svg>\n";
}

}  // namespace

std::string audit_html(const Audit& result, const std::string& name) {
  std::string table =
      "<table>\n" + table_row({"code", "nonzeros", "unexplained", "explained", "µs a sample", "duality gap"}, "th");
  for (const AuditRow& row : result.rows)
    table += table_row({row.code, digits(row.nonzeros), digits(row.unexplained), digits(row.explained),
                        digits(row.microseconds, 3), digits(row.gap, 2)},
                       "td");
  std::string text = "<p>" + std::to_string(result.n_atoms) + " atoms of " + std::to_string(result.n_features) +
                     " features, " + std::to_string(result.n_samples) +
                     " samples. Every code is of the same "
                     "dictionary, with as many nonzeros on average.</p>\n";
  if (result.lost_to_greedy > 0)
    text += "<p>The model's own encoder leaves " + digits(result.lost_to_greedy, 3) +
            " times what greedy codes leave, and " + digits(result.lost_to_exact, 3) +
            " times what exact codes leave after least squares on their atoms.</p>\n";
  if (!result.note.empty()) text += "<p>" + escaped(result.note) + ".</p>\n";
  return page_of(
      "Audit of " + name,
      text + bars(result.rows) + table + "</table>\n<table>\n" +
          table_row({"atoms without use in these samples", std::to_string(result.dead_atoms)}, "td") +
          table_row({"mean largest cosine of an atom with another", digits(result.mean_largest_cosine)}, "td") +
          table_row({"largest cosine of two atoms", digits(result.largest_cosine)}, "td") + "</table>\n");
}

std::string comparison_html(const Comparison& result, const std::string& first, const std::string& second) {
  const auto row = [](const std::string& name, double atoms, double filters) {
    return table_row({name, digits(atoms), digits(filters)}, "td");
  };
  return page_of(first + " and " + second,
                 "<p>Atoms (and filters) are paired one to one so that the sum of |cosine| is largest.</p>\n" +
                     curve(result.dictionary.cosines, "|cosine| of paired atoms") +
                     curve(result.dual.cosines, "|cosine| of paired filters") + "<table>\n" +
                     table_row({"", "atoms (D)", "filters (C)"}, "th") +
                     row("mean |cosine| of the pairs (PW-MCC)", result.dictionary.mean, result.dual.mean) +
                     row("share of pairs above .9", result.dictionary.share_above_9, result.dual.share_above_9) +
                     row("mean largest |cosine|, not one to one (MMCS)", result.dictionary.mean_largest,
                         result.dual.mean_largest) +
                     row("filters on the pairs of the atoms", NAN, result.dual_on_pairs) +
                     row("mean largest |cosine| within the first", result.within_first, NAN) +
                     row("mean largest |cosine| within the second", result.within_second, NAN) + "</table>\n");
}

}  // namespace dualdict
