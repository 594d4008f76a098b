// SPDX-License-Identifier: Apache-2.0
#include "wamp2s_system.hpp"

#include <string>

#include <takt/model/shares/margin.hpp>

namespace takt_vectors {
namespace {

/// Names that tables may keep views of.
[[nodiscard]] auto name_of(std::size_t application) -> const std::string& {
  static const auto names = [] {
    std::array<std::string, most_applications> out;
    for (std::size_t i = 0; i < out.size(); ++i) { out[i] = std::to_string(i); }
    return out;
  }();
  return names.at(application);
}

[[nodiscard]] auto row_in(const field& one) -> takt::wcet_row {
  if (one.contains("M")) { return measured_row_in(one.at("M")); }
  return takt::wcet_row::scaling(one.at("C100").get<takt::ticks>(), one.value("f", 0));
}

/// A part per million that a predictor takes: at least `least`.
[[nodiscard]] auto ppm_in(const field& holder, const std::string& name, std::int64_t least, std::int64_t otherwise)
    -> std::int64_t {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  const auto ppm = holder.value(name, otherwise);
  if (ppm < least || ppm >= limit) { holder.at(name).refuse("is out of range"); }
  return ppm;
}
/// The bias of a predictor, which makes no time 0 or less.
[[nodiscard]] auto error_in(const field& holder, std::int64_t otherwise) -> std::int64_t {
  return ppm_in(holder, "pred_err_ppm", 1 - takt::millionths, otherwise);
}

void read_contention(const field& rows, application_table& out) {
  if (rows.size() != 0 && rows.size() != out.size()) { rows.refuse("does not have a row for each application"); }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const field row = rows.at(i);
    if (row.size() != out.size()) { row.refuse("does not have a number for each application"); }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto ppm = row.at(k).get<std::uint32_t>();
      if (i == k && ppm != 0) { row.at(k).refuse("is a slow-down of an application by itself"); }
      out.contention.set(i, k, ppm);
    }
  }
}

}  // namespace

auto share_in(const field& percent) -> takt::share {
  const auto value = percent.get<std::int32_t>();
  if (value < 0 || value > takt::full_share.percent()) { percent.refuse("is no share"); }
  return takt::share::bounded(value);
}

auto measured_row_in(const field& times) -> takt::wcet_row {
  const auto row = times.get<std::array<takt::ticks, takt::wcet_row::shares>>();
  return takt::wcet_row::measured(row);
}

void read_system(const field& input, application_system& out) {
  const auto error_of_all = error_in(input, 0);
  const field apps = input.at("apps");
  for (std::size_t i = 0; i < apps.size(); ++i) {
    const field one = apps.at(i);
    apps.must_fit(i < most_applications, most_applications);
    const auto period = (one.contains("T") ? one.at("T") : one.at("D")).get<takt::ticks>();
    takt::share_task t{.name = name_of(i),
                       .period = period,
                       .deadline = one.value("D", period),
                       .priority = one.at("P").get<std::int32_t>(),
                       .alone = row_in(one)};
    if (one.contains("delta_init")) {
      t.request = share_in(one.at("delta_init"));
      if (!t.request) { one.at("delta_init").refuse("is no share of a job"); }
    }
    out.errors_ppm.at(i) = error_in(one, error_of_all);
    apps.must_fit(out.tasks.add(t), most_applications);
  }
  read_contention(input.list_or_empty("S"), out.tasks);
}

void pass_over_releases(const field& input) {
  for (const field one : input.at("apps")) {
    one.set_aside("offset");
    one.set_aside("releases");
  }
}

auto margin_in(const field& policy) -> std::int64_t { return ppm_in(policy, "margin_ppm", 0, 0); }

auto rules_in(const field& policy) -> takt::share_rules {
  auto out =
      policy.word("preset", takt::wamp2s_text,
                  {{"literal", takt::wamp2s_literal}, {"text", takt::wamp2s_text}, {"robust", takt::wamp2s_robust}});
  if (policy.contains("strict")) {
    out.fit = policy.at("strict").get<bool>() ? takt::sum_test::below : takt::sum_test::at_most;
  }
  out.slack =
      policy.word("elapsed", out.slack, {{"exec", takt::slack_clock::executed}, {"wall", takt::slack_clock::wall}});
  out.refused = policy.word("on_fail", out.refused,
                            {{"zero_rest", takt::refusal_rule::zero_rest}, {"skip", takt::refusal_rule::skip}});
  out.load = policy.word("load", out.load, {{"stale", takt::load_view::stale}, {"worst", takt::load_view::worst}});
  out.leftover = policy.word("leftover", out.leftover,
                             {{"floor", takt::leftover_rule::floor}, {"spread", takt::leftover_rule::spread}});
  return out;
}

auto triggers_in(const field& policy) -> takt::share_triggers {
  const auto theta = policy.value("theta", std::array<std::int64_t, 2>{7642, 10000});
  takt::share_triggers out{.threshold = {theta[0], theta[1]}};
  if (policy.value("wdc", false)) { out.decrease = takt::decrease_rule::keep; }
  if (policy.value("aetc", false)) { out.reuse = takt::late_reuse::slowdown; }
  return out;
}

}  // namespace takt_vectors
