// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/model/plan.hpp>
#include <takt/rules/composed_plan.hpp>

namespace {

using takt::model_fault;

template <std::size_t N>
auto fault_of_copy(std::size_t cores) -> model_fault {
  takt::plan<8> from;
  takt::plan<N> to;
  for (std::size_t i = 0; i < cores; ++i) { from.cores.unchecked_push_back(0); }
  takt::detail::copy_decisions(from, to);
  return takt::parts_fault(to, {.cores = true}, 4).fault;
}

TEST_CASE("a plan of more entries than there is room for fits nothing, though what is left of it would") {
  CHECK(fault_of_copy<4>(4) == model_fault::none);
  CHECK(fault_of_copy<4>(5) == model_fault::plan_does_not_fit);
  CHECK(fault_of_copy<8>(5) == model_fault::plan_does_not_fit);
  CHECK(fault_of_copy<8>(4) == model_fault::none);
  CHECK(fault_of_copy<4>(0) == model_fault::none);
}

TEST_CASE("what is cut stays cut, and a plan that is written over is whole again") {
  takt::plan<8> from;
  for (std::size_t i = 0; i < 3; ++i) { from.priorities.unchecked_push_back(static_cast<std::int32_t>(i)); }
  takt::plan<2> small;
  takt::detail::copy_decisions(from, small);
  CHECK(small.cut);
  takt::plan<8> large;
  takt::detail::copy_decisions(small, large);
  CHECK(large.cut);
  takt::detail::copy_decisions(from, large);
  CHECK_FALSE(large.cut);
  CHECK(large.priorities == from.priorities);
}

}  // namespace
