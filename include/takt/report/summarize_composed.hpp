// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/chain_platform.hpp>
#include <takt/report/table.hpp>
#include <takt/report/tree.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

template <std::size_t Capacity>
struct any_pool;

}  // namespace takt::inline TAKT_ABI

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Says what a pool holds: a kind, and how many of it.
struct pool_contents {
  std::string_view kind;
  std::int32_t count = 1;
  std::int32_t virtual_per_sm = 1;
};
[[nodiscard]] constexpr auto contents_of(const processors_resource& r) noexcept -> pool_contents {
  return {"core", r.count};
}
[[nodiscard]] constexpr auto contents_of(const copy_engines_resource& r) noexcept -> pool_contents {
  return {"copy engine", r.count};
}
[[nodiscard]] constexpr auto contents_of(const virtual_sms_resource& r) noexcept -> pool_contents {
  return {"SM", r.sms, r.per_sm};
}
template <class Resource>
[[nodiscard]] constexpr auto contents_of(const Resource& r) noexcept -> pool_contents {
  pool_contents out{.kind = "unit"};
  if constexpr (requires {
                  { Resource::name } -> std::convertible_to<std::string_view>;
                }) {
    out.kind = Resource::name;
  }
  if constexpr (requires {
                  { r.count } -> std::convertible_to<std::int32_t>;
                }) {
    out.count = r.count;
  }
  return out;
}

template <class Rule>
[[nodiscard]] auto name_of_rule() -> std::string {
  if constexpr (requires {
                  { Rule::name } -> std::convertible_to<std::string_view>;
                }) {
    return std::string{std::string_view{Rule::name}};
  }
  return "a rule without name";
}

/// Holds what words about a pool need.
struct pool_answers {
  pool_contents held{};
  std::string rule{};
  std::int32_t cluster_size = 0;  ///< processors of a cluster; 0: there are none
  std::int32_t tokens = 0;
  std::string_view protocol{};
};
template <class Pool>
[[nodiscard]] auto answers_of(const Pool& p) -> pool_answers {
  using rule_type = typename Pool::rule_type;
  pool_answers out{.held = contents_of(p.resource), .rule = name_of_rule<rule_type>()};
  if constexpr (takt::detail::has_clusters<rule_type>) { out.cluster_size = p.rule.cluster(out.held.count); }
  if constexpr (Locked<rule_type>) {
    out.tokens = p.rule.tokens;
    out.protocol = rule_type::token_rule::name;
  }
  return out;
}
template <std::size_t Capacity>
[[nodiscard]] auto answers_of(const any_pool<Capacity>& p) -> pool_answers {
  pool_answers out{.held = {"unit", p.units}, .rule = std::string{p.rule.name()}};
  switch (p.place) {
    case resource_kind::processor: out.held = contents_of(processors_resource{p.units}); break;
    case resource_kind::copy_engine: out.held = contents_of(copy_engines_resource{p.units}); break;
    case resource_kind::gpu:
      if (p.has_sms) { out.held = {"SM", p.gpu.sms, p.gpu.virtual_per_sm}; }
      break;
    case resource_kind::own: out.held.kind = p.name.empty() ? out.held.kind : p.name; break;
  }
  if (p.rule.has_clusters()) { out.cluster_size = p.rule.cluster(p.units); }
  if (p.tokens > 0) {
    out.tokens = p.tokens;
    out.protocol = p.order.name();
  }
  return out;
}

/// Writes the rule of each pool, its clusters, and the protocol of its tokens.
template <class P>
void describe_pools(const P& board, verdict_summary& out) {
  tree pools;
  board.each([&](const auto& p) {
    pool_answers pool = answers_of(p);
    tree one;
    one.add("kind", pool.held.kind).add("count", pool.held.count).add("rule", pool.rule);
    if (pool.cluster_size > 0) {
      one.add("cluster", pool.cluster_size);
      pool.rule += ", clusters of " + std::to_string(pool.cluster_size);
    }
    if (pool.tokens > 0) {
      const std::string protocol{pool.protocol};
      one.add("tokens", pool.tokens).add("protocol", protocol);
      pool.rule += ": " + plural(pool.tokens, "token") + " under " + protocol;
    }
    if (pool.held.virtual_per_sm != 1) { one.add("virtual_per_sm", pool.held.virtual_per_sm); }
    out.platform_words.push_back(plural(pool.held.count, pool.held.kind) + virtual_words(pool.held.virtual_per_sm) +
                                 " (" + pool.rule + ")");
    pools.push(std::move(one));
  });
  out.platform.add("pools", std::move(pools));
}

/// Returns why the combiners have no proof.
template <std::size_t N, std::size_t M>
void add_obstacle(const verdict<ticks, N, M>& v, verdict_summary& out) {
  switch (v.why) {
    case obstacle::deadline:
      if (v.where < out.tasks.size()) { out.tasks[v.where].because = "the times along its visits add up to more"; }
      return;
    case obstacle::processors:
      out.findings.emplace_back("The rule of a pool has no bound for what it is asked.");
      return;
    case obstacle::tokens: out.findings.emplace_back("Nothing is known of the waits for tokens."); return;
    case obstacle::passes: out.findings.emplace_back("The bounds still grew when the analysis was ended."); return;
    case obstacle::overflow:
      out.findings.emplace_back("What the times add up to overflows 64-bit nanoseconds.");
      return;
    case obstacle::none:
    case obstacle::invalid_model:
    case obstacle::gpu:
    case obstacle::copies:
    case obstacle::history:
    case obstacle::interrupts: return;
  }
}

}  // namespace detail

/// Returns a verdict on a board that is proven from the rules of its pools. Pre: `v` is about
/// these tasks on this board.
template <class P, class T, std::size_t N, std::size_t M>
  requires(ComposedBoard<P, T> && !takt::detail::is_accelerator_alone<P>)
[[nodiscard]] auto summarize(const P& board, const T& tasks, const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out = detail::begin_summary(v);
  detail::describe_pools(board, out);
  if (out.tasks.empty()) { return out; }
  for (const auto& visit : v.visits) {
    out.visits.push_back(out.tasks[visit.task].name + " visit " + std::to_string(visit.segment));
  }
  std::int32_t gpus = 0;
  board.each([&gpus](const auto& p) {
    gpus += takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>::runs_kernels(p) ? 1 : 0;
  });
  out.allocation = detail::share_members(v.plan, out, gpus > 1, tasks);
  out.plan = detail::plan_members(v.plan, out);
  for (const auto& [name, part] : out.allocation.members()) { out.plan.add(name, part); }
  if (v.status == verdict_status::not_proven) { detail::add_obstacle(v, out); }
  out.assumptions.emplace_back("Jobs of a task are released at least its period apart.");
  out.assumptions.emplace_back("Every visit takes a time within its bounds, whatever runs elsewhere on the board.");
  if (!v.plan.offsets.empty()) {
    out.assumptions.emplace_back(
        "Visits keep the local deadlines of the plan, and none starts before its offset but where the rule of its pool "
        "lets it.");
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
