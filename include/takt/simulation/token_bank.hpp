// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/token_rule.hpp>
#include <takt/simulation/layout.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Returns the number of tokens of a pool. More than tasks are never asked for.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto tokens_of(const platform_record& platform) -> std::int32_t {
  std::int32_t tokens = 0;
  for (const gpu_record& gpu : platform.gpus) {
    tokens += std::min(gpu.tokens, static_cast<std::int32_t>(MaxTasks) - tokens);
  }
  return std::max(tokens, 1);
}

template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto setting_of(const platform_record& platform) -> token_setting {
  return {.tokens = tokens_of<MaxTasks>(platform), .processors = std::max(platform.cores, 1)};
}

/// Holds the tokens of all GPUs, those of the first one first. Sections are pure device time, so inherited priority is
/// of no use to a holder. It also keeps the rules of the CK-OMLP for cores, each a cluster of its own. A job asks only
/// while it is the best pending one of its core. One that lends its priority at its release does nothing until it has
/// it back.
template <TokenRule Order, class Table>
class token_bank {
 public:
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool donates = takt::detail::token_donates<Order>();

  /// All outlive the bank.
  constexpr token_bank(const Table& table, const layout<Table>& steps, const platform_record& platform,
                       std::size_t cores)
      : table_{&table},
        layout_{&steps},
        platform_{&platform},
        lock_{takt::detail::make_token_lock<max_tasks>(Order{}, detail::setting_of<max_tasks>(platform))},
        loans_(donates ? cores : 0) {}

  [[nodiscard]] constexpr auto holds(rank r) const noexcept -> bool { return lock_.holds(r); }
  /// Returns true when r holds a token from now on. If it may not ask yet, it is held back and asks later.
  constexpr auto ask(rank r) noexcept -> bool {
    if constexpr (donates) {
      if (!loans_of(r).may_issue(r)) {
        gate_.insert(r);
        return false;
      }
      loans_of(r).issued(r);
    }
    return lock_.issue(r, {.priority = {.point = r}}) == r;
  }
  /// Returns who holds the token instead, or `nobody`. Pre: r holds one.
  constexpr auto give_back(rank r) noexcept -> rank {
    TAKT_EXPECTS(lock_.holds(r));
    const rank next = lock_.release(r);
    if constexpr (donates) { loans_of(r).request_completed(r); }
    return next;
  }

  constexpr void released(rank r) noexcept {
    if constexpr (donates) {
      if (loans_of(r).released(r, {.point = r}) != no_request) { lenders_.insert(r); }
    }
  }
  constexpr void completed(rank r) noexcept {
    if constexpr (donates) { loans_of(r).completed(r); }
  }
  [[nodiscard]] constexpr auto lends(rank r) const noexcept -> bool { return donates && lenders_.contains(r); }
  /// Returns a job that has its priority back, or may ask now, only once for each; `nobody` if there is none.
  constexpr auto next_freed() noexcept -> rank {
    if constexpr (donates) {
      const rank r = take_first(lenders_, [this](rank i) { return !loans_of(i).is_donor(i); });
      return r != nobody ? r : take_first(gate_, [this](rank i) { return loans_of(i).may_issue(i); });
    }
    return nobody;
  }

  struct place {
    std::int32_t gpu = 0;
    std::int32_t token = 0;  ///< of that GPU
  };
  /// Returns the token that r holds.
  [[nodiscard]] constexpr auto place_of(rank r) const noexcept -> place {
    place out{0, lock_.replica(r)};
    for (; out.token >= gpu_of(out.gpu).tokens; ++out.gpu) { out.token -= gpu_of(out.gpu).tokens; }
    return out;
  }
  /// Returns the SMs behind the token.
  [[nodiscard]] constexpr auto sms_of(rank r) const noexcept -> track {
    const place at = place_of(r);
    const std::int32_t slot = gpu_of(at.gpu).slot();
    return {stage::kernel, at.gpu, at.token * slot, slot};
  }
  /// Returns the time of a kernel of this length there. Pre: r holds a token; no overflow, as the layout has seen.
  [[nodiscard]] constexpr auto held_to_sms_of(rank r, std::uint32_t position, ticks length) const noexcept -> ticks {
    TAKT_EXPECTS(lock_.holds(r));
    const track on = sms_of(r);
    interval<ticks> time{};
    (void)table_->kernel_bounds(table_->segments[position], gpu_of(on.gpu).power(on.count), time);
    return std::clamp(length, time.lower, time.upper);
  }

 private:
  using loans = priority_donation<max_tasks>;

  [[nodiscard]] constexpr auto gpu_of(std::int32_t gpu) const noexcept -> const gpu_record& {
    return platform_->gpus[static_cast<std::size_t>(gpu)];
  }
  [[nodiscard]] constexpr auto loans_of(rank r) noexcept -> loans& {
    return loans_[layout_->core_of(static_cast<std::size_t>(r))];
  }
  template <class Free>
  [[nodiscard]] constexpr auto take_first(rank_set<max_tasks>& among, Free free) noexcept -> rank {
    if (among.empty()) { return nobody; }
    for (rank r = 0; r < static_cast<rank>(table_->size()); ++r) {
      if (!among.contains(r) || !free(r)) { continue; }
      among.erase(r);
      return r;
    }
    return nobody;
  }

  const Table* table_;
  const layout<Table>* layout_;
  const platform_record* platform_;
  decltype(Order{}.template make_lock<max_tasks>(token_setting{})) lock_;
  std::vector<loans> loans_;  ///< one per core, or none
  rank_set<max_tasks> lenders_;
  rank_set<max_tasks> gate_;  ///< who may not ask yet
};

/// Replaces the bank where GPUs have no tokens: as if each job had one for good.
class no_token_bank {
 public:
  template <class... Any>
  constexpr explicit no_token_bank(const Any&... /*any*/) noexcept {}

  [[nodiscard]] static constexpr auto holds(rank /*r*/) noexcept -> bool { return true; }
  [[nodiscard]] static constexpr auto ask(rank /*r*/) noexcept -> bool { return true; }
  static constexpr void released(rank /*r*/) noexcept {}
  static constexpr void completed(rank /*r*/) noexcept {}
  [[nodiscard]] static constexpr auto lends(rank /*r*/) noexcept -> bool { return false; }
  [[nodiscard]] static constexpr auto next_freed() noexcept -> rank { return nobody; }
};

template <class GpuRule, class Table>
struct token_bank_of {
  using type = no_token_bank;
};
template <TokenLocked GpuRule, class Table>
struct token_bank_of<GpuRule, Table> {
  using type = token_bank<typename GpuRule::token_rule, Table>;
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
