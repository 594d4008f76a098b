// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/analysis/any_rule.hpp>
#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/any_token_rule.hpp>
#include <takt/analysis/board_bounds.hpp>
#include <takt/analysis/judge_spinning.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/padded_capacity.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// A pool of any resource under any rule, as a value. `Capacity` is the most visits of a set of tasks.
template <std::size_t Capacity>
struct any_pool {
  resource_kind place = resource_kind::own;
  std::string_view name{};  ///< of its resource, if that has one
  std::int32_t units = 1;
  mutex_key mutex{};  ///< null: it is none
  gpu_record gpu{};   ///< as a plan sees it; without SMs where a plan hands none out
  bool has_sms = false;
  std::int32_t tokens = 0;  ///< 0: the rule is none of tokens
  any_rule<Capacity> rule{};
  any_token_rule<Capacity> order{};
  model_error fault{};  ///< of the size of the resource or the values of the rule
};

namespace detail {

template <class Resource>
[[nodiscard]] constexpr auto place_of_resource() noexcept -> resource_kind {
  if (std::same_as<Resource, processors_resource>) { return resource_kind::processor; }
  if (std::same_as<Resource, copy_engines_resource>) { return resource_kind::copy_engine; }
  return is_gpu<Resource> ? resource_kind::gpu : resource_kind::own;
}

template <class Resource>
[[nodiscard]] constexpr auto name_of_resource(const Resource& r) noexcept -> std::string_view {
  if constexpr (requires {
                  { r.name } -> std::convertible_to<std::string_view>;
                }) {
    return r.name;
  }
  return {};
}
template <class S>
[[nodiscard]] constexpr auto place_of_segment() noexcept -> resource_kind {
  using wanted = typename resource_of_segment<S>::type;
  return std::same_as<wanted, gpu> ? resource_kind::gpu : place_of_resource<wanted>();
}

/// Names what is wrong with a pool by itself, whatever tasks visit it.
template <class Pool>
using pool_fault = typename first_sentence<
    fault_unless<PoolRule<typename Pool::rule_type>, rule_makes_server<typename Pool::rule_type>>,
    fault_unless<!lacks_sms<Pool>, pool_has_sms<typename Pool::resource_type, false>>,
    fault_unless<!lacks_cores<Pool>, pool_has_cores<typename Pool::resource_type, false>>,
    typename rule_fault_in_chains<typename Pool::rule_type>::type,
    fault_unless<!lacks_tokens<Pool>, pool_has_tokens<typename Pool::resource_type, false>>,
    fault_unless<!claims_in_vain<typename Pool::rule_type>, early_start_check<typename Pool::rule_type, false>>,
    fault_unless<!takes_copies_back<Pool> && !takes_kernels_back<Pool>,
                 pool_can_preempt<Pool, takes_copies_back<Pool>, takes_kernels_back<Pool>>>>::type;

}  // namespace detail

/// A board whose pools are values: one type for all combinations of rules, so that everything that takes a platform is
/// instantiated once. Pools stand in the order in which they were added. `Capacity` is the most visits of a set of
/// tasks; all servers of a run have room for the servers of two block queues beyond the usual. It goes wherever a
/// `platform` that is composed of the rules of its pools does: `flatten`, `analyze`, `allocate`, `share_search`,
/// `simulate`. Nothing is known of it at compile time, so what a typed board refuses there is a fault of the model
/// here. No heap; at run time only.
template <std::size_t MaxPools, std::size_t Capacity>
class any_board {
 public:
  static constexpr std::size_t pool_count = MaxPools;
  static constexpr std::size_t capacity = Capacity;
  using pool_type = any_pool<padded_capacity(Capacity)>;  ///< typed sets of so many visits have tables of that capacity
  static constexpr bool has_large_servers = true;         ///< simulations keep them off the stack
  template <class Resource>
  static constexpr std::size_t count_of = 0;
  template <class Resource>
  using rule_of = detail::mixed_rules;
  using cpu_rule = detail::mixed_rules;
  using copy_rule = detail::mixed_rules;
  using gpu_rule = detail::mixed_rules;

  /// False when full: of pools, of GPUs, or where there are processors or copy engines already.
  template <class Resource, class Rule>
  auto add(const resource_pool<Resource, Rule>& p) -> bool {
    static_assert(detail::pool_fault<resource_pool<Resource, Rule>>::passed);
    using facts = detail::pool_facts<resource_pool<Resource, Rule>>;
    pool_type made{.place = detail::place_of_resource<Resource>(),
                   .name = detail::name_of_resource(p.resource),
                   .units = facts::units(p),
                   .mutex = facts::mutex(p),
                   .gpu = facts::gpu(p),
                   .has_sms = detail::has_sms<Resource>,
                   .rule = p.rule};
    if (pools_.full() || has_full(made.place)) { return false; }
    if constexpr (Locked<Rule>) {
      made.tokens = p.rule.tokens;
      made.order = p.rule.order;
    }
    made.fault = detail::rule_fault(p.rule);
    if (!detail::append(record_, p.resource, p.rule) && !made.fault) {
      made.fault = {.fault = model_fault::platform_size_out_of_range};
    }
    return pools_.try_push_back(made);
  }

