// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/explanation.hpp>
#include <takt/report/json.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

inline void write_time(json_writer& json, std::string_view key, bool known, ticks time) {
  if (known) {
    json.member(key, time);
  } else {
    json.member(key, nullptr);
  }
}

inline void write_kept(json_writer& json, std::string_view key, const tree& kept) {
  if (kept.is_null()) { return; }
  json.key(key);
  kept.write(json);
}

inline void write_texts(json_writer& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) { json.value(text); }
  json.end_array();
}

/// Writes who a term is about: a visit where it names one, else a task.
inline void write_cause(json_writer& json, const verdict_summary& v, const term<ticks>& t) {
  if (t.visit < v.visits.size()) {
    json.member("by", v.visits[t.visit]);
  } else if (t.by < v.tasks.size()) {
    json.member("by", v.tasks[t.by].name);
  } else {
    json.member("by", nullptr);
  }
}

/// Writes what a visit takes and waits for, where it is known.
inline void write_parts_of_visit(json_writer& json, const verdict_summary& v, const task_summary& t,
                                 const term<ticks>& visit) {
  if (visit.what != term_kind::node) { return; }
  bool any = false;
  for (const term<ticks>& part : t.parts_of_visits) {
    if (part.visit != visit.visit) { continue; }
    if (!any) { json.key("parts").begin_array(); }
    any = true;
    json.begin_object().member("what", name_of(part.what));
    if (part.by < v.tasks.size()) {
      json.member("by", v.tasks[part.by].name);
    } else {
      json.member("by", nullptr);
    }
    json.member("time", part.time).end_object();
  }
  if (any) { json.end_array(); }
}

inline void write_task(json_writer& json, const verdict_summary& v, const task_summary& t) {
  json.begin_object().member("name", t.name);
  write_time(json, "deadline", t.limited, t.deadline);
  write_time(json, "response_bound", t.bound.exists, t.bound.value);
  json.member("meets", t.meets);
  if (!t.method.empty()) { json.member("method", t.method); }
  if (t.blocking > 0) { json.member("blocking", t.blocking); }
  json.key("terms").begin_array();
  for (const term<ticks>& part : t.terms) {
    json.begin_object().member("what", name_of(part.what));
    write_cause(json, v, part);
    json.member("time", part.time);
    write_parts_of_visit(json, v, t, part);
    json.end_object();
  }
  json.end_array();
  for (const auto& [name, part] : t.parts.members()) { write_kept(json, name, part); }
  if (!t.other_bounds.empty()) {
    json.key("bounds").begin_object();
    for (const auto& [name, bound] : t.other_bounds) { write_time(json, name, bound.exists, bound.value); }
    json.end_object();
  }
  json.end_object();
}

}  // namespace detail

/// Writes a verdict as one `takt-verdict/1` object on a line. Times are nanoseconds.
inline void write_verdict_json(std::ostream& out, const verdict_summary& v) {
  json_writer json{out};
  json.begin_object().member("format", "takt-verdict/1").member("analysis", v.method);
  json.member("status", name_of(v.status));
  detail::write_kept(json, "platform", v.platform);
  detail::write_kept(json, "allocation", v.allocation);
  detail::write_kept(json, "plan", v.plan);
  json.key("tasks").begin_array();
  for (const task_summary& t : v.tasks) { detail::write_task(json, v, t); }
  json.end_array();
  detail::write_kept(json, "tests", v.tests);
  detail::write_texts(json, "assumptions", v.assumptions);
  std::vector<std::string> notes = reasons_of(v);
  notes.insert(notes.end(), v.notes.begin(), v.notes.end());
  detail::write_texts(json, "notes", notes);
  json.end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::report
