// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include <takt/report/comparison_summary.hpp>
#include <takt/report/json.hpp>
#include <takt/report/verdict_json.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

template <class T>
void write_if_known(json_writer& json, std::string_view key, bool known, const T& value) {
  if (known) {
    json.member(key, value);
  } else {
    json.member(key, nullptr);
  }
}

inline void write_row(json_writer& json, const comparison_row& row) {
  json.begin_object().member("policy", row.policy).member("cpus", row.cpus);
  write_if_known(json, "status", row.status.has_value(), name_of(row.status.value_or(verdict_status::not_proven)));
  write_if_known(json, "analysis", !row.method.empty(), row.method);
  write_if_known(json, "slack_permille", row.slack_permille.has_value(), row.slack_permille.value_or(0));
  write_if_known(json, "factor_permille", row.factor_permille.has_value(), row.factor_permille.value_or(0));
  json.key("plan");
  row.plan.write(json);
  json.key("missing").begin_array();
  for (const missing_words& m : row.missing) {
    json.begin_object().member("at", m.at).member("fact", m.fact).end_object();
  }
  json.end_array();
  json.key("why").begin_array();
  for (const compared_miss& miss : row.misses) {
    json.begin_object().member("reason", name_of(miss.proof.reason));
    write_if_known(json, "task", !miss.task.empty(), miss.task);
    json.member("value", miss.proof.value).member("limit", miss.proof.limit).member("words", miss.clause).end_object();
  }
  json.end_array();
  if (!row.because.empty()) { json.member("because", row.because); }
  json.key("tasks").begin_array();
  for (const compared_task& t : row.tasks) {
    json.begin_object().member("name", t.name);
    write_time(json, "deadline", t.limited, t.deadline);
    write_time(json, "response_bound", t.bound.exists, t.bound.value);
    json.member("meets", t.meets).end_object();
  }
  json.end_array().end_object();
}

}  // namespace detail

/// Writes a comparison as one `takt-compare/1` object on a line, rows in the given order. Times are nanoseconds. A row
/// has the same members whether it was judged or not: what is unknown is null, but for `because`, a sentence that is
/// there where it is needed.
inline void write_comparison_json(std::ostream& out, const comparison_summary& c) {
  json_writer json{out};
  json.begin_object().member("format", "takt-compare/1").key("rows").begin_array();
  for (const comparison_row& row : c.rows) { detail::write_row(json, row); }
  json.end_array();
  detail::write_texts(json, "notes", c.notes);
  json.end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::report
