// SPDX-License-Identifier: Apache-2.0
#include "file_judge.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/allocation/synthesis/chain_offsets.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>

#include "../fields.hpp"
#include "../files/each_task.hpp"
#include "../files/limits.hpp"
#include "../large_stack.hpp"

namespace takt::program {

namespace {

using std::string_view;

/// Of a search for SMs within one mapping, of which there are many.
constexpr std::uint64_t most_evaluations = 20'000;
/// Choices of release offsets that are looked at for a mapping.
constexpr std::uint64_t most_offsets = 400;

[[nodiscard]] auto is_implicit(string_view semantics) -> bool { return semantics != name_of(communication::let); }

/// Whether tasks with devices are proven by rules of pools alone, none of which lends priorities.
template <SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto is_proven_by_pools(const P& /*policy*/, const CpuRule& /*rule*/) -> bool {
  using known = known_under<P, CpuRule, published_judges>;
  using gpu_rule = typename decltype(std::declval<const P&>().gpu_pool(gpu_hardware{}, CpuRule{}))::rule_type;
  if constexpr (Locked<gpu_rule>) { return false; }
  return !is_covered<P, CpuRule, published_judges> || requires { requires AcceleratorRule<typename known::method>; };
}

/// What is promised of cores without devices. Published methods of chains may prove tasks where pools do not, with
/// bounds of their own.
[[nodiscard]] auto service_under(const rule_wishes& rules, bool has_devices) -> core_service {
  core_service out{};
  const auto ask = [&](const auto& rule) {
    if (cpu_keyword<std::remove_cvref_t<decltype(rule)>> != rules.cpus) { return; }
    out = core_service_of(rule);
    if (!has_devices) { return; }
    if (rules.policy.empty()) { out = core_service::unknown; }
    (void)with_policy(published_policies, rules.policy, [&](const auto& policy) {
      if (!is_proven_by_pools(policy, rule)) { out = core_service::unknown; }
    });
  };
  ask(fixed_priority);
  ask(nonpreemptive(fixed_priority));
  return out;
}

[[nodiscard]] auto member(json_value& object, string_view key) -> json_value* {
  const auto found = std::ranges::find(object.items, key, &json_value::key);
  return found == object.items.end() ? nullptr : &*found;
}
void remove_member(json_value& object, string_view key) {
  std::erase_if(object.items, [key](const json_value& v) { return v.key == key; });
}
void set_member(json_value& object, string_view key, json_value::kind what, std::string text) {
  remove_member(object, key);
  object.items.push_back(
      {.what = what, .text = std::move(text), .key = std::string{key}, .where = step_into(object.where, key)});
}
void set_number(json_value& object, string_view key, std::int64_t n) {
  set_member(object, key, json_value::kind::integer, std::to_string(n));
}

[[nodiscard]] auto same(const file_mapping& a, const file_mapping& b) -> bool {
  return a.rules == b.rules && std::ranges::equal(a.tasks, b.tasks, [](const auto& x, const auto& y) {
           return x.body == y.body && x.core == y.core && x.rank == y.rank;
         });
}

/// The core of each task that names one, itself or in the plan.
[[nodiscard]] auto named_cores(const json_value& document) -> std::vector<std::optional<std::int32_t>> {
  const auto* const plan = document.find("plan");
  const auto* const planned = plan == nullptr ? nullptr : plan->find("cores");
  std::vector<std::optional<std::int32_t>> out;
  for_each_task(document, [&](const json_value& task) {
    const auto* core = task.find("core");
    const auto* const name = task.find("name");
    if (core == nullptr && planned != nullptr && name != nullptr) { core = planned->find(name->text); }
    auto& named = out.emplace_back();
    if (core != nullptr) { named = static_cast<std::int32_t>(read_integer(*core, 0, max_cores - 1)); }
  });
  return out;
}

[[nodiscard]] auto has_whole_order(const json_value& document) -> bool {
  const auto* const plan = document.find("plan");
  if (plan != nullptr && plan->find("priorities") != nullptr) { return true; }
  bool out = true;
  for_each_task(document, [&](const json_value& task) { out = out && task.find("priority") != nullptr; });
  return out;
}

}  // namespace

auto without_decisions(json_value document) -> json_value {
  remove_member(document, "plan");
  for_each_task(document, [](json_value& task) {
    for (const string_view key : {"core", "cluster", "priority"}) { remove_member(task, key); }
  });
  return document;
}

file_judge::file_judge(const json_value& document, std::vector<rule_wishes> rules, const std::string& place_of_rules)
    : document_{&document}, rules_{std::move(rules)}, options_{options_of(document)} {
  const auto* const platform = document.find("platform");
  const auto* const cpus = platform == nullptr ? nullptr : platform->find("cpus");
  if (cpus == nullptr) { throw input_error{"/platform", "has no processors to choose from", "platform.cpus"}; }
  for (const rule_wishes& r : rules_) {
    if (!is_cluster_keyword(r.cpus)) { continue; }
    throw input_error{place_of_rules, fmt::format("\"{}\" moves tasks, so there is no core to choose", r.cpus),
                      "rules that keep tasks on cores, such as fixed-priority and edf"};
  }
  const auto* const gpus = platform->find("gpus");
  if (gpus != nullptr && gpus->is(json_value::kind::array) && !gpus->items.empty()) {
    const auto* const sharing = gpus->items[0].find("sharing");
    greater_goes_first_ = sharing != nullptr && sharing->text == "shares";
  }
  fixes_order_ = has_whole_order(document);
  on_core_ = named_cores(document);
  for (std::size_t i = 0; i < options_.size(); ++i) {
    for (task_options::body& body : options_[i].bodies) {
      std::erase_if(body.cores, [&](std::int32_t core) { return on_core_[i] && core != *on_core_[i]; });
    }
  }
  const auto file = read_workload(with_mapping(first_mapping()));
  core_count_ = file->board.processors;
  cores_ = file->cores;
  counts_responses_ = file->overheads || std::ranges::any_of(file->chains, [](const chain_facts& c) {
                        return std::ranges::any_of(c.semantics, is_implicit);
                      });
  if (core_count_ > static_cast<std::int32_t>(max_planned_cores)) {
    throw input_error{"/platform/cpus", fmt::format("{} cores are too many to choose from", core_count_),
                      fmt::format("at most {}", max_planned_cores)};
  }
}

auto file_judge::first_mapping() const -> file_mapping {
  file_mapping out;
  std::size_t at = 0;
  for_each_task(*document_, [&](const json_value& task) {
    const auto& bodies = options_[at].bodies;
    const auto runs = std::ranges::find_if(bodies, [](const auto& b) { return !b.cores.empty(); });
    if (runs == bodies.end()) {
      throw input_error{task.where, "runs on no core of this board", "CPU times for the type of one of its cores"};
    }
    // Bound: one per task of the file.
    out.tasks.unchecked_push_back(
        {static_cast<std::uint32_t>(runs - bodies.begin()), runs->cores[0], static_cast<std::int32_t>(at++)});
  });
  return out;
}

auto file_judge::with_mapping(const file_mapping& m) const -> json_value {
  json_value out = *document_;
  json_value& cpus = *member(*member(out, "platform"), "cpus");
  set_member(cpus, "policy", json_value::kind::string, rules_[m.rules].cpus);
  remove_member(cpus, "clusters");
  if (json_value* const plan = member(out, "plan")) { remove_member(*plan, "cores"); }
  std::size_t at = 0;
  for_each_task(out, [&](json_value& task) {
    const auto& decided = m.tasks[at];
    const std::string& variant = options_[at].bodies[decided.body].variant;
    remove_member(task, "cluster");
    set_number(task, "core", decided.core);
    if (!variant.empty()) { set_member(task, "variant", json_value::kind::string, variant); }
    const auto last = static_cast<std::int32_t>(m.tasks.size()) - 1;
    if (!fixes_order_) { set_number(task, "priority", greater_goes_first_ ? last - decided.rank : decided.rank); }
    ++at;
  });
  return out;
}

auto file_judge::prepare(const file_mapping& m) -> mapped& {
  if (last_ != nullptr && same(last_->mapping, m)) { return *last_; }
  auto next = std::make_unique<mapped>();
  next->mapping = m;
  next->file = read_workload(with_mapping(m));
  next->input = input_of(*next->file, rules_[m.rules]);
  next->input.question.begin_search = {};
  next->input.question.most_evaluations = most_evaluations;
  last_ = std::move(next);
  return *last_;
}

auto file_judge::order_counts(const file_mapping& m) const -> bool {
  return !fixes_order_ && rules_[m.rules].cpus.ends_with("fixed-priority");
}

auto file_judge::proves(const file_mapping& m, std::int64_t permille) -> bool {
  was_stopped_ = was_stopped_ || (stop_ && stop_());
  if (was_stopped_) { return false; }
  mapped& of = prepare(m);
  const auto found = judge_file(*of.file, of.input, permille);
  return found != nullptr && found->judged && found->verdict.schedulable();
}

auto file_judge::service(const file_mapping& m) const -> core_service {
  bool has_devices = false;
  for (std::size_t i = 0; i < m.tasks.size(); ++i) { has_devices = has_devices || uses_devices_[i][m.tasks[i].body]; }
  const bool is_open = !counts_responses_ && !has_regions_ && !fixes_order_;
  return is_open ? service_under(rules_[m.rules], has_devices) : core_service::unknown;
}

void file_judge::choose_release_offsets(std::uint64_t seed) {
  const auto* const chains = document_->find("chains");
  if (chains == nullptr) {
    throw input_error{"--offsets", "chooses first releases for chains, and the file has none", "a file with chains"};
  }
  offsets_by_ = seed;
}

auto file_judge::chains_of(const file_mapping& m) -> std::vector<judged_chain> {
  mapped& of = prepare(m);
  const auto found = judge_file(*of.file, of.input);
  if (found == nullptr || !found->judged) { return {}; }
  const auto proven = summary_of(*of.file, *found);
  const auto waiting = waiting_in(*of.file, of.input, *found);
  std::vector<judged_chain> out;
  for (const chain_facts& c : of.file->chains) {
    out.push_back(judge_chain(c, *of.file, proven, waiting, false));
    if (!out.back().summary.bounded() || !out.back().summary.condition.empty()) { return {}; }
  }
  if (!offsets_by_) { return out; }
  std::vector<offset_chain> open;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const report::chain_summary& c = out[i].summary;
    open.push_back({.tasks = of.file->chains[i].tasks,
                    .stages = out[i].stages,
                    .reaction_limit = c.reaction_limit.value_or(0),
                    .age_limit = c.age_limit.value_or(0),
                    .counts_age = c.counts_age()});
  }
  choose_offsets<max_tasks>(open, *offsets_by_, most_offsets);
  for (judged_chain& c : out) { bound_stages(c); }
  return out;
}

