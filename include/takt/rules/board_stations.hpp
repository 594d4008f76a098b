// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/delayed_by.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/token_rule.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

/// The part of a pool that is scheduled by itself: all its units, a cluster of them, or one.
struct board_station {
  std::uint32_t pool = 0;
  std::int32_t unit = 0;  ///< the first
  std::int32_t units = 1;

  [[nodiscard]] friend constexpr auto operator==(const board_station&, const board_station&) noexcept -> bool = default;
};

namespace detail {

/// Returns whether a pool under the rule is one station, so that one server, which may be large, is all it needs.
template <class Rule>
[[nodiscard]] constexpr auto is_one_station() noexcept -> bool {
  if constexpr (requires { Rule::one_station; }) { return Rule::one_station; }
  return false;
}

template <std::size_t At, class Pool, std::size_t MaxStations, std::size_t Clients>
struct pool_servers {
  using server = decltype(std::declval<const typename Pool::rule_type&>().template make_server<Clients>(1));
  static constexpr bool one = is_one_station<typename Pool::rule_type>();
  server servers[one ? 1 : MaxStations]{};

  [[nodiscard]] constexpr auto at(std::size_t s) noexcept -> server& { return servers[one ? 0 : s]; }
  [[nodiscard]] constexpr auto at(std::size_t s) const noexcept -> const server& { return servers[one ? 0 : s]; }
};

template <class Sequence, std::size_t MaxStations, std::size_t Clients, class... Pools>
struct all_pool_servers;
template <std::size_t... At, std::size_t MaxStations, std::size_t Clients, class... Pools>
struct all_pool_servers<std::index_sequence<At...>, MaxStations, Clients, Pools...>
    : pool_servers<At, Pools, MaxStations, Clients>... {
  /// Calls f with the servers of a pool. Pre: pool < sizeof...(Pools).
  template <class F>
  constexpr void with(std::size_t pool, const F& f) {
    TAKT_EXPECTS(pool < sizeof...(At));
    static_cast<void>(
        ((pool == At ? (f(static_cast<pool_servers<At, Pools, MaxStations, Clients>&>(*this)), true) : false) || ...));
  }
  /// Pre: as above.
  template <class F>
  constexpr void with(std::size_t pool, const F& f) const {
    TAKT_EXPECTS(pool < sizeof...(At));
    static_cast<void>(
        ((pool == At ? (f(static_cast<const pool_servers<At, Pools, MaxStations, Clients>&>(*this)), true) : false) ||
         ...));
  }
};

/// The lock over the tokens of a pool, where it has any.
template <std::size_t At, class Pool, std::size_t Clients>
struct pool_lock {};
template <std::size_t At, class Pool, std::size_t Clients>
  requires Locked<typename Pool::rule_type>
struct pool_lock<At, Pool, Clients> {
  using lock_type =
      decltype(std::declval<const typename Pool::rule_type&>().order.template make_lock<Clients>(token_setting{}));
  lock_type lock{};
};

template <class Sequence, std::size_t Clients, class... Pools>
struct all_pool_locks;
template <std::size_t... At, std::size_t Clients, class... Pools>
struct all_pool_locks<std::index_sequence<At...>, Clients, Pools...> : pool_lock<At, Pools, Clients>... {
  /// Calls f with the lock of the pool that has the tokens of this number.
  template <class F>
  constexpr void with(std::size_t tokens, const F& f) {
    std::size_t seen = 0;
    (visit<At, Pools>(*this, tokens, seen, f), ...);
  }
  template <class F>
  constexpr void with(std::size_t tokens, const F& f) const {
    std::size_t seen = 0;
    (visit<At, Pools>(*this, tokens, seen, f), ...);
  }

 private:
  template <std::size_t Place, class Pool, class Self, class F>
  static constexpr void visit(Self& self, std::size_t tokens, std::size_t& seen, const F& f) {
    using base = std::conditional_t<std::is_const_v<Self>, const pool_lock<Place, Pool, Clients>,
                                    pool_lock<Place, Pool, Clients>>;
    if constexpr (Locked<typename Pool::rule_type>) {
      if (seen++ == tokens) { f(static_cast<base&>(self).lock); }
    }
  }
};

/// Holds what the protocol of the tokens of a pool is known for; nothing where it has none.
struct protocol_traits {
  bool inherits = false;
  bool donates = false;
  bool is_local = false;
  bool has_ceiling = false;
};
template <class Rule>
[[nodiscard]] consteval auto protocol_traits_of() noexcept -> protocol_traits {
  if constexpr (Locked<Rule>) {
    using order = typename Rule::token_rule;
    return {token_inherits<order>(), token_donates<order>(), token_is_local<order>(), token_has_ceiling<order>()};
  }
  return {};
}

template <class Rule>
inline constexpr bool serves_bodies = ServesBodies<decltype(std::declval<const Rule&>().template make_server<1>(1))>;

}  // namespace detail

