// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

constexpr std::size_t max_tasks = 64;
constexpr std::size_t max_segments = 1024;
constexpr std::size_t max_samples = 8192;

template <class Number>
using table_of = takt::task_table<Number, max_tasks, max_segments, max_samples>;
using plan = takt::plan<max_tasks>;

template <class Number>
[[nodiscard]] auto scaled(const field& time, std::int64_t scale) -> Number {
  std::int64_t out = 0;
  if (!takt::checked_multiply(time.get<std::int64_t>(), scale, out)) { time.refuse("is too great for finer ticks"); }
  return Number(out);
}
template <class Number>
[[nodiscard]] auto scaled_interval(const field& pair, std::int64_t scale) -> takt::interval<Number> {
  return {scaled<Number>(pair.at(0), scale), scaled<Number>(pair.at(1), scale)};
}

/// Copies around each kernel of a task.
[[nodiscard]] auto copies_per_kernel(const field& input) -> int {
  return input.word("copy_model", 2, {{"two", 2}, {"one", 1}, {"none", 0}});
}

/// Chain of a task with m CPU segments and so many copies around each of its m - 1 kernels.
template <class Number>
void add_chain(table_of<Number>& table, const field& task, int copies, std::int64_t scale) {
  using segment = takt::segment_record<Number>;
  const field cpu = task.at("cpu");
  const field copy = task.at("copy");
  const field gpu = task.at("gpu");
  std::size_t next_copy = 0;
  const auto add = [&](const segment& s) { task.must_fit(table.add_segment(s), max_segments); };
  const auto add_copy = [&] {
    add({.where = takt::stage::copy, .time = scaled_interval<Number>(copy.at(next_copy++), scale)});
  };
  for (std::size_t j = 0; j < cpu.size(); ++j) {
    add({.where = takt::stage::cpu, .time = scaled_interval<Number>(cpu.at(j), scale)});
    if (j + 1 == cpu.size()) { break; }
    if (copies > 0) { add_copy(); }
    const field kernel = gpu.at(j);
    const auto alpha = kernel.at("alpha").get<std::array<std::int64_t, 2>>();
    add({.where = takt::stage::kernel,
         .time = scaled_interval<Number>(kernel.at("work"), scale),
         .overhead = scaled<Number>(kernel.at("overhead"), scale),
         .interleave_numerator = alpha[0],
         .interleave_denominator = alpha[1]});
    if (copies > 1) { add_copy(); }
  }
}

template <class Number>
[[nodiscard]] auto read_table(const field& input, std::int64_t scale) -> table_of<Number> {
  table_of<Number> table;
  const int copies = copies_per_kernel(input);
  const field tasks = input.at("tasks");
  for (const field task : tasks) {
    tasks.must_fit(
        table.add_task(task.at("name").text(), scaled<Number>(task.at("period"), scale),
                       scaled<Number>(task.at("deadline"), scale), task.value("priority", takt::no_priority)),
        max_tasks);
    add_chain(table, task, copies, scale);
  }
  takt::prioritize(table);
  return table;
}

[[nodiscard]] auto read_platform(const field& input) -> takt::platform_record {
  const field p = input.at("platform");
  takt::platform_record out{.cores = 1, .copy_engines = 1, .gpus = {}};
  p.must_fit(out.gpus.try_push_back({.sms = p.at("physical_sms").get<std::int32_t>(),
                                     .virtual_per_sm = p.value("virtual_per_sm", 2),
                                     .granularity = 1,
                                     .shared = p.word("sharing", false, {{"isolated", false}, {"shared", true}})}),
             out.gpus.capacity());
  return out;
}

[[nodiscard]] auto shares_of(const plan& p) -> json {
  json list = json::array();
  for (const auto& share : p.shares) { list.push_back(share.sms); }
  return list;
}

template <class Number>
[[nodiscard]] auto value_of(const takt::fixed_point<Number>& f) -> json {
  return f.exists() ? to_json(f.value) : json{};
}
template <class Number>
[[nodiscard]] auto value_of(const takt::response_bound<Number>& b) -> json {
  return b.exists ? to_json(b.value) : json{};
}

template <class Table>
[[nodiscard]] auto entry_of(const takt::analysis::rtgpu<Table>& a, std::size_t k) -> json {
  const auto& b = a.bounds(k);
  json gr = json::array();
  json mr = json::array();
  json cr = json::array();
  for (std::size_t j = 0; j < a.table().tasks[k].segment_count; ++j) {
    switch (a.table().segment(k, j).where) {
      case takt::stage::cpu: cr.push_back(value_of(a.segment_response(k, j))); break;
      case takt::stage::copy: mr.push_back(value_of(a.segment_response(k, j))); break;
      case takt::stage::kernel:
        gr.push_back({to_json(a.segment_time(k, j).lower), to_json(a.segment_time(k, j).upper)});
        break;
    }
  }
  return {{"gr", gr},
          {"B", to_json(a.blocking(k))},
          {"mr", mr},
          {"cr", cr},
          {"R1", value_of(b.segmentwise)},
          {"R2", value_of(b.cpu_joint)},
          {"R3", value_of(b.all_joint)},
          {"R4", value_of(b.copy_joint)},
          {"R", value_of(b.best)},
          {"ok", a.meets(k)}};
}