auto file_judge::worst_chain(const file_mapping& m) -> reached_score {
  if (document_->find("chains") == nullptr) { return {true, 0}; }
  const auto all = chains_of(m);
  ticks worst = 0;
  for (const judged_chain& c : all) {
    if (!c.summary.meets()) { return {}; }
    worst = std::max(worst, c.summary.counts_age() ? c.summary.bound.age : c.summary.bound.reaction);
  }
  return {!all.empty(), worst};
}

auto file_judge::planned(const file_mapping& m) -> json_value {
  json_value out = with_mapping(m);
  if (!offsets_by_) { return out; }
  const auto all = chains_of(m);
  std::size_t at = 0;
  for_each_task(out, [&](json_value& task) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& tasks = last_->file->chains[i].tasks;
      for (std::size_t k = 0; k < tasks.size(); ++k) {
        if (tasks[k] == at) { set_number(task, "offset", all[i].stages[k].offset); }
      }
    }
    ++at;
  });
  return out;
}

auto file_judge::core_kinds() const -> std::vector<std::uint32_t> {
  std::vector<std::uint32_t> out;
  for (std::int32_t core = 0; core < core_count_; ++core) {
    std::uint32_t kind = 0;
    while (!cores_.empty() && cores_[kind].type != cores_[static_cast<std::size_t>(core)].type) { ++kind; }
    out.push_back(kind);
  }
  return out;
}

