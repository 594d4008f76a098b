// SPDX-License-Identifier: Apache-2.0
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <takt/core/version.hpp>
#include <takt/report/json.hpp>

#include "results.hpp"

namespace takt::program::sweep {

namespace {

/// Calls `row(series, level, counts as text)` for each row.
template <class Row>
void for_each_row(const result& r, const Row& row) {
  const experiment& e = *r.designed;
  for (std::size_t s = 0; s < e.series.size(); ++s) {
    for (std::size_t l = 0; l < e.levels.size(); ++l) {
      std::vector<std::string> texts;
      for (const std::int64_t count : r.counts->counts(s, l)) {
        texts.push_back(e.measured == measure::sets ? fmt::format("{}", count) : thousandths_text(count));
      }
      row(e.series[s], thousandths_text(e.levels[l]), texts);
    }
  }
}

[[nodiscard]] auto remarks_of(const result& r) -> std::vector<std::string> {
  return r.designed->remarks ? r.designed->remarks(*r.counts) : std::vector<std::string>{};
}

}  // namespace

void write_csv(std::ostream& out, const result& r) {
  const experiment& e = *r.designed;
  fmt::print(out, "# takt {}.{}.{} sweep {}\n# {}\n", version_major, version_minor, version_patch, r.what->name,
             e.title);
  for (const parameter& p : r.with->all()) { fmt::print(out, "# {} = {} ({})\n", p.name, p.value, p.about); }
  fmt::print(out, "{},{},sets,{}\n", fmt::join(e.keys, ","), e.level_name, fmt::join(e.columns, ","));
  for_each_row(r, [&](const auto& cells, const std::string& level, const auto& counts) {
    fmt::print(out, "{},{},{},{}\n", fmt::join(cells, ","), level, e.sets, fmt::join(counts, ","));
  });
  for (const std::string& remark : remarks_of(r)) { fmt::print(out, "# {}\n", remark); }
}

void write_json(std::ostream& out, const result& r) {
  const experiment& e = *r.designed;
  report::json_writer json{out};
  json.begin_object().member("format", "takt-sweep/1").member("study", r.what->name).member("title", e.title);
  json.key("parameters").begin_object();
  for (const parameter& p : r.with->all()) { json.member(p.name, p.value); }
  json.end_object().key("rows").begin_array();
  for_each_row(r, [&](const auto& cells, const std::string& level, const auto& counts) {
    json.begin_object();
    for (std::size_t k = 0; k < e.keys.size(); ++k) { json.member(e.keys[k], cells[k]); }
    json.key(e.level_name).literal(level).member("sets", e.sets);
    for (std::size_t c = 0; c < e.columns.size(); ++c) { json.key(e.columns[c]).literal(counts[c]); }
    json.end_object();
  });
  json.end_array();
  if (const auto remarks = remarks_of(r); !remarks.empty()) {
    json.key("remarks").begin_array();
    for (const std::string& remark : remarks) { json.value(remark); }
    json.end_array();
  }
  json.end_object().finish();
}

}  // namespace takt::program::sweep
