// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string_view>

#include <takt/model/visit_fact.hpp>

TEST_CASE("every fact of a visit has a name of its own, and is known apart from all others") {
  using takt::visit_fact;
  std::set<std::string_view> names;
  const auto last = static_cast<int>(last_of(visit_fact{}));
  for (int i = 0; i <= last; ++i) {
    const auto fact = static_cast<visit_fact>(i);
    CHECK_FALSE(name_of(fact).empty());
    names.insert(name_of(fact));
    takt::known_facts known;
    CHECK(known.empty());
    known.add(fact);
    for (int k = 0; k <= last; ++k) { CHECK(known.has(static_cast<visit_fact>(k)) == (k == i)); }
    known.remove(fact);
    CHECK(known.empty());
  }
  CHECK(names.size() == static_cast<std::size_t>(last) + 1);
}