template <class Table>
[[nodiscard]] auto entry_of(const takt::analysis::self_suspension<Table>& a, std::size_t k) -> json {
  json xr = json::array();
  json cr = json::array();
  for (std::size_t j = 0; j < a.chains().count(k); ++j) {
    const auto& e = a.chains().elements()[a.table().tasks[k].first_segment + j];
    (e.resource == 0 ? cr : xr).push_back(value_of(a.element_response(k, j)));
  }
  return {{"xr", xr},
          {"cr", cr},
          {"R1", value_of(a.bounds(k).segmentwise)},
          {"R2", value_of(a.bounds(k).cpu_joint)},
          {"R", value_of(a.bound(k))},
          {"ok", a.meets(k)},
          {"Bx", to_json(a.blocking(k))}};
}

template <class Table>
[[nodiscard]] auto entry_of(const takt::analysis::busy_waiting_rta<Table>& a, std::size_t k) -> json {
  return {{"E", to_json(a.claim(k))}, {"B", to_json(a.blocking(k))}, {"R", value_of(a.bound(k))}, {"ok", a.meets(k)}};
}

template <class Table>
[[nodiscard]] auto entry_of(const takt::analysis::enhanced_mpcp<Table>& a, std::size_t k) -> json {
  return {{"R", value_of(a.bound(k))}, {"ok", a.meets(k)}, {"Brd", value_of(a.request_driven_blocking(k))}};
}

template <class A>
[[nodiscard]] auto report(A a, const plan& p) -> json {
  const std::size_t passed = takt::analysis::evaluate_all(a, p);
  const std::size_t size = a.table().size();
  json tasks(size, json{});
  for (std::size_t k = 0; k < size && k <= passed; ++k) { tasks[a.table().tasks[k].id] = entry_of(a, k); }
  return {{"schedulable", passed == size}, {"tasks", tasks}};
}

template <class A>
[[nodiscard]] auto found(A a, takt::search_method method) -> json {
  const auto result = takt::search_plan(a, method);
  return result.feasible ? shares_of(result) : json{};
}

template <class Number>
class rtgpu_case {
 public:
  rtgpu_case(const field& input, std::int64_t scale = 1)
      : input_{input}, table_{read_table<Number>(input, scale)}, platform_{read_platform(input)} {}

  rtgpu_case(const field& input, table_of<Number> table)
      : input_{input}, table_{std::move(table)}, platform_{read_platform(input)} {}

  [[nodiscard]] auto published() const { return takt::analysis::rtgpu(table_, platform_); }
  [[nodiscard]] auto sharper() const { return takt::analysis::rtgpu(table_, platform_, takt::analysis::rtgpu_sharper); }

  [[nodiscard]] auto plan_to_report() const -> plan {
    plan p;
    if (input_.contains("allocation")) {
      const field given = input_.at("allocation");
      if (given.size() != table_.size()) { given.refuse("does not have a share for each task"); }
      for (const field sms : given) { given.must_fit(p.shares.try_push_back({0, sms.get<std::int32_t>()}), max_tasks); }
      return p;
    }
    auto a = published();
    p.shares = takt::search_plan(a, takt::exact_search).shares;
    return p;
  }

  [[nodiscard]] auto bounds(const plan& p) const -> json {
    return {{"rtgpu", report(published(), p)},
            {"self_suspension", report(takt::analysis::self_suspension(table_, platform_), p)},
            {"stgm", report(takt::analysis::busy_waiting_rta(table_, platform_), p)},
            {"enhanced_mpcp", report(takt::analysis::enhanced_mpcp(table_, platform_), p)}};
  }

  [[nodiscard]] auto everything() const -> json {
    const plan p = plan_to_report();
    json out = bounds(p);
    json order = json::array();
    for (const auto& t : table_.tasks) { order.push_back(std::string{t.name}); }
    out["priority_order"] = order;
    out["budget"] = platform_.gpus[0].budget();
    out["allocation"] = shares_of(p);
    out["grid_allocation"] = found(published(), takt::exhaustive_search);
    if (out["grid_allocation"] != found(published(), takt::exact_search)) {
      out["grid_allocation"] = "searches differ";
    }
    out["greedy_allocation"] = found(published(), takt::greedy_search);
    if constexpr (takt::number_traits<Number>::integral) {
      out["improved"] = report(sharper(), p);
      out["improved_grid_allocation"] = found(sharper(), takt::exact_search);
      out["improved_greedy_allocation"] = found(sharper(), takt::greedy_search);
    }
    return out;
  }

