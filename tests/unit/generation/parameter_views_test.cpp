// SPDX-License-Identifier: Apache-2.0
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>

#include <takt/generation/parameter_views.hpp>

TEST_CASE("parameters are every combination, the last one fastest, and go on into other views") {
  const std::vector<int> sms{4, 8};
  const std::vector<char> rules{'a', 'b'};
  using row = std::tuple<int, char, int>;
  const std::vector<int> seeds{1, 2};
  const auto all = takt::views::parameters(sms, rules, seeds) | ranges::to<std::vector<row>>;
  CHECK(all ==
        std::vector<row>{
            {4, 'a', 1}, {4, 'a', 2}, {4, 'b', 1}, {4, 'b', 2}, {8, 'a', 1}, {8, 'a', 2}, {8, 'b', 1}, {8, 'b', 2}});
  const auto even = ranges::views::filter([](const auto& p) { return std::get<2>(p) == 2; });
  CHECK(ranges::distance(takt::views::parameters(sms, rules, seeds) | even) == 4);
  const std::vector<int> none;
  CHECK(ranges::distance(takt::views::parameters(sms, none)) == 0);
  CHECK(ranges::distance(takt::views::parameters(sms)) == 2);
}
