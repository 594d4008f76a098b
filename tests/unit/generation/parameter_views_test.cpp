// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
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
  using row = std::tuple<int, char, std::uint64_t>;
  const auto all = takt::views::parameters(sms, rules, takt::views::seeds(2)) | ranges::to<std::vector<row>>;
  CHECK(all ==
        std::vector<row>{
            {4, 'a', 1}, {4, 'a', 2}, {4, 'b', 1}, {4, 'b', 2}, {8, 'a', 1}, {8, 'a', 2}, {8, 'b', 1}, {8, 'b', 2}});
  const auto even = ranges::views::filter([](const auto& p) { return std::get<2>(p) == 2; });
  CHECK(ranges::distance(takt::views::parameters(sms, rules, takt::views::seeds(2)) | even) == 4);
  CHECK(ranges::distance(takt::views::parameters(sms, takt::views::seeds(0))) == 0);
  CHECK(ranges::distance(takt::views::parameters(sms)) == 2);
}

TEST_CASE("steps of a parameter have both ends, and one or none where so many are wanted") {
  CHECK((takt::views::steps<std::int64_t>(10, 40, 4) | ranges::to<std::vector<std::int64_t>>) ==
        std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK((takt::views::steps(0.0, 1.0, 3) | ranges::to<std::vector<double>>) == std::vector<double>{0, 0.5, 1});
  CHECK((takt::views::steps(7, 9, 1) | ranges::to<std::vector<int>>) == std::vector<int>{7});
  CHECK(ranges::distance(takt::views::steps(7, 9, 0)) == 0);
}
