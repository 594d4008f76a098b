// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Holds some lengths by user, longest first.
template <class Number, std::size_t Capacity>
class ranked_lengths {
 public:
  /// Lengths of 0 are left out. Pre: fewer than Capacity were added. Cost: n steps.
  constexpr void add(std::size_t user, const Number& length) {
    if (!(Number(0) < length)) { return; }
    TAKT_EXPECTS(!ranked_.full());
    ranked_.unchecked_push_back({user, length});
    for (std::size_t at = ranked_.size() - 1; at > 0 && ranked_[at - 1].length < length; --at) {
      ranked_[at] = ranked_[at - 1];
      ranked_[at - 1] = {user, length};
    }
  }
  [[nodiscard]] constexpr auto users() const noexcept -> std::int64_t {
    return static_cast<std::int64_t>(ranked_.size());
  }
  /// Returns the longest of all but one user's; 0 if there is none.
  [[nodiscard]] constexpr auto longest_but(std::size_t user) const -> Number { return sum_but(user, 1); }
  /// Returns the sum of the `count` longest of all but one user's. Pre: the sum fits.
  [[nodiscard]] constexpr auto sum_but(std::size_t user, std::int64_t count) const -> Number {
    Number sum(0);
    for (std::size_t i = 0; i < ranked_.size() && count > 0; ++i) {
      if (ranked_[i].user == user) { continue; }
      sum = sum + ranked_[i].length;
      --count;
    }
    return sum;
  }

 private:
  struct entry {
    std::size_t user = 0;
    Number length{};
  };
  inline_vector<entry, Capacity> ranked_;
};

/// Holds the critical sections of a token pool: each accelerator segment between two CPU segments, its kernel on the
/// SMs behind a token, of the slowest GPU where tokens differ. A copy waits in an engine's first-in-first-out queue for
/// one copy of each other token holder at most. An accelerator segment that takes no time asks for no token.
template <class Table>
class token_sections {
 public:
  using number = typename Table::number;

  /// Pre: `chain_fault` finds nothing, and every GPU has a slot.
  constexpr token_sections(const Table& table, const platform_record& platform) {
    TAKT_EXPECTS_IN_TESTS(!chain_fault(table, platform));
    for (const gpu_record& gpu : platform.gpus) {
      TAKT_EXPECTS(gpu.tokens >= 1);
      tokens_ += gpu.tokens;
    }
    ranked_lengths<number, Table::max_tasks> copies[max_copy_engines];
    for (std::size_t k = 0; k < table.size(); ++k) {
      for (std::int32_t e = 0; e < max_copy_engines; ++e) { copies[e].add(k, longest_copy(table, platform, k, e)); }
    }
    for (std::size_t k = 0; k < table.size(); ++k) {
      number waits[max_copy_engines]{};
      for (std::int32_t e = 0; e < max_copy_engines; ++e) { waits[e] = copies[e].sum_but(k, tokens_ - 1); }
      measure(table, platform, k, waits);
      sections_.add(k, longest_[k]);
    }
  }

  [[nodiscard]] constexpr auto tokens() const noexcept -> std::int64_t { return tokens_; }
  /// Pre, here and below: k < max_tasks.
  [[nodiscard]] constexpr auto cpu(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return cpu_[k];
  }
  /// Returns all sections of a job together.
  [[nodiscard]] constexpr auto device(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return device_[k];
  }
  [[nodiscard]] constexpr auto longest(std::size_t k) const noexcept -> const number& {
    TAKT_EXPECTS(k < Table::max_tasks);
    return longest_[k];
  }
  [[nodiscard]] constexpr auto requests(std::size_t k) const noexcept -> std::int64_t {
    TAKT_EXPECTS(k < Table::max_tasks);
    return requests_[k];
  }
  /// Returns the longest section of each task that has one.
  [[nodiscard]] constexpr auto ranked() const noexcept -> const ranked_lengths<number, Table::max_tasks>& {
    return sections_;
  }

 private:
  [[nodiscard]] static constexpr auto longest_copy(const Table& table, const platform_record& platform, std::size_t k,
                                                   std::int32_t engine) -> number {
    number longest(0);
    for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
      const auto& s = table.segment(k, j);
      if (s.where != stage::copy || platform.engine_of(s.direction) != engine) { continue; }
      longest = longest < s.time.upper ? s.time.upper : longest;
    }
    return longest;
  }

  constexpr void measure(const Table& table, const platform_record& platform, std::size_t k, const number* waits) {
    number open(0);
    cpu_[k] = device_[k] = longest_[k] = number(0);
    for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
      const auto& s = table.segment(k, j);
      switch (s.where) {
        case stage::cpu:
          cpu_[k] = cpu_[k] + s.time.upper;
          close(k, open);
          open = number(0);
          break;
        case stage::kernel: open = open + slowest(table, platform, s); break;
        case stage::copy:
          if (number(0) < s.time.upper) { open = open + s.time.upper + waits[platform.engine_of(s.direction)]; }
          break;
      }
    }
  }
  constexpr void close(std::size_t k, const number& section) {
    if (!(number(0) < section)) { return; }
    ++requests_[k];
    device_[k] = device_[k] + section;
    longest_[k] = longest_[k] < section ? section : longest_[k];
  }
  [[nodiscard]] static constexpr auto slowest(const Table& table, const platform_record& platform,
                                              const segment_record<number>& kernel) -> number {
    number longest(0);
    for (const gpu_record& gpu : platform.gpus) {
      interval<number> time{};
      (void)table.kernel_bounds(kernel, gpu.power(gpu.slot()), time);
      longest = longest < time.upper ? time.upper : longest;
    }
    return longest;
  }

  std::int64_t tokens_ = 0;
  ranked_lengths<number, Table::max_tasks> sections_;
  std::array<number, Table::max_tasks> cpu_{};
  std::array<number, Table::max_tasks> device_{};
  std::array<number, Table::max_tasks> longest_{};
  std::array<std::int64_t, Table::max_tasks> requests_{};
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