  /// Jobs are threads that wait for whatever they ask for on their processors. No guards or sections go with it.
  void keep_processors() noexcept { keeps_processors_ = true; }
  [[nodiscard]] auto keeps_processors() const noexcept -> bool { return keeps_processors_; }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return pools_.size(); }
  [[nodiscard]] auto operator[](std::size_t pool) const noexcept -> const pool_type& { return pools_[pool]; }
  /// Calls f with each pool, in the order in which they were added.
  template <class F>
  void each(const F& f) const {
    for (const pool_type& p : pools_) { f(p); }
  }
  [[nodiscard]] auto record() const -> platform_record { return record_; }

  /// Returns what is wrong with a pool, with its position. Jobs can wait on processors only where these preempt.
  [[nodiscard]] auto validate() const -> model_error {
    for (std::uint32_t at = 0; at < pools_.size(); ++at) {
      model_error first = pools_[at].fault;
      if (!first) { continue; }
      if (first.pool == no_index) { first.pool = at; }
      return first;
    }
    for (std::uint32_t at = 0; keeps_processors_ && at < pools_.size(); ++at) {
      const pool_type& p = pools_[at];
      if (p.place == resource_kind::processor && !p.rule.inherits_priorities()) {
        return {.fault = model_fault::waits_unpreempted, .pool = at};
      }
    }
    return {};
  }

 private:
  [[nodiscard]] auto has_full(resource_kind place) const -> bool {
    std::size_t there = 0;
    for (const pool_type& p : pools_) { there += p.place == place ? 1U : 0U; }
    switch (place) {
      case resource_kind::processor:
      case resource_kind::copy_engine: return there > 0;
      case resource_kind::gpu: return there == max_gpus;
      case resource_kind::own: return false;
    }
    return false;
  }

  inline_vector<pool_type, MaxPools> pools_;
  platform_record record_{};
  bool keeps_processors_ = false;
};

/// Returns a typed board as a value, for sets of at most `Capacity` visits.
template <std::size_t Capacity, std::size_t MaxPools = 0, class... Pools>
[[nodiscard]] auto erase(const platform<Pools...>& board) {
  any_board<(MaxPools < sizeof...(Pools) ? sizeof...(Pools) : MaxPools), Capacity> out;
  board.each([&out](const auto& p) { static_cast<void>(out.add(p)); });
  return out;
}

namespace detail {

template <std::size_t Capacity>
struct pool_facts<any_pool<Capacity>> {
  using pool_type = any_pool<Capacity>;

