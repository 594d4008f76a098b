// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <takt/core/version.hpp>
#include <takt/report/json.hpp>
#include <takt/report/table.hpp>
#include <takt/report/text.hpp>
#include <takt/study/run.hpp>
#include <takt/study/statistics.hpp>
#include <takt/study/thousandths.hpp>

namespace takt::inline TAKT_ABI::studies {

namespace detail {

/// Calls `row(series, level, sets, counts as text)` for each row.
template <class Row>
void for_each_row(const result& r, const Row& row) {
  const experiment& e = r.designed;
  for (std::size_t s = 0; s < e.series.size(); ++s) {
    for (std::size_t l = 0; l < e.levels.size(); ++l) {
      std::vector<std::string> texts;
      for (const std::int64_t count : r.counts.counts(s, l).first(e.columns.size())) {
        texts.push_back(e.measured == measure::sets ? std::to_string(count) : thousandths_text(count));
      }
      row(e.series[s], thousandths_text(e.levels[l]), r.counts.sets(s, l), texts);
    }
  }
}

/// Returns what each curve is to the next one of the ranking, where they are about the same sets.
[[nodiscard]] inline auto pair_remarks(const result& r) -> std::vector<std::string> {
  std::vector<std::string> out;
  if (r.designed.paired.empty()) { return out; }
  for (const panel& p : r.designed.panels) {
    const auto ranked = ranking(r, p);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const curve& first = ranked[i].of;
      out.push_back(
          report::text(p.title, ": ", i + 1, ". ", first.title, ", weighted ", report::fixed(ranked[i].weighted, 4)));
      if (i + 1 == ranked.size() || !are_paired(r.designed, first, ranked[i + 1].of)) { continue; }
      const curve& second = ranked[i + 1].of;
      const paired_counts both = paired(r, first.series, first.column, second.column);
      out.back() += report::text(", sets that only it accepts ", both.only_first, ", that only ", second.title,
                                 " accepts ", both.only_second, ", p ", likelihood_text(both.likelihood()));
    }
  }
  return out;
}

[[nodiscard]] inline auto remarks_of(const result& r) -> std::vector<std::string> {
  std::vector<std::string> out = pair_remarks(r);
  if (r.designed.remarks) { std::ranges::move(r.designed.remarks(r.counts), std::back_inserter(out)); }
  return out;
}

}  // namespace detail

/// Comment lines with the parameters, a line of heads, and one row per configuration and level. Every count is a whole
/// number of the task sets in the column `sets`. Pre: the counts are complete.
inline void write_csv(std::ostream& out, const result& r) {
  TAKT_EXPECTS(r.counts.complete());
  const experiment& e = r.designed;
  out << report::text("# takt ", version_major, ".", version_minor, ".", version_patch, " sweep ", r.name, "\n# ",
                      e.title, "\n");
  for (const parameter& p : r.used.all()) { out << report::text("# ", p.name, " = ", p.value, " (", p.about, ")\n"); }
  out << report::text(report::joined(e.keys, ","), ",", e.level_name, ",sets,", report::joined(e.columns, ","), "\n");
  detail::for_each_row(r, [&](const auto& cells, const std::string& level, std::int64_t sets, const auto& counts) {
    out << report::text(report::joined(cells, ","), ",", level, ",", sets, ",", report::joined(counts, ","), "\n");
  });
  for (const std::string& remark : detail::remarks_of(r)) { out << report::text("# ", remark, "\n"); }
}

/// Writes it as one JSON object.
inline void write_json(std::ostream& out, const result& r) {
  const experiment& e = r.designed;
  report::json_writer json{out};
  json.begin_object().member("format", "takt-sweep/1").member("study", r.name).member("title", e.title);
  json.key("parameters").begin_object();
  for (const parameter& p : r.used.all()) { json.member(p.name, p.value); }
  json.end_object().key("rows").begin_array();
  detail::for_each_row(r, [&](const auto& cells, const std::string& level, std::int64_t sets, const auto& counts) {
    json.begin_object();
    for (std::size_t k = 0; k < e.keys.size(); ++k) { json.member(e.keys[k], cells[k]); }
    json.key(e.level_name).literal(level).member("sets", sets);
    for (std::size_t c = 0; c < e.columns.size(); ++c) { json.key(e.columns[c]).literal(counts[c]); }
    json.end_object();
  });
  json.end_array();
  if (const auto remarks = detail::remarks_of(r); !remarks.empty()) {
    json.key("remarks").begin_array();
    for (const std::string& remark : remarks) { json.value(remark); }
    json.end_array();
  }
  json.end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::studies