/// The stations of a platform that some tasks use, in the order in which they were added.
template <class Platform, std::size_t MaxStations>
class board_stations;
template <class... Pools, std::size_t MaxStations>
class board_stations<platform<Pools...>, MaxStations> {
 public:
  static constexpr std::size_t max_stations = MaxStations;

  /// Pre: `board` outlives it.
  constexpr explicit board_stations(const platform<Pools...>& board) : board_{&board} {}

  /// Returns the number of a station, which is added if it is new; `max_stations` when full.
  constexpr auto number_of(const board_station& wanted) -> std::uint32_t {
    for (std::uint32_t s = 0; s < stations_.size(); ++s) {
      if (stations_[s] == wanted) { return s; }
    }
    const auto next = static_cast<std::uint32_t>(stations_.size());
    return stations_.try_push_back(wanted) ? next : static_cast<std::uint32_t>(max_stations);
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return stations_.size(); }
  /// Pre: s < size(); so for the one below.
  [[nodiscard]] constexpr auto operator[](std::size_t s) const noexcept -> const board_station& {
    TAKT_EXPECTS(s < stations_.size());
    return stations_[s];
  }
  [[nodiscard]] constexpr auto units(std::size_t s) const noexcept -> std::int32_t {
    TAKT_EXPECTS(s < stations_.size());
    return stations_[s].units;
  }

  /// Tells whether some protocol lets jobs donate their priorities.
  static constexpr bool may_donate = (detail::protocol_traits_of<typename Pools::rule_type>().donates || ...);

  // Pools with tokens, in the order of the platform.
  [[nodiscard]] static constexpr auto token_pools() noexcept -> std::size_t {
    return (std::size_t{0} + ... + (Locked<typename Pools::rule_type> ? 1U : 0U));
  }
  /// Calls f with the rule of tokens and their number. Pre: tokens < token_pools().
  template <class F>
  constexpr void with_tokens([[maybe_unused]] std::size_t tokens, [[maybe_unused]] const F& f) const {
    if constexpr (token_pools() > 0) {
      TAKT_EXPECTS(tokens < token_pools());
      board_->with(pools_with_tokens[tokens], [&](const auto& p) {
        if constexpr (Locked<typename std::remove_cvref_t<decltype(p)>::rule_type>) { f(p.rule.order, p.rule.tokens); }
      });
    }
  }
  [[nodiscard]] constexpr auto setting(std::size_t tokens) const -> token_setting {
    token_setting out{.tokens = 0, .processors = 0};
    with_tokens(tokens, [&](const auto& /*order*/, std::int32_t count) { out.tokens = count; });
    for (std::size_t s = 0; s < size(); ++s) { out.processors += inherits(s) ? units(s) : 0; }
    return out;
  }
  [[nodiscard]] constexpr auto token_inherits(std::size_t tokens) const -> bool { return traits(tokens).inherits; }
  [[nodiscard]] constexpr auto token_donates(std::size_t tokens) const -> bool { return traits(tokens).donates; }
  [[nodiscard]] constexpr auto token_is_local(std::size_t tokens) const -> bool { return traits(tokens).is_local; }
  [[nodiscard]] constexpr auto token_has_ceiling(std::size_t tokens) const -> bool {
    return traits(tokens).has_ceiling;
  }