 private:
  field input_;
  table_of<Number> table_;
  takt::platform_record platform_;
};

/// Complains about a rounded bound below the exact one, or further above it than `slack` ticks. `factor` is how much
/// longer a tick of the exact value is. Lower bounds, the first members of the pairs in `gr`, round the other way.
[[nodiscard]] auto rounding_complaint(const json& exact_values, const json& rounded, const exact& factor,
                                      const exact& slack, const std::string& path, bool lower)
    -> std::optional<std::string> {
  if (exact_values.is_structured() && rounded.is_structured()) {
    for (const auto& [key, value] : exact_values.items()) {
      const bool pair = exact_values.is_array() && exact_values.size() == 2 &&
                        path.ends_with("gr/" + path.substr(path.rfind('/') + 1));
      const json& other = rounded.is_array() ? rounded.at(std::stoul(key)) : rounded.at(key);
      if (auto c = rounding_complaint(value, other, factor, slack, path + "/" + key, pair && key == "0")) { return c; }
    }
    return std::nullopt;
  }
  const auto a = exact_value(exact_values);
  const auto b = exact_value(rounded);
  if (!a || !b) { return std::nullopt; }
  const exact excess = lower ? exact(*a * factor - *b) : exact(*b - *a * factor);
  if (excess >= 0 && excess <= slack) { return std::nullopt; }
  return path + ": " + rounded.dump() + " ticks round " + exact_values.dump() + " times " + factor.str() + " badly";
}

[[nodiscard]] auto same_verdicts(const json& a, const json& b) -> bool {
  for (const auto& [name, result] : a.items()) {
    for (std::size_t i = 0; i < result.at("tasks").size(); ++i) {
      const json& x = result.at("tasks")[i];
      const json& y = b.at(name).at("tasks")[i];
      if (x.is_null() != y.is_null() || (!x.is_null() && x.at("ok") != y.at("ok"))) { return false; }
    }
  }
  return true;
}

/// The table in rationals, but with each kernel's times rounded to whole ticks.
[[nodiscard]] auto with_rounded_kernels(const field& input, std::int64_t scale) -> table_of<exact> {
  const auto whole = read_table<takt::ticks>(input, scale);
  auto table = read_table<exact>(input, scale);
  const takt::gpu_record gpu = read_platform(input).gpus[0];
  for (std::size_t j = 0; j < table.segments.size(); ++j) {
    auto& s = table.segments[j];
    if (s.where != takt::stage::kernel) { continue; }
    s.first_sample = static_cast<std::uint32_t>(table.samples.size());
    for (std::int32_t n = 1; n <= gpu.virtual_sms(gpu.budget()); ++n) {
      takt::interval<takt::ticks> time;
      if (!whole.kernel_bounds(whole.segments[j], {.virtual_sms = n}, time) ||
          !table.samples.try_push_back({time.lower, time.upper})) {
        throw std::length_error("too many SMs for this runner");
      }
      ++s.samples;
    }
  }
  return table;
}

/// Integer ticks against exact rationals, on the given times and on a million times as fine ticks.
///
/// A response is not a continuous function of kernel times: where a burst of interference begins exactly when a
/// segment would end, one tick less in a gap adds the whole burst. Such a difference is none of rounding inside the
/// analysis; it is told from one by rationals that start from the rounded kernel times and must agree exactly.
[[nodiscard]] auto rounding_complaint(const field& input) -> std::optional<std::string> {
  constexpr std::int64_t million = 1'000'000;
  const rtgpu_case<exact> precise{input};
  const plan p = precise.plan_to_report();
  const json reference = precise.bounds(p);
  const json coarse = rtgpu_case<takt::ticks>{input}.bounds(p);
  const json fine = rtgpu_case<takt::ticks>{input, million}.bounds(p);
  if (same_verdicts(reference, coarse)) {
    if (auto c = rounding_complaint(reference, coarse, 1, exact(INT64_MAX), "ticks", false)) { return c; }
  }
  if (!same_verdicts(reference, fine)) { return std::nullopt; }
  const auto far = rounding_complaint(reference, fine, million, 1000, "fine ticks", false);
  if (!far) { return std::nullopt; }
  const rtgpu_case<exact> tied{input, with_rounded_kernels(input, million)};
  return first_difference(tied.bounds(p), fine, {}) ? far : std::nullopt;
}

[[nodiscard]] auto analysis(const field& input) -> answer {
  const bool rational = input.word("rounding", false, {{"integer", false}, {"exact", true}});
  return {rational ? rtgpu_case<exact>{input}.everything() : rtgpu_case<takt::ticks>{input}.everything(),
          rounding_complaint(input)};
}

}  // namespace

void add_rtgpu(suite& kinds) { kinds["analysis"] = analysis; }

}  // namespace takt_vectors
