// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <takt/report/explanation.hpp>
#include <takt/report/json.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Writes the lines of a text, without their indentation.
inline void write_lines(json_writer& json, std::string_view text) {
  json.begin_array();
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) { json.value(line); }
  }
  json.end_array();
}

inline void write_explained_task(json_writer& json, const verdict_summary& v, std::size_t task) {
  json.begin_object().member("name", v.tasks[task].name).member("meets", v.tasks[task].meets);
  json.key("sentences");
  write_lines(json, explain_task(v, task));
  json.end_object();
}

}  // namespace detail

/// Writes why the verdict is what it is as one `takt-explanation/1` object on a line: of all tasks from the highest
/// priority down, or of one. Pre: `task` is a position in `v.tasks`, or `no_index`.
inline void write_explanation_json(std::ostream& out, const verdict_summary& v, std::size_t task = no_index) {
  TAKT_EXPECTS(task == no_index || task < v.tasks.size());
  json_writer json{out};
  json.begin_object().member("format", "takt-explanation/1").member("analysis", v.method);
  json.member("status", name_of(v.status)).member("headline", detail::headline(v));
  detail::write_texts(json, "reasons", reasons_of(v));
  json.key("tasks").begin_array();
  if (task != no_index) { detail::write_explained_task(json, v, task); }
  for (const std::uint32_t i : v.order) {
    if (task == no_index) { detail::write_explained_task(json, v, i); }
  }
  json.end_array();
  detail::write_texts(json, "notes", v.notes);
  json.end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::report