  // What the rule of a station is known for: a look into a table that is made while compiling.
  /// Returns whether holders of tokens can be served at the priority of others there.
  [[nodiscard]] constexpr auto inherits(std::size_t s) const -> bool {
    constexpr of_pools<bool> known{detail::InheritsPriorities<typename Pools::rule_type>...};
    return known[stations_[s].pool];
  }
  /// Returns which visits can delay a visit there.
  [[nodiscard]] constexpr auto delays_from(std::size_t s) const -> delayed_by {
    constexpr of_pools<delayed_by> known{detail::delayed_by_under<typename Pools::rule_type>()...};
    return known[stations_[s].pool];
  }
  /// Returns whether visits with guards may start early there.
  [[nodiscard]] constexpr auto starts_early(std::size_t s) const -> bool {
    constexpr of_pools<bool> known{detail::StartsEarly<typename Pools::rule_type>...};
    return known[stations_[s].pool] && units(s) == 1;
  }
  [[nodiscard]] constexpr auto looks_beside(std::size_t s) const -> bool {
    constexpr of_pools<bool> known{detail::LooksBeside<typename Pools::rule_type>...};
    return known[stations_[s].pool];
  }
  /// Returns whether code may run there in place of visits of known length.
  [[nodiscard]] constexpr auto serves_bodies(std::size_t s) const -> bool {
    constexpr of_pools<bool> known{detail::serves_bodies<typename Pools::rule_type>...};
    return known[stations_[s].pool];
  }

  /// Calls f with the rule of a station.
  template <class F>
  constexpr void with_rule(std::size_t s, const F& f) const {
    board_->with(stations_[s].pool, [&f](const auto& p) { f(p.rule); });
  }
  [[nodiscard]] constexpr auto point(std::size_t s, const job_timing& t, ticks release, priority_point& out) const
      -> bool {
    bool fits = false;
    with_rule(s, [&](const auto& rule) { fits = rule.job_order(stations_[s].units).point(t, release, out); });
    return fits;
  }
  /// Pre: `looks_beside`.
  constexpr void beside([[maybe_unused]] std::size_t s, [[maybe_unused]] view_values& own,
                        [[maybe_unused]] const view_values& other) const {
    TAKT_EXPECTS(looks_beside(s));
    if constexpr ((detail::LooksBeside<typename Pools::rule_type> || ...)) {
      with_rule(s, [&](const auto& rule) {
        if constexpr (detail::LooksBeside<std::remove_cvref_t<decltype(rule)>>) { rule.beside(own, other); }
      });
    }
  }

  template <std::size_t Clients>
  class locks_type {
   public:
    constexpr explicit locks_type(const board_stations& from) {
      for (std::size_t t = 0; t < token_pools(); ++t) {
        from.with_tokens(t, [&](const auto& order, std::int32_t /*count*/) {
          const auto made = detail::make_token_lock<Clients>(order, from.setting(t));
          all_.with(t, [&made](auto& lock) { put(made, lock); });
        });
      }
    }
    constexpr auto issue(std::size_t tokens, request_id r, const lock_request& q) -> request_id {
      request_id out = no_request;
      all_.with(tokens, [&](auto& lock) { out = lock.issue(r, q); });
      return out;
    }
    constexpr auto release(std::size_t tokens, request_id r) -> request_id {
      request_id out = no_request;
      all_.with(tokens, [&](auto& lock) { out = lock.release(r); });
      return out;
    }
    constexpr void reprioritize(std::size_t tokens, request_id r, const priority_point& p) {
      all_.with(tokens, [&](auto& lock) { lock.reprioritize(r, p); });
    }
    [[nodiscard]] constexpr auto inheritor(std::size_t tokens, request_id r) const -> request_id {
      request_id out = no_request;
      all_.with(tokens, [&](const auto& lock) { out = lock.inheritor(r); });
      return out;
    }
    [[nodiscard]] constexpr auto replica(std::size_t tokens, request_id r) const -> replica_id {
      replica_id out = no_replica;
      all_.with(tokens, [&](const auto& lock) { out = lock.replica(r); });
      return out;
    }

   private:
    template <class Lock>
    static constexpr void put(const Lock& made, Lock& place) {
      place = made;
    }
    template <class Made, class Other>
    static constexpr void put(const Made& /*made*/, Other& /*place*/) {}

    detail::all_pool_locks<std::index_sequence_for<Pools...>, Clients, Pools...> all_{};
  };
  template <std::size_t Clients>
  [[nodiscard]] constexpr auto locks() const -> locks_type<Clients> {
    return locks_type<Clients>{*this};
  }

