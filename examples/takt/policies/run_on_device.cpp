// SPDX-License-Identifier: Apache-2.0
#include "run_on_device.hpp"

#include <type_traits>

#include <takt/core/value_list.hpp>
#include <takt/rules/policies/cpu_words.hpp>
#include <takt/runtime/accelerator/emulated_accelerator.hpp>
#include <takt/runtime/accelerator/run_accelerator.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>

#include "../large_stack.hpp"
#include "asked_policy.hpp"
#include "explained.hpp"

namespace takt::program {

namespace {

/// The orders of kernels that have words.
constexpr auto orders = list_of(edf, fixed_priority, rate_monotonic, deadline_monotonic);

/// The board that the published method of a policy and an order sees.
template <class Policy, class Order>
using board_seen = typename known_under<Policy, Order>::method;

using by_rank = std::remove_const_t<decltype(fixed_priority)>;

template <class Policy>
inline constexpr bool runs_chains = requires { requires DedicatedGpuPlatform<board_seen<Policy, by_rank>>; };
template <class Policy>
inline constexpr bool runs_kernels = requires { requires AcceleratorRule<board_seen<Policy, by_rank>>; };

/// Chains, with the priorities of the plan.
template <class Policy>
void run_chains(const Policy& policy, const policy_input& input, const hardware& board, const plan<max_tasks>& p,
                const runtime::run_options& options, optional_trace& recorder, std::optional<sighting>& out) {
  (void)known_under<Policy, by_rank>::with_board(
      policy, fixed_priority, *input.tasks, board, [&](const auto& platform, const auto& table, const auto&...) {
        runtime::emulated_device device{platform.record()};
        out = sighting_of(runtime::run(platform, table, p, device, options, recorder));
      });
}

template <class Policy>
void run_kernels(const Policy& policy, const policy_input& input, const hardware& board, const judged_policy& found,
                 const runtime::run_options& options, optional_trace& recorder, std::optional<sighting>& out) {
  orders.each([&](const auto& order) {
    using order_type = std::remove_cvref_t<decltype(order)>;
    if (cpu_word<order_type> != found.cpus) { return; }
    (void)known_under<Policy, order_type>::with_board(
        policy, order, *input.tasks, board, [&](const auto& platform, const auto& table) {
          runtime::emulated_accelerator device{platform.accelerator()};
          out = sighting_of(runtime::run(platform, table, found.hosted, device, options, recorder));
        });
  });
}

}  // namespace

auto is_run_on_devices(const policy_question& q) -> bool {
  bool out = false;
  with_asked_policy(q, [&out](const auto& policy) {
    using policy_type = std::remove_cvref_t<decltype(policy)>;
    out = runs_chains<policy_type> || runs_kernels<policy_type>;
  });
  return out;
}

auto run_on_device(const policy_input& input, const hardware& board, const judged_policy& found,
                   const runtime::run_options& options, trace* kept) -> std::optional<sighting> {
  std::optional<sighting> out;
  optional_trace recorder{kept};
  on_large_stack([&] {
    with_asked_policy(input.question, [&](auto policy) {
      using policy_type = decltype(policy);
      take_values(policy, found.rule);
      if constexpr (runs_chains<policy_type>) {
        if (!found.hosted.priorities.empty()) {
          run_chains(policy, input, board, found.hosted, options, recorder, out);
        }
      } else if constexpr (runs_kernels<policy_type>) {
        run_kernels(policy, input, board, found, options, recorder, out);
      }
    });
  });
  return out;
}

}  // namespace takt::program
