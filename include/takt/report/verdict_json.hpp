// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include <takt/report/json.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::report {

namespace detail {

inline void write_bound(json_writer& json, const response_bound<ticks>& bound) {
  if (bound.exists) {
    json.value(bound.value);
  } else {
    json.value(nullptr);
  }
}

inline void write_pool(json_writer& json, std::string_view name, std::int32_t count, const std::string& policy) {
  json.key(name).begin_object().member("count", count);
  if (!policy.empty()) { json.member("policy", policy); }
  json.end_object();
}

inline void write_platform(json_writer& json, const platform_record& platform, const rule_names& rules) {
  json.key("platform").begin_object();
  write_pool(json, "cpus", platform.cores, rules.cpus);
  write_pool(json, "copy_engines", platform.copy_engines, rules.copy_engines);
  json.key("gpus").begin_array();
  for (const gpu_record& gpu : platform.gpus) {
    json.begin_object().member("sms", gpu.sms).member("virtual_per_sm", gpu.virtual_per_sm);
    json.member("granularity", gpu.granularity);
    json.member("sharing", !rules.gpus.empty() ? rules.gpus : gpu.shared ? "shared" : "isolated");
    if (rules.gpus == "tokens") { json.member("tokens_per_gpu", gpu.tokens); }
    if (!gpu.speed.is_one()) {
      json.member("speed", std::to_string(gpu.speed.numerator) + "/" + std::to_string(gpu.speed.denominator));
    }
    json.end_object();
  }
  json.end_array().end_object();
}

inline void write_allocation(json_writer& json, const verdict_summary& v) {
  json.key("allocation").begin_object().key("sms").begin_object();
  for (const task_summary& t : v.tasks) {
    if (t.share.sms > 0) { json.member(t.name, t.share.sms); }
  }
  json.end_object();
  if (v.platform.gpus.size() > 1) {
    json.key("gpu").begin_object();
    for (const task_summary& t : v.tasks) {
      if (t.share.sms > 0) { json.member(t.name, t.share.gpu); }
    }
    json.end_object();
  }
  json.end_object();
}

inline void write_task(json_writer& json, const verdict_summary& v, const task_summary& t) {
  json.begin_object().member("name", t.name).member("deadline", t.deadline).key("response_bound");
  write_bound(json, t.bound);
  json.member("meets", t.meets).key("terms").begin_array();
  for (const term<ticks>& part : t.terms) {
    json.begin_object().member("what", name_of(part.what)).member("by", v.tasks[part.by].name);
    json.member("time", part.time).end_object();
  }
  json.end_array();
  if (!t.other_bounds.empty()) {
    json.key("bounds").begin_object();
    for (const auto& [name, bound] : t.other_bounds) {
      json.key(name);
      write_bound(json, bound);
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace detail

/// Writes a verdict as one `takt-verdict/1` object on a line. Times are nanoseconds.
inline void write_verdict_json(std::ostream& out, const verdict_summary& v) {
  json_writer json{out};
  json.begin_object().member("format", "takt-verdict/1").member("analysis", v.analysis);
  json.member("status", name_of(v.status));
  detail::write_platform(json, v.platform, v.rules);
  detail::write_allocation(json, v);
  json.key("tasks").begin_array();
  for (const task_summary& t : v.tasks) { detail::write_task(json, v, t); }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : v.notes) { json.value(note); }
  json.end_array().end_object().finish();
}

}  // namespace takt::report