  template <std::size_t Clients>
  class servers_type {
   public:
    constexpr explicit servers_type(const board_stations& from) : stations_{from.stations_} {
      for (std::size_t s = 0; s < from.size(); ++s) {
        from.with_rule(s, [&](const auto& rule) { start(s, rule); });
      }
    }
    constexpr void arrive(std::size_t s, const visit_request& v) {
      all_.with(stations_[s].pool, [&](auto& pool) { pool.at(s).arrive(v); });
    }
    constexpr void decide(std::size_t s, ticks now, const slice_sink& sink) {
      all_.with(stations_[s].pool, [&](auto& pool) { pool.at(s).decide(now, sink); });
    }
    /// Pre: holders can be served at the priority of others there.
    constexpr void reprioritize(std::size_t s, client who, const priority_point& p) {
      all_.with(stations_[s].pool, [&](auto& pool) {
        constexpr bool can = detail::Reprioritizes<std::remove_cvref_t<decltype(pool.at(s))>>;
        TAKT_EXPECTS(can);
        if constexpr (can) { pool.at(s).reprioritize(who, p); }
      });
    }
    [[nodiscard]] constexpr auto next(std::size_t s) const -> ticks {
      ticks at = no_event;
      all_.with(stations_[s].pool, [&](const auto& pool) { at = pool.at(s).next(); });
      return at;
    }
    constexpr auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client {
      client done = no_client;
      all_.with(stations_[s].pool, [&](auto& pool) { done = pool.at(s).fire(now, sink); });
      return done;
    }
    /// Pre: the station serves bodies.
    constexpr void finish(std::size_t s, client who, ticks now, const slice_sink& sink) {
      all_.with(stations_[s].pool, [&](auto& pool) {
        constexpr bool can = ServesBodies<std::remove_cvref_t<decltype(pool.at(s))>>;
        TAKT_EXPECTS(can);
        if constexpr (can) { pool.at(s).finish(who, now, sink); }
      });
    }
    /// Closes slices up to now, for servers that tell slices only when they end.
    constexpr void close(std::size_t s, ticks now, const slice_sink& sink) {
      all_.with(stations_[s].pool, [&](auto& pool) {
        if constexpr (requires { pool.at(s).close(now, sink); }) { pool.at(s).close(now, sink); }
      });
    }
    /// A client goes before its visit is over. Every server of the board drops clients, or serves bodies.
    constexpr void drop(std::size_t s, client who, ticks now, const slice_sink& sink) {
      all_.with(stations_[s].pool, [&](auto& pool) {
        using server = std::remove_cvref_t<decltype(pool.at(s))>;
        if constexpr (detail::DropsClients<server>) {
          pool.at(s).drop(who, now, sink);
        } else {
          static_assert(ServesBodies<server>);
          pool.at(s).finish(who, now, sink);
        }
      });
    }
    /// Pre: the station serves bodies.
    constexpr void holders(std::size_t s, const holder_sink& to) const {
      all_.with(stations_[s].pool, [&](const auto& pool) {
        constexpr bool can = ServesBodies<std::remove_cvref_t<decltype(pool.at(s))>>;
        TAKT_EXPECTS(can);
        if constexpr (can) { pool.at(s).holders(to); }
      });
    }

   private:
    template <class Rule>
    constexpr void start(std::size_t s, const Rule& rule) {
      all_.with(stations_[s].pool, [&](auto& pool) {
        auto machine = rule.template make_server<Clients>(stations_[s].units);
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(pool.at(s))>, decltype(machine)>) {
          pool.at(s) = machine;
        }
      });
    }

    inline_vector<board_station, MaxStations> stations_;
    detail::all_pool_servers<std::index_sequence_for<Pools...>, MaxStations, Clients, Pools...> all_{};
  };
  template <std::size_t Clients>
  [[nodiscard]] constexpr auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

 private:
  template <class T>
  using of_pools = std::array<T, sizeof...(Pools)>;

  [[nodiscard]] static constexpr auto traits(std::size_t tokens) -> const detail::protocol_traits& {
    return traits_of_pools[pools_with_tokens[tokens]];
  }
  static constexpr of_pools<detail::protocol_traits> traits_of_pools{
      detail::protocol_traits_of<typename Pools::rule_type>()...};
  static constexpr of_pools<std::size_t> pools_with_tokens = [] {
    constexpr of_pools<bool> locked{Locked<typename Pools::rule_type>...};
    of_pools<std::size_t> out{};
    std::size_t next = 0;
    for (std::size_t pool = 0; pool < locked.size(); ++pool) {
      if (locked[pool]) { out[next++] = pool; }
    }
    return out;
  }();

  const platform<Pools...>* board_;
  inline_vector<board_station, MaxStations> stations_{};
};

}  // namespace takt::inline TAKT_ABI