auto file_judge::core_types() const -> inline_vector<std::uint32_t, max_planned_cores> {
  inline_vector<std::uint32_t, max_planned_cores> out;
  const auto kinds = core_kinds();
  for (std::int32_t core = 0; core < core_count_; ++core) {
    std::uint32_t type = kinds[static_cast<std::size_t>(core)];
    const bool is_named = std::ranges::find(on_core_, std::optional{core}) != on_core_.end();
    if (is_named) { type = static_cast<std::uint32_t>(core_count_ + core); }  // no other has its task
    out.unchecked_push_back(type);  // Bound: `core_count_` is at most `max_planned_cores`.
  }
  return out;
}

auto file_judge::menus() -> std::unique_ptr<inline_vector<file_menu, max_tasks>> {
  auto out = std::make_unique<inline_vector<file_menu, max_tasks>>();
  const file_mapping first = first_mapping();
  std::vector<std::string> where;
  for_each_task(*document_, [&](const json_value& task) { where.push_back(task.where); });
  uses_devices_.assign(first.tasks.size(), {});
  for (std::size_t i = 0; i < first.tasks.size(); ++i) {
    file_menu menu;
    uses_devices_[i].assign(options_[i].bodies.size(), false);
    for (std::uint32_t body = 0; body < options_[i].bodies.size(); ++body) {
      for (const std::int32_t core : options_[i].bodies[body].cores) {
        file_mapping m = first;
        m.tasks[i].body = body;
        m.tasks[i].core = core;
        const auto file = read_workload(with_mapping(m));
        const runtime_task& t = file->tasks.tasks[i];
        task_assignment place{body, core, 0, false};
        for (std::uint32_t p = 0; p < t.visit_count; ++p) {
          const runtime_visit& v = file->tasks.visit(i, p);
          if (v.where == resource_kind::processor) {
            place.cpu_time += v.time.upper;
            has_regions_ = has_regions_ || v.region > 0;
          } else {
            uses_devices_[i][body] = true;
          }
        }
        const runtime_visit& only = file->tasks.visit(i, 0);
        place.whole = t.visit_count == 1 && only.where == resource_kind::processor && !only.in_section;
        menu.period = t.period;
        menu.deadline = t.limited ? t.deadline : 0;
        menu.jitter = t.jitter;
        if (!menu.places.try_push_back(place)) {
          throw input_error{where[i], "has too many variants and cores to choose from",
                            fmt::format("at most {} of both together", max_places)};
        }
      }
    }
    out->unchecked_push_back(menu);  // Bound: one per task of the file.
  }
  return out;
}

