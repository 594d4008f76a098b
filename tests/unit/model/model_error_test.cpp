// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/model_error.hpp>

TEST_CASE("errors are the same if fault and place are, whatever is known of the values") {
  using takt::model_error;
  constexpr model_error one{.fault = takt::model_fault::negative_time, .task = 1, .visit = 2, .edge = 3, .pool = 4};
  const auto changed = [&](const auto& change) {
    model_error out = one;
    change(out);
    return out;
  };
  CHECK(one == changed([](model_error& e) { e.name = "a"; }));
  CHECK(one == changed([](model_error& e) { e.has_value = true; }));
  CHECK(one == changed([](model_error& e) { e.limit = 7; }));
  CHECK(one != changed([](model_error& e) { e.fault = takt::model_fault::no_task; }));
  CHECK(one != changed([](model_error& e) { e.task = 0; }));
  CHECK(one != changed([](model_error& e) { e.visit = 0; }));
  CHECK(one != changed([](model_error& e) { e.edge = 0; }));
  CHECK(one != changed([](model_error& e) { e.pool = 0; }));
  CHECK(one != model_error{});
}
