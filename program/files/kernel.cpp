// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include <takt/core/checked.hpp>
#include <takt/report/format_duration.hpp>

#include "limits.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string;
using std::string_view;

constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();

struct scaling_entry {
  ticks c100 = 0;
  std::int32_t fixed_permille = 0;
};
const table<scaling_entry> scaling_table{
    "a time that scales",
    {{"c100", &scaling_entry::c100, time_from(1), needed("the time with the whole GPU")},
     {"fixed_permille", &scaling_entry::fixed_permille, integer(0, 1000), always}}};

[[nodiscard]] auto read_measurement(const json_value& v) -> measured_share {
  if (!v.is(json_value::kind::array) || v.items.size() != 2) {
    throw input_error{v.where, "is no measurement", "[per cent, time]"};
  }
  return {share::bounded(static_cast<std::int32_t>(read_integer(v.items[0], 1, 100))), read_time_from(v.items[1], 1)};
}

struct share_row {
  auto operator()(const json_value& v) const -> wcet_row {
    if (v.is(json_value::kind::object)) {
      const auto row = object_of{scaling_table}(v);
      return wcet_row::scaling(row.c100, row.fixed_permille);
    }
    constexpr string_view allowed =
        "{\"c100\": time, \"fixed_permille\": n}, 100 times for 1 to 100 per cent, or a few [per cent, time]";
    const auto& list = require_array(v, allowed);
    if (list[0].is(json_value::kind::array)) {
      std::vector<measured_share> few;
      for (const json_value& pair : list) { few.push_back(read_measurement(pair)); }
      if (std::ranges::any_of(few, [](const measured_share& m) { return m.held == full_share; })) {
        return wcet_row::interpolated(few);
      }
      throw input_error{v.where, "says nothing about the whole GPU", "a measurement [100, time] among the others"};
    }
    if (list.size() != wcet_row::shares) {
      throw input_error{v.where, fmt::format("has {} times", list.size()), std::string(allowed)};
    }
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t i = 0; i < times.size(); ++i) { times[i] = read_time_from(list[i], 1); }
    return wcet_row::measured(times);
  }

  /// As the time of which a part scales, if it is one, else as all its times.
  [[nodiscard]] static auto print(const wcet_row& row) -> ordered_json {
    const ticks whole = row.at(full_share);
    for (std::int32_t fixed = 0; fixed <= 1000; ++fixed) {
      if (wcet_row::scaling(whole, fixed) == row) { return print_object({whole, fixed}, scaling_table); }
    }
    ordered_json times = ordered_json::array();
    for (std::int32_t percent = 1; percent <= 100; ++percent) { times.push_back(row.at(share::bounded(percent))); }
    return times;
  }
};

/// A kernel with what stands beside the table of visits.
struct kernel_entry : runtime_visit {
  std::vector<interval<ticks>> times;
  std::optional<wcet_row> by_share;
  const hardware* board = nullptr;
  string of{};  ///< its task, as messages name it
};

/// A key whose value is a fact: what is not known is not printed.
template <class Member, class C, class Reader>
[[nodiscard]] auto fact(string_view key, visit_fact f, Member C::* member, Reader reader) -> row<kernel_entry> {
  row<kernel_entry> out{key, member, reader};
  out.shown = [f](const kernel_entry& k) { return k.known.has(f); };
  out.read = [f, read = out.read](kernel_entry& k, const json_value& v) {
    read(k, v);
    k.known.add(f);
  };
  return out;
}

/// A time whose lower end no rule reads, so that none may be said that is neither 0 nor the upper one.
[[nodiscard]] auto read_single(const json_value& v, const kernel_entry& k) -> ticks {
  if (!v.is(json_value::kind::array) || v.items.size() != 2) { return read_time_from(v, 1); }
  const auto [lower, upper] = read_span(v);
  if (upper > 0 && (lower == 0 || lower == upper)) { return upper; }
  throw input_error{v.where,
                    fmt::format("{} says [{}, {}], and no rule reads a shortest \"{}\" of a kernel", k.of,
                                report::format_duration(lower), report::format_duration(upper), v.key),
                    fmt::format("a single time, such as {}", report::format_duration(std::max<ticks>(upper, 1)))};
}

/// The words of a fault behind those of a value.
[[nodiscard]] auto refused_with(const std::string& value, const json_value& v, model_fault fault) -> input_error {
  input_error out = refused_at(v.where, {.fault = fault, .task = 0});
  out.problem = fmt::format("{} {}", value, out.problem);
  return out;
}

[[nodiscard]] auto read_interleave(const json_value& v, kernel_entry& out) -> std::int64_t {
  const auto [numerator, denominator] = read_ratio(v);
  if (numerator < denominator) {
    throw refused_with(fmt::format("{}/{}", numerator, denominator), v, model_fault::interleave_below_one);
  }
  out.interleave_denominator = denominator;
  return numerator;
}