auto file_judge::impossible() -> std::vector<report::miss_summary> {
  std::vector<report::miss_summary> out;
  const file_mapping first = first_mapping();
  const auto misses_of = [&](const file_mapping& m) {
    const auto file = read_workload(with_mapping(m));
    std::vector<report::miss_summary> all;
    report::verdict_summary named;
    for (const runtime_task& t : file->tasks.tasks) { named.tasks.emplace_back().name = t.name; }
    on_large_stack([&] {
      const analysis::board_limits limits{.processors = file->board.processors};
      for (const proven_miss<ticks>& miss : analysis::find_proven_misses(file->tasks, file->board, limits, {})) {
        all.push_back({miss, report::explain_miss(named, miss)});
      }
    });
    return all;
  };
  bool some_choice = false;
  for (std::size_t i = 0; i < first.tasks.size(); ++i) {
    std::optional<report::miss_summary> least;
    bool everywhere = true;
    for (std::uint32_t body = 0; body < options_[i].bodies.size(); ++body) {
      std::vector<std::uint32_t> seen;
      const auto types = core_kinds();
      for (const std::int32_t core : options_[i].bodies[body].cores) {
        const std::uint32_t kind = types[static_cast<std::size_t>(core)];
        if (std::ranges::find(seen, kind) != seen.end()) { continue; }
        seen.push_back(kind);
        file_mapping m = first;
        m.tasks[i].body = body;
        m.tasks[i].core = core;
        const auto all = misses_of(m);
        const auto own = std::ranges::find_if(all, [i](const report::miss_summary& s) {
          return s.proof.reason == miss_reason::own_time && s.proof.task == i;
        });
        everywhere = everywhere && own != all.end();
        if (everywhere && (!least || own->proof.value < least->proof.value)) { least = *own; }
      }
      some_choice = some_choice || seen.size() > 1;
    }
    some_choice = some_choice || options_[i].bodies.size() > 1;
    if (everywhere && least) { out.push_back(*least); }
  }
  if (some_choice) { return out; }
  for (const report::miss_summary& s : misses_of(first)) {
    if (s.proof.reason != miss_reason::own_time) { out.push_back(s); }
  }
  return out;
}

auto file_judge::drop_unjudged() -> std::vector<std::string> {
  std::vector<std::string> out;
  std::vector<rule_wishes> kept;
  file_mapping m = first_mapping();
  for (; m.rules < rules_.size(); ++m.rules) {
    const rule_wishes& r = rules_[m.rules];
    const std::string name = fmt::format("{} under {}", r.policy.empty() ? "the file's own policy" : r.policy, r.cpus);
    try {
      mapped& of = prepare(m);
      const auto found = judge_file(*of.file, of.input);
      const auto missing = missing_of(*of.file, *found);
      if (missing.empty()) {
        kept.push_back(r);
        continue;
      }
      std::vector<std::string> facts;
      for (const auto& part : missing) {
        if (std::ranges::find(facts, part.fact) == facts.end()) { facts.push_back(part.fact); }
      }
      out.push_back(fmt::format("{} is left out: {} is not said", name, fmt::join(facts, ", ")));
    } catch (const input_error& e) { out.push_back(fmt::format("{} is left out: {}", name, line_of(e))); }
  }
  if (kept.empty()) {
    throw input_error{"--policies", fmt::format("none can be judged: {}", fmt::join(out, "; ")),
                      "a policy whose facts the file has"};
  }
  rules_ = std::move(kept);
  last_.reset();
  return out;
}

}  // namespace takt::program
