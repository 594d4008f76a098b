// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/version.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/text.hpp>
#include <takt/study/picture.hpp>
#include <takt/study/result_files.hpp>
#include <takt/study/statistics.hpp>

namespace takt::inline TAKT_ABI::studies {

namespace detail {

inline constexpr std::string_view page_style =
    "body{font-family:DejaVu Sans,sans-serif;color:#222;max-width:100em;margin:2em auto;padding:0 1em}"
    "svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1em 0;font-size:90%}"
    "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}td:first-child,th:first-child{text-align:left}"
    "th{background:#f3f3f3}details{margin:1em 0}";

class page_writer {
 public:
  explicit page_writer(std::ostream& out) : out_{&out} {}

  void head(int rank, std::string_view text) {
    *out_ << report::text("<h", rank, ">", report::xml_escaped(text), "</h", rank, ">\n");
  }
  void paragraph(std::string_view text) { *out_ << "<p>" << report::xml_escaped(text) << "</p>\n"; }
  void begin_table(const std::vector<std::string>& heads) {
    *out_ << "<table>\n";
    cells("th", heads);
  }
  void row(const std::vector<std::string>& texts) { cells("td", texts); }
  void end_table() { *out_ << "</table>\n"; }
  void raw(std::string_view markup) { *out_ << markup; }

 private:
  void cells(std::string_view element, const std::vector<std::string>& texts) {
    *out_ << "<tr>";
    for (const std::string& text : texts) {
      *out_ << '<' << element << '>' << report::xml_escaped(text) << "</" << element << '>';
    }
    *out_ << "</tr>\n";
  }

  std::ostream* out_;
};

inline void write_ranking(page_writer& page, const result& r) {
  const bool pairs = !r.designed.paired.empty();
  for (const panel& p : r.designed.panels) {
    const auto ranked = ranking(r, p);
    std::vector<std::string> heads{"rank", p.title, "weighted share"};
    if (pairs) { heads.insert(heads.end(), {"only it, not the next", "only the next", "p"}); }
    page.begin_table(heads);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      std::vector<std::string> cells{std::to_string(i + 1), ranked[i].of.title, report::fixed(ranked[i].weighted, 4)};
      if (pairs && i + 1 < ranked.size() && are_paired(r.designed, ranked[i].of, ranked[i + 1].of)) {
        const auto both = paired(r, ranked[i].of.series, ranked[i].of.column, ranked[i + 1].of.column);
        cells.insert(cells.end(), {std::to_string(both.only_first), std::to_string(both.only_second),
                                   likelihood_text(both.likelihood())});
      } else if (pairs) {
        cells.resize(heads.size());
      }
      page.row(cells);
    }
    page.end_table();
  }
}

/// Writes how many sets the method of a row accepts and that of a column does not.
inline void write_pairs(page_writer& page, const result& r) {
  const experiment& e = r.designed;
  for (std::size_t s = 0; s < e.series.size(); ++s) {
    std::vector<std::string> heads{report::joined(e.series[s], " ") + ": accepts, unlike"};
    for (const std::size_t c : e.paired) { heads.push_back(e.columns[c]); }
    page.begin_table(heads);
    for (const std::size_t first : e.paired) {
      std::vector<std::string> cells{e.columns[first]};
      for (const std::size_t second : e.paired) {
        cells.push_back(first == second ? "" : std::to_string(paired(r, s, first, second).only_first));
      }
      page.row(cells);
    }
    page.end_table();
  }
}

inline void write_counts(page_writer& page, const result& r) {
  const experiment& e = r.designed;
  std::vector<std::string> heads = e.keys;
  heads.insert(heads.end(), {e.level_name, "sets"});
  heads.insert(heads.end(), e.columns.begin(), e.columns.end());
  page.begin_table(heads);
  for_each_row(r, [&](const auto& cells, const std::string& level, std::int64_t sets, const auto& counts) {
    std::vector<std::string> row = cells;
    row.insert(row.end(), {level, std::to_string(sets)});
    row.insert(row.end(), counts.begin(), counts.end());
    page.row(row);
  });
  page.end_table();
}

inline void write_notes(page_writer& page, const result& r) {
  std::vector<work_note> notes = r.notes;
  std::ranges::sort(notes);
  page.begin_table({"from (UTC)", "blocks", "seconds", "workers", "machine"});
  for (const work_note& n : notes) {
    page.row({n.begin, std::to_string(n.units), report::fixed(static_cast<double>(n.milliseconds) / 1000, 1),
              std::to_string(n.workers), n.machine});
  }
  page.end_table();
}

}  // namespace detail

/// Writes a result as one page that needs no other file. Throws as `write_svg` does. Pre: the counts are complete.
inline void write_html(std::ostream& out, const result& r) {
  TAKT_EXPECTS(r.counts.complete());
  const experiment& e = r.designed;
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
      << report::xml_escaped(e.title) << "</title>\n<style>" << detail::page_style << "</style>\n</head>\n<body>\n";
  detail::page_writer page{out};
  page.head(1, e.title);
  page.paragraph(report::text("takt ", version_major, ".", version_minor, ".", version_patch, ", study ", r.name));
  write_svg(out, r);
  if (e.measured == measure::sets) {
    page.paragraph("Bands are 95 % intervals (Wilson).");
    page.head(2, "Ranking");
    page.paragraph(
        "The weighted share is the mean of the shares of all levels, weighted by the level; p is how likely a "
        "difference on the same sets is so large by chance (exact test of McNemar).");
    detail::write_ranking(page, r);
  }
  if (!e.paired.empty()) {
    page.head(2, "Set by set");
    detail::write_pairs(page, r);
  }
  page.head(2, "Counts");
  detail::write_counts(page, r);
  for (const std::string& remark : detail::remarks_of(r)) { page.paragraph(remark); }
  page.head(2, "Parameters");
  page.begin_table({"parameter", "value", "what it is"});
  for (const parameter& p : r.used.all()) { page.row({p.name, p.value, p.about}); }
  page.end_table();
  page.head(2, "Work");
  detail::write_notes(page, r);
  page.raw("</body>\n</html>\n");
}

}  // namespace takt::inline TAKT_ABI::studies