  template <class S>
  static constexpr bool may_serve =
      std::same_as<S, limited_cpu_segment> ||
      requires(const any_rule<Capacity>& rule, const S& asked, const visit_placement& at) { rule.view(asked, at); };
  template <class S>
  [[nodiscard]] static auto serves_visits(const pool_type& p) noexcept -> bool {
    return p.place == place_of_segment<S>() && !p.mutex;
  }
  [[nodiscard]] static auto mutex(const pool_type& p) noexcept -> mutex_key { return p.mutex; }
  [[nodiscard]] static auto is_processors(const pool_type& p) noexcept -> bool {
    return p.place == resource_kind::processor;
  }
  [[nodiscard]] static auto runs_kernels(const pool_type& p) noexcept -> bool { return p.place == resource_kind::gpu; }
  [[nodiscard]] static auto has_tokens(const pool_type& p) noexcept -> bool { return p.tokens > 0; }
  [[nodiscard]] static auto units(const pool_type& p) noexcept -> std::int32_t { return p.units; }
  [[nodiscard]] static auto one_unit(const pool_type& p) noexcept -> bool { return p.rule.serves_one_unit(); }
  [[nodiscard]] static auto names_cores(const pool_type& p) noexcept -> bool { return p.rule.reads_cores(); }
  [[nodiscard]] static auto cluster(const pool_type& p) -> std::int32_t { return p.rule.cluster(p.units); }
  [[nodiscard]] static auto gpu(const pool_type& p) noexcept -> gpu_record { return p.gpu; }
  [[nodiscard]] static auto hands_sms(const pool_type& p) noexcept -> bool { return p.rule.hands_out_sms(); }
  [[nodiscard]] static auto hands_percents(const pool_type& p) noexcept -> bool { return p.rule.hands_out_percents(); }
  [[nodiscard]] static auto reads_priorities(const pool_type& p) noexcept -> bool { return p.rule.reads_priorities(); }
  [[nodiscard]] static auto honours_regions(const pool_type& p) noexcept -> bool { return p.rule.honours_regions(); }
  template <class S>
  [[nodiscard]] static auto view(const pool_type& p, const S& asked, const visit_placement& at) -> visit_view {
    return p.rule.view(asked, at);
  }
};

template <std::size_t Capacity>
struct pool_unit_traits<any_pool<Capacity>> {
  [[nodiscard]] static auto of(const any_pool<Capacity>& p) noexcept -> unit_traits { return p.rule.traits(); }
};

template <std::size_t MaxPools, std::size_t Capacity>
inline constexpr bool has_pool_rules<any_board<MaxPools, Capacity>> = true;
template <std::size_t MaxPools, std::size_t Capacity, class Segments>
struct board_fault<any_board<MaxPools, Capacity>, Segments> {
  using type = no_board_fault;
};
/// Says that no method takes such a board as a whole.
template <std::size_t MaxPools, std::size_t Capacity, class... Known>
struct first_foreign<any_board<MaxPools, Capacity>, Known...> {
  using type = typename any_board<MaxPools, Capacity>::pool_type;
};

/// Room for the servers of a board: those of usual rules, as many as stations and devices, and two large ones.
template <std::size_t MaxStations, std::size_t MaxPools, std::size_t Capacity>
inline constexpr std::size_t server_storage =
    MaxStations * 128 * (Capacity + 1) + MaxPools * any_rule<Capacity>::server_bytes_of_station +
    (std::size_t{1} << 18);
template <std::size_t MaxStations, std::size_t MaxPools, std::size_t Capacity>
using stations_of_any_board =
    any_stations<MaxStations, Capacity, server_storage<MaxStations, MaxPools, Capacity>, MaxPools>;

}  // namespace detail

template <std::size_t MaxPools, std::size_t Capacity, std::size_t MaxStations>
class board_stations<any_board<MaxPools, Capacity>, MaxStations>
    : public detail::stations_of_any_board<MaxStations, MaxPools, padded_capacity(Capacity)> {
  using stations = detail::stations_of_any_board<MaxStations, MaxPools, padded_capacity(Capacity)>;

 public:
  /// Pre: the board outlives it. Pools with a fault have no tokens.
  explicit board_stations(const any_board<MaxPools, Capacity>& board) : board_{&board} {
    for (std::size_t at = 0; at < board.size(); ++at) {
      const auto& p = board[at];
      if (p.tokens > 0 && !p.fault) { static_cast<void>(this->add_tokens(p.order, p.tokens)); }
    }
  }

  /// Returns the number of a station, which is added if it is new; `max_stations` when full or where there is no room
  /// for its server.
  auto number_of(const board_station& wanted) -> std::uint32_t {
    for (std::uint32_t s = 0; s < where_.size(); ++s) {
      if (where_[s] == wanted) { return s; }
    }
    const auto next = static_cast<std::uint32_t>(where_.size());
    const bool has_room = !where_.full() && this->add((*board_)[wanted.pool].rule, wanted.units);
    return has_room && where_.try_push_back(wanted) ? next : static_cast<std::uint32_t>(MaxStations);
  }
  [[nodiscard]] auto operator[](std::size_t s) const noexcept -> const board_station& { return where_[s]; }
  [[nodiscard]] auto keeps_processors() const noexcept -> bool { return board_->keeps_processors(); }

 private:
  const any_board<MaxPools, Capacity>* board_;
  inline_vector<board_station, MaxStations> where_{};
};

namespace analysis {

/// The bounds are those of the erased rules.
template <std::size_t MaxPools, std::size_t Capacity, std::size_t MaxStations>
struct detail::bounded_stations<board_stations<any_board<MaxPools, Capacity>, MaxStations>>
    : board_stations<any_board<MaxPools, Capacity>, MaxStations> {
  using stations = board_stations<any_board<MaxPools, Capacity>, MaxStations>;
  explicit bounded_stations(const stations& given) : stations{given} {}
};

namespace detail {

/// Pools without bounds are no proof, which run time says.
template <std::size_t MaxPools, std::size_t Capacity>
struct bounds_fault<any_board<MaxPools, Capacity>> {
  using type = takt::detail::no_board_fault;
};

}  // namespace detail
}  // namespace analysis

static_assert(Platform<any_board<1, 1>>);

}  // namespace takt::inline TAKT_ABI