[[nodiscard]] auto read_threads(const json_value& v, const kernel_entry& k) -> std::int64_t {
  std::int32_t most = max_threads;
  for (const gpu_hardware& gpu : k.board->gpus) {
    if (gpu.threads_per_sm > 0) { most = std::min(most, gpu.threads_per_sm / gpu.warp_size * gpu.warp_size); }
  }
  return read_count(v, most);
}

[[nodiscard]] auto read_cost(const json_value& v, const kernel_entry& k) -> ticks {
  const ticks cost = read_time_from(v, 0);
  if (k.known.has(visit_fact::wcet) && cost > k.wcet) {
    throw refused_at(v.where, {.fault = model_fault::preemption_cost_exceeds_time,
                               .value = cost,
                               .limit = k.wcet,
                               .has_value = true,
                               .has_limit = true});
  }
  return cost;
}

struct width_word {
  auto operator()(const json_value& v) const -> kernel_width {
    return read_word(v, choices::kernel_width) == "one-core" ? kernel_width::one_core : kernel_width::all_cores;
  }
  [[nodiscard]] static auto print(kernel_width width) -> ordered_json {
    return needs_all_cores(width) ? "all-cores" : "one-core";
  }
};

[[nodiscard]] auto read_sm(const json_value& v, kernel_entry& k) -> std::int64_t {
  if (k.known.has(visit_fact::pinning) && needs_all_cores(k.width)) {
    throw input_error{v.where, "pins a kernel that needs all cores", "no core, or \"one-core\""};
  }
  if (k.board->gpus.empty() || k.board->gpus[0].sms == 0) {
    throw input_error{v.where, "names an SM of a GPU whose SMs are not known", "platform.gpus[0].sms, or no core"};
  }
  k.width = kernel_width::one_core;
  return read_integer(v, 0, k.board->gpus[0].sms - 1);
}

/// Of which GPU some count of SMs is, and which it is not.
void require_whole_sms(const json_value& v, std::int32_t sms, const kernel_entry& k) {
  std::int32_t most = 0;
  for (const gpu_hardware& gpu : k.board->gpus) { most = std::max(most, gpu.sms == 0 ? max_sms : gpu.sms); }
  if (sms > most) {
    throw input_error{v.where, fmt::format("is about {} SMs, and the GPU has {}", sms, most), "SMs that are there"};
  }
}

/// {"32": time, "64": time}: on so many physical SMs and on more, up to the next count.
[[nodiscard]] auto read_times_on_whole_sms(const json_value& v, kernel_entry& k) -> std::vector<interval<ticks>> {
  constexpr string_view allowed = R"(a number of SMs from 1, such as "32", and the time on them)";
  std::vector<std::pair<std::int32_t, interval<ticks>>> given;
  for (const json_value& item : v.items) {
    json_value count{.what = json_value::kind::integer, .text = item.key, .where = item.where};
    if (item.key.empty() || item.key[0] == '0' || item.key.find_first_not_of("0123456789") != string_view::npos) {
      throw input_error{item.where, fmt::format("\"{}\" is no number of SMs", one_line(item.key, 60)), string(allowed)};
    }
    given.emplace_back(read_count(count, max_sms), read_span(item));
    require_whole_sms(item, given.back().first, k);
  }
  if (given.empty()) { throw input_error{v.where, "is empty", string(allowed)}; }
  std::ranges::sort(given, {}, [](const auto& row) { return row.first; });
  k.on_whole_sms = true;
  std::vector<interval<ticks>> out;
  for (const auto& [sms, time] : given) {
    const auto before = out.empty() ? interval<ticks>{0, unbounded_time} : interval<ticks>{0, out.back().upper};
    out.resize(static_cast<std::size_t>(sms - 1), before);
    out.push_back(time);
  }
  return out;
}

/// The times on 1, 2, ... virtual SMs, or an object of those on some numbers of physical ones.
struct times_by_sms {
  static constexpr auto list = list_of{read_span, "the times on 1, 2, ... virtual SMs"};

  auto operator()(const json_value& v, kernel_entry& k) const -> std::vector<interval<ticks>> {
    if (v.is(json_value::kind::object)) { return read_times_on_whole_sms(v, k); }
    auto out = list(v);
    for (const gpu_hardware& gpu : k.board->gpus) {
      if (gpu.virtual_per_sm == 1 || out.size() != static_cast<std::size_t>(gpu.sms)) { continue; }
      throw input_error{
          v.where,
          fmt::format("has {} times, and the GPU has {} SMs x {} virtual: times on 1, 2, ... SMs, or on virtual SMs?",
                      out.size(), gpu.sms, gpu.virtual_per_sm),
          fmt::format("{{\"1\": time, \"2\": time, ...}} by SMs, or {} times by virtual SMs",
                      std::int64_t{gpu.sms} * gpu.virtual_per_sm)};
    }
    return out;
  }
  [[nodiscard]] static auto print(const std::vector<interval<ticks>>& times) -> ordered_json {
    return list.print(times);
  }
};

