// SPDX-License-Identifier: Apache-2.0
#include "accelerator_words.hpp"

#include <utility>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>

namespace takt::program {

namespace {

using report::format_duration;

[[nodiscard]] auto cost_name(preemption_cost_model m) -> std::string_view {
  return m == preemption_cost_model::ideal ? "ideal" : m == preemption_cost_model::race ? "race" : "overhead";
}

[[nodiscard]] auto order_name(gang_order o) -> std::string_view {
  return o == gang_order::strict ? "strict" : "backfill";
}

[[nodiscard]] auto slot_text(duration offset, duration budget, duration period) -> std::string {
  return fmt::format("[{}, {}) of every {}", format_duration(offset.count()),
                     format_duration((offset + budget).count()), format_duration(period.count()));
}

[[nodiscard]] auto where_text(const accelerator_part<ticks>& part, const accelerator_judgement& v) -> std::string {
  if (part.core != any_core) { return fmt::format("SM {}", part.core); }
  return v.parts.size() > 1 ? "all SMs" : "the accelerator";
}

/// What a part of the verdict says, in words; empty where its tasks say it with bounds of their own.
[[nodiscard]] auto reason_text(const accelerator_part<ticks>& part, const accelerator_judgement& v) -> std::string {
  const auto& t = part.test;
  const std::string where = where_text(part, v);
  switch (t.reason) {
    case analysis::edf_reason::none:
      return t.has_point ? fmt::format("{}: every window has room; the tightest, of {}, has {} left.", where,
                                       format_duration(t.at), format_duration(t.slack))
                         : std::string{};
    case analysis::edf_reason::demand_exceeds_supply:
      return fmt::format("{}: in a window of {} there can be {} more to do than fits.", where, format_duration(t.at),
                         format_duration(-t.slack));
    case analysis::edf_reason::load_exceeds_supply:
      return fmt::format("{}: in the long run the kernels can ask for more time than they get.", where);
    case analysis::edf_reason::job_exceeds_deadline:
      return fmt::format("{}: a kernel alone takes longer than its deadline.", where);
    case analysis::edf_reason::starved_job: return fmt::format("{}: a job can lie wholly outside the slot.", where);
    case analysis::edf_reason::guard_fills_slot:
      return fmt::format("{}: the longest wave does not fit into the slot.", where);
    case analysis::edf_reason::not_applicable:
      return fmt::format(
          "{}: no test is known for pinned and other kernels together that stop only at the end of a "
          "wave.",
          where);
    case analysis::edf_reason::too_many_chunks: return fmt::format("{}: too many chunks.", where);
    case analysis::edf_reason::too_many_windows: return fmt::format("{}: too many windows to compare.", where);
  }
  return {};
}

void write_slot(report::json_writer& json, std::string_view name, duration offset, duration budget) {
  json.key(name).begin_object().member("offset", offset.count()).member("budget", budget.count()).end_object();
}

}  // namespace

auto platform_text(const accelerator_file& file) -> std::string {
  const auto& r = file.rule;
  std::string out = fmt::format("accelerator with {} SM{} ({}, {}", file.accelerator.cores,
                                file.accelerator.cores == 1 ? "" : "s", r.sharing, r.policy);
  if (r.sharing == "levels") {
    out += fmt::format(", {} preemption levels, {} costs", file.accelerator.preemption_levels, cost_name(r.cost));
  } else if (r.sharing == "gang") {
    out += fmt::format(", {}", order_name(r.order));
  } else if (r.sharing == "slots") {
    out +=
        fmt::format(", pinned kernels in {}, others in {}", slot_text(r.pinned.offset, r.pinned.budget, r.slot_period),
                    slot_text(r.gang.offset, r.gang.budget, r.slot_period));
  }
  return out + ")";
}

auto findings_of(const accelerator_judgement& v) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const auto& part : v.parts) {
    if (auto text = reason_text(part, v); !text.empty()) { out.push_back(std::move(text)); }
  }
  return out;
}

void write_platform(report::json_writer& json, const accelerator_file& file) {
  const auto& r = file.rule;
  json.key("platform").begin_object().key("gpus").begin_array().begin_object();
  json.member("sms", file.accelerator.cores).member("sharing", r.sharing).member("policy", r.policy);
  json.member("preemption_levels", file.accelerator.preemption_levels);
  if (r.sharing == "levels") { json.member("cost_model", cost_name(r.cost)); }
  if (r.sharing == "gang") { json.member("order", order_name(r.order)); }
  if (r.sharing == "slots") {
    json.key("slots").begin_object().member("period", r.slot_period.count());
    write_slot(json, "pinned", r.pinned.offset, r.pinned.budget);
    write_slot(json, "gang", r.gang.offset, r.gang.budget);
    json.end_object();
  }
  json.end_object().end_array().end_object();
  json.key("allocation").begin_object().key("core").begin_object();
  for (const auto& t : file.table.tasks) {
    if (t.core != any_core) { json.member(t.name, t.core); }
  }
  json.end_object().end_object();
}

void write_tests(report::json_writer& json, const accelerator_judgement& v) {
  json.key("tests").begin_array();
  for (const auto& part : v.parts) {
    json.begin_object().key("core");
    if (part.core == any_core) {
      json.value(nullptr);
    } else {
      json.value(part.core);
    }
    json.member("passes", part.test.schedulable());
    if (part.test.reason != analysis::edf_reason::none) { json.member("reason", name_of(part.test.reason)); }
    if (part.test.has_point) { json.member("window", part.test.at).member("slack", part.test.slack); }
    json.end_object();
  }
  json.end_array();
}

}  // namespace takt::program
