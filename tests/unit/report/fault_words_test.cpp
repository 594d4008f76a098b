// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/report/fault_words.hpp>

namespace {

using takt::model_error;
using takt::model_fault;
using takt::report::explain_fault;
using takt::report::words_of;

}  // namespace

TEST_CASE("a fault is a sentence with its task, field, value, limit and what is allowed") {
  const model_error late{.fault = model_fault::deadline_exceeds_period,
                         .task = 3,
                         .name = "camera",
                         .value = 40'000'000,
                         .limit = 33'000'000,
                         .has_value = true,
                         .has_limit = true};
  CHECK(explain_fault(late) ==
        "task \"camera\": deadline 40ms exceeds the period 33ms: deadline <= period for this analysis");
  CHECK(words_of(late).field == "deadline");
  CHECK(words_of(late).problem == "40ms exceeds the period 33ms");
}

TEST_CASE("a fault without a name or a value says what is known") {
  CHECK(explain_fault({.fault = model_fault::empty_chain, .task = 2}) ==
        "task 2: the chain is empty: at least one cpu segment");
  CHECK(explain_fault({.fault = model_fault::no_task}) == "there is no task: at least one task");
  CHECK(explain_fault({.fault = model_fault::copy_without_engine, .task = 0, .visit = 1, .name = "a"}) ==
        "task \"a\", visit 1: copy needs a copy engine, and the platform has none: platform.copy_engines, or no copy "
        "segments");
  CHECK(explain_fault({.fault = model_fault::unknown_node, .task = 0, .edge = 4}) ==
        "task 0, edge 4: edges name no node of their graph: two nodes of the same graph");
  CHECK(explain_fault({}).empty());
}

TEST_CASE("a visit without a time says which facts would give one") {
  const auto allowed = [](const takt::lacking_facts& facts) {
    return words_of({.fault = model_fault::visit_time_unknown, .task = 2, .visit = 1, .lacks = facts}).allowed;
  };
  using takt::visit_fact;
  CHECK(allowed(takt::lacks(visit_fact::wcet_by_share)) == "the rule needs wcet_by_share");
  CHECK(allowed(takt::lacks(visit_fact::wcet, visit_fact::work, visit_fact::times_on_sms)) ==
        "the rule needs one of wcet, work, time_on");
  CHECK(allowed({}) == "a fact that the rule of the pool reads; docs/extending.md lists them");
}

TEST_CASE("values of a fault are times, numbers, bytes or ranges, as their field has them") {
  const auto problem = [](model_fault fault, std::int64_t value) {
    return words_of({.fault = fault, .task = 0, .value = value, .has_value = true}).problem;
  };
  CHECK(problem(model_fault::duplicate_priority, 7) == "7 belongs to an earlier task too");
  CHECK(problem(model_fault::core_out_of_range, 2) == "2 is not a core of the platform");
  CHECK(problem(model_fault::negative_time, -1000) == "-1us is negative");
  const model_error range{.fault = model_fault::best_case_exceeds_worst_case,
                          .value = 3'000'000,
                          .limit = 2'000'000,
                          .has_value = true,
                          .has_limit = true};
  CHECK(words_of(range).problem == "[3ms, 2ms] has a lower bound above its upper bound");
  CHECK(words_of({.fault = model_fault::duplicate_name, .task = 1, .name = "x"}).problem ==
        "\"x\" names an earlier task too");
  CHECK(words_of({.fault = model_fault::time_overflow}).problem ==
        "what the times add up to overflows 64-bit nanoseconds");
}
