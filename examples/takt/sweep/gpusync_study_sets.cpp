// SPDX-License-Identifier: Apache-2.0
#include "gpusync_study_sets.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/allocation/locked_gpus/partition.hpp>
#include <takt/analysis/known/locked_gpus/analysis.hpp>
#include <takt/analysis/known/locked_gpus/as_published.hpp>
#include <takt/model/locked_gpus/study.hpp>

#include "../failure.hpp"
#include "../fields.hpp"

namespace takt::program::old_sweep {

namespace {

namespace an = analysis::gpusync;

constexpr std::int64_t most_levels = 100'001;
constexpr std::int64_t most_sets = 20'000;

/// Most sets are small, and what they cost grows with the room for them.
constexpr std::size_t few_tasks = 64;

template <std::size_t Room, class Rules>
[[nodiscard]] auto accepted_with(const study_board& board, const an::options<ticks>& o, const study_tasks& tasks)
    -> bool {
  gpusync_table<ticks, Room, 1> placed;
  for (const auto& t : tasks.tasks) { (void)placed.add(t); }
  if (!partition_gpusync<Rules>(board, placed, o).placed()) {
    throw environment_error{"a task set of this study cannot be placed: this is a fault of takt, please report it"};
  }
  return an::analyze_set<Rules>(board, placed, o).schedulable();
}

template <class Rules>
[[nodiscard]] auto accepted_by(const study_board& board, const an::options<ticks>& o, const study_tasks& tasks)
    -> bool {
  return tasks.size() <= few_tasks ? accepted_with<few_tasks, Rules>(board, o, tasks)
                                   : accepted_with<most_study_tasks, Rules>(board, o, tasks);
}

/// The one value of a parameter, as its position in a list of names. Throws `input_error`.
[[nodiscard]] auto choice(const settings& s, std::string_view name, std::span<const std::string_view> names)
    -> std::size_t {
  const auto chosen = choices(s, name, names);
  if (chosen.size() != 1) {
    throw input_error{std::string{name}, "has several values", fmt::format("one of {}", fmt::join(names, ","))};
  }
  return chosen.front();
}

}  // namespace

auto stopping_rule::enough(std::int64_t sets, std::int64_t accepted) const -> bool {
  if (sets >= most) { return true; }
  if (sets < least || most % sets != 0) { return false; }
  // 1.96^2 a (n - a) / n^3 <= (w / 2000)^2, the normal approximation.
  return 15'366'400 * accepted * (sets - accepted) <= interval_permille * interval_permille * sets * sets * sets;
}

void draw(const generation::studied_group& g, std::size_t group, std::int64_t utilization, std::uint64_t seed,
          std::int64_t index, study_tasks& out) {
  const auto number = (static_cast<std::int64_t>(group) * most_levels + utilization) * most_sets + index;
  if (generation::generate(generation::options_of(g, utilization), seed, static_cast<std::uint64_t>(number), out) !=
      model_fault::none) {
    throw environment_error{"a task set of this study cannot be drawn: this is a fault of takt, please report it"};
  }
}

auto accepts(const study_board& board, const judgement& by, const study_tasks& tasks) -> bool {
  an::options<ticks> o;
  o.interrupting_engines = by.interrupting_engines;
  o.queues = by.queues;
  return by.rules == analysis_rules::sound ? accepted_by<an::sound_rules>(board, o, tasks)
                                           : accepted_by<an::as_published::rules>(board, o, tasks);
}

auto choices(const settings& s, std::string_view name, std::span<const std::string_view> names)
    -> std::vector<std::size_t> {
  const auto found = std::ranges::find(s.all(), name, &parameter::name);
  std::vector<std::size_t> out;
  std::string_view rest = found->value;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    const auto at = std::ranges::find(names, one);
    if (at == names.end()) {
      throw input_error{std::string{name}, fmt::format("\"{}\" is no value of it", one),
                        fmt::format("some of {}", fmt::join(names, ","))};
    }
    out.push_back(static_cast<std::size_t>(at - names.begin()));
    more = comma != std::string_view::npos;
    if (more) { rest.remove_prefix(comma + 1); }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

auto judgement::shape(std::size_t i) const -> gpusync_configuration {
  gpusync_configuration out = studied_configurations[i].value;
  out.uncontended = uncontended;
  return out;
}

auto judgement_of(const settings& s) -> judgement {
  constexpr std::array<std::string_view, 2> rules{"sound", "printed"};
  constexpr std::array<std::string_view, 3> limits{"cpus", "users", "all-cpus"};
  constexpr std::array<std::string_view, 2> uncontended{"shared", "dedicated"};
  return {.rules = choice(s, "rules", rules) == 0 ? analysis_rules::sound : analysis_rules::printed,
          .interrupting_engines = static_cast<std::int32_t>(s.number("interrupting", 0, 3)),
          .queues = static_cast<an::token_queue_limit>(choice(s, "queues", limits)),
          .uncontended =
              choice(s, "uncontended", uncontended) == 0 ? uncontended_gpus::shared : uncontended_gpus::dedicated};
}

auto judgement_parameters() -> std::vector<parameter> {
  return {
      {"rules", "sound", "of the analysis: sound or printed"},
      {"interrupting", "0", "engines of a GPU whose interrupts delay a section; 0: all, 1: only its own, unsound"},
      {"queues", "all-cpus", "limit of token queues: cpus or users per token, or all-cpus where clusters share GPUs"},
      {"uncontended", "dedicated", "GPUs of no more tasks than GPUs: dedicated to a task each, or shared"},
      {"copy-percent", "100", "of the copy times in the tables"}};
}

auto copy_percent_of(const settings& s) -> std::int64_t { return s.number("copy-percent", 1, 1000); }

}  // namespace takt::program::old_sweep
