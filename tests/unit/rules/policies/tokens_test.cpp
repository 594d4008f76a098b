// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string_view>

#include <takt/rules/policies/tokens.hpp>

namespace {

constexpr takt::gpu_hardware gpu_of(std::int32_t sms, std::int32_t granularity = 1) {
  takt::gpu_hardware out{};
  out.sms = sms;
  out.granularity = granularity;
  return out;
}

struct no_tasks {};

}  // namespace

TEST_CASE("a policy of tokens is named after its protocol and has its number of tokens as parameter") {
  CHECK(takt::tokens_k_fmlp_policy::name == "tokens-k-fmlp");
  CHECK(takt::tokens_k_fmlp_policy{}.parameter() == 0);
  CHECK(takt::tokens_k_fmlp_policy{.tokens = 3}.parameter() == 3);
  CHECK(takt::tokens_k_fmlp_policy{.tokens = takt::any_number_of_tokens}.parameter() == 0);
  CHECK(takt::tokens_k_fmlp_policy{.tokens = 3}.kernels_at_once() == 3);
}

TEST_CASE("each token needs an SM of its own") {
  constexpr takt::tokens_k_fmlp_policy open{};
  constexpr takt::tokens_k_fmlp_policy two{.tokens = 2};
  CHECK(open.missing(gpu_of(0)) == "sms");
  CHECK(open.missing(gpu_of(1)).empty());
  CHECK(two.missing(gpu_of(1)) == "sms");
  CHECK(two.missing(gpu_of(2)).empty());
  CHECK(two.missing(gpu_of(2, 2)) == "sms");
  CHECK(two.missing(gpu_of(4, 2)).empty());
}

TEST_CASE("a number of tokens that is left open is tried from one to four, as far as there are SMs") {
  constexpr takt::tokens_k_fmlp_policy open{};
  CHECK(open.choice_count(gpu_of(1), no_tasks{}) == 1);
  CHECK(open.choice_count(gpu_of(3), no_tasks{}) == 3);
  CHECK(open.choice_count(gpu_of(64), no_tasks{}) == 4);
  CHECK(open.choice(gpu_of(3), no_tasks{}, 2).tokens == 3);
  constexpr takt::tokens_k_fmlp_policy two{.tokens = 2};
  CHECK(two.choice_count(gpu_of(64), no_tasks{}) == 1);
  CHECK(two.choice(gpu_of(64), no_tasks{}, 0).tokens == 2);
}