/// Where another time begins, or an exact one behind those that hold between two counts.
[[nodiscard]] auto print_times_on_whole_sms(const std::vector<interval<ticks>>& times) -> ordered_json {
  ordered_json out = ordered_json::object();
  interval<ticks> held{0, unbounded_time};
  for (std::size_t n = 0; n < times.size(); ++n) {
    if (times[n] != held || n + 1 == times.size()) { out[std::to_string(n + 1)] = written(times[n]); }
    held = {0, times[n].upper};
  }
  return out;
}

const table<kernel_entry> kernel_table{
    "a kernel",
    {fact("work", visit_fact::work, &runtime_visit::work, read_span),
     fact("overhead", visit_fact::overhead, &runtime_visit::overhead, time_from(0)),
     fact("interleave", visit_fact::interleave, &runtime_visit::interleave_numerator, read_interleave),
     fact("time_on", visit_fact::times_on_sms, &kernel_entry::times, times_by_sms{}),
     fact("blocks", visit_fact::grid, &runtime_visit::blocks, integer(1, largest)),
     fact("threads_per_block", visit_fact::grid, &runtime_visit::threads, read_threads),
     fact("length", visit_fact::block_length, &runtime_visit::block_length, read_single),
     fact("wcet", visit_fact::wcet, &runtime_visit::wcet, read_single),
     fact("preemption_cost", visit_fact::preemption_cost, &runtime_visit::preemption_cost, read_cost),
     fact("width", visit_fact::pinning, &runtime_visit::width, width_word{}),
     fact("core", visit_fact::pinning, &runtime_visit::sm, read_sm),
     fact("wcet_by_share", visit_fact::wcet_by_share, &kernel_entry::by_share, share_row{}),
     fact("state", visit_fact::state, &runtime_visit::state, integer(0, most_bytes)),
     fact("context", visit_fact::context, &runtime_visit::context, integer(0, largest)),
     fact("slice", visit_fact::slice, &runtime_visit::slice, time_from(1))}};

/// The work that SMs divide, and what they do not. A ratio that nobody has said is at least 1.
void require_consistent_work(const json_value& v, const runtime_visit& k) {
  if (!k.known.has(visit_fact::work)) { return; }
  const interleave_ratio ratio = ratio_on(1, k.interleave_numerator, k.interleave_denominator);
  ticks product = 0;
  if (!checked_multiply(k.work.upper, ratio.numerator, product)) {
    throw refused_with(fmt::format("{} x interleave", report::format_duration(k.work.upper)), *v.find("work"),
                       model_fault::time_overflow);
  }
  if (k.known.has(visit_fact::overhead) && k.overhead > ceil_divide<ticks>(product, ratio.denominator)) {
    throw refused_at(v.find("overhead")->where,
                     {.fault = model_fault::overhead_exceeds_work, .value = k.overhead, .has_value = true});
  }
}

void require_room(bool room, const json_value& v, string_view key, std::size_t most) {
  if (room) { return; }
  throw input_error{v.find(key)->where, "is more than this program holds", fmt::format("at most {} in all", most)};
}

}  // namespace

auto read_kernel(const json_value& v, workload_file& file) -> runtime_visit {
  kernel_entry k;
  k.where = resource_kind::gpu;
  k.board = &file.board;
  if (!file.tasks.tasks.empty()) { k.of = one_line(file.tasks.tasks.back().name, 60); }
  read_object(v, kernel_table, k);
  if (k.known.has(visit_fact::grid)) {
    (void)require(v, "blocks", "how many blocks a job has");
    (void)require(v, "threads_per_block", "threads of one block");
  }
  require_consistent_work(v, k);
  if (k.known.has(visit_fact::times_on_sms)) {
    k.first_sample = static_cast<std::uint32_t>(file.tasks.samples.size());
    k.samples = static_cast<std::uint32_t>(k.times.size());
    for (const auto& time : k.times) {
      require_room(file.tasks.samples.try_push_back(time), v, "time_on", max_file_visits);
    }
  }
  if (k.by_share) {
    k.row = static_cast<std::uint32_t>(file.tasks.rows.size());
    require_room(file.tasks.rows.try_push_back(*k.by_share), v, "wcet_by_share", max_file_rows);
  }
  const runtime_visit& visit = k;
  return visit;
}

auto print_kernel(const file_tasks& tasks, const runtime_visit& v) -> ordered_json {
  kernel_entry k{v, {}, {}, nullptr, {}};
  for (std::uint32_t i = 0; i < v.samples; ++i) { k.times.push_back(tasks.samples[v.first_sample + i]); }
  if (v.known.has(visit_fact::wcet_by_share)) { k.by_share = tasks.rows[v.row]; }
  ordered_json out = print_object(k, kernel_table);
  if (v.known.has(visit_fact::interleave)) {
    out["interleave"] = fmt::format("{}/{}", v.interleave_numerator, v.interleave_denominator);
  }
  if (v.on_whole_sms) { out["time_on"] = print_times_on_whole_sms(k.times); }
  if (v.sm == unassigned_core) { out.erase("core"); }
  return out;
}

auto kernel_keys() -> object_keys { return kernel_table.keys(); }
auto scaling_keys() -> object_keys { return scaling_table.keys(); }

}  // namespace takt::program
