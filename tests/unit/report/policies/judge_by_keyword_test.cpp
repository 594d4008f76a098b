// SPDX-License-Identifier: Apache-2.0
#include <takt/report/comparison_lines.hpp>
#include <takt/report/comparison_table.hpp>
#include <takt/report/counterexample_words.hpp>
#include <takt/report/job_intervals.hpp>  // before the policies: it has a `description`, too
#include <takt/report/policies/policy_input.hpp>
#include <takt/report/policies/policy_summary.hpp>
#include <takt/systems/judge_by_keyword.hpp>
#include <takt/systems/policies.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::verdict_status;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<3, 12, 4, 4>;
using question = takt::report::policy_query<tasks_type>;
using judged = takt::report::judged_policy<tasks_type>;
using texts = std::vector<std::string>;

constexpr ticks ms = 1'000'000;

auto timed(resource_kind where, ticks upper, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
/// CPU, a kernel, CPU.
void add_chain(tasks_type& out, std::string_view name, ticks period, ticks work,
               std::int32_t core = takt::unassigned_core) {
  REQUIRE(out.add_task({.name = name, .period = period, .deadline = period, .core = core}));
  takt::runtime_visit kernel{.where = resource_kind::gpu, .predecessors = 1};
  kernel.known.add(visit_fact::work);
  kernel.known.add(visit_fact::interleave);
  kernel.interleave_numerator = 1;
  kernel.work = {0, work};
  REQUIRE(out.add_visit(timed(resource_kind::processor, ms, 0)));
  REQUIRE(out.add_visit(kernel));
  REQUIRE(out.add_visit(timed(resource_kind::processor, ms, 2)));
}
auto two_chains(ticks work = 8 * ms) -> tasks_type {
  tasks_type out;
  add_chain(out, "detect", 60 * ms, 2 * work);
  add_chain(out, "track", 40 * ms, work, 0);
  return out;
}
auto board_of(std::int32_t processors, std::int32_t sms) -> takt::hardware {
  takt::hardware out{.processors = processors, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(out.gpus.try_push_back({.sms = sms, .virtual_per_sm = 2}));
  return out;
}
auto asked(std::string policy) -> question {
  question out;
  out.policy = std::move(policy);
  out.cpus = "fixed-priority";
  return out;
}
auto judge(const question& q, const tasks_type& tasks, const takt::hardware& board) -> std::unique_ptr<judged> {
  return takt::report::judge_by_keyword(takt::fixed_priority, q, tasks, board);
}
auto has(const texts& all, std::string_view text) -> bool {
  return std::ranges::any_of(all, [&](const std::string& s) { return s.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a policy by its word is judged, and what was chosen stands in words") {
  const auto tasks = two_chains();
  const auto board = board_of(2, 4);
  const auto found = judge(asked("federated"), tasks, board);
  REQUIRE(found->judged);
  CHECK(found->verdict.schedulable());
  CHECK(found->policy == "federated");
  CHECK(found->rule.sharing == "isolated");
  const auto out = takt::report::summarize(*found, tasks, board);
  CHECK(out.status == verdict_status::schedulable);
  CHECK(out.platform_words == texts{"2 cores (fixed-priority)", "1 copy engine (nonpreemptive-fixed-priority)",
                                    "a GPU of 4 SMs x 2 virtual (federated)"});
  CHECK(out.plan_words.starts_with("SMs: detect "));
  CHECK(out.plan_words.find("cores: detect ") != std::string::npos);
  CHECK(has(out.assumptions, "do not slow one another down"));
  CHECK_FALSE(has(takt::report::summarize(*found, tasks, board, {.contention = true}).assumptions, "slow one another"));
  CHECK(takt::report::chosen_places(tasks, board, *found, 1).size() == 1);
  CHECK(takt::report::chosen_places(tasks, board, *found, 1)[0].starts_with("detect on "));
}

TEST_CASE("what its published method says of the verdict has terms, and bounds of other readings") {
  const auto tasks = two_chains();
  const auto board = board_of(2, 4);
  const auto found = judge(asked("federated"), tasks, board);
  REQUIRE(found->explain);
  const auto said = found->explain(*found, tasks, board);
  REQUIRE(said);
  CHECK_FALSE(found->unread);
  CHECK(said->tasks[0].other_bounds.size() == 3);
  CHECK(said->plan_words.starts_with("SMs: "));
}

TEST_CASE("one analysis alone is asked by its name, and a search that may be ended says that it was") {
  const auto board = board_of(2, 6);
  auto q = asked("federated");
  q.analysis = "self-suspension";
  CHECK(judge(q, two_chains(), board)->verdict.method == "self-suspension");
  int searches = 0;
  q.analysis = "rtgpu";
  q.search = takt::search_method::exhaustive;
  q.begin_search = [&searches] {
    ++searches;
    return [](std::uint64_t evaluations) { return evaluations > 0; };
  };
  const auto tight = two_chains(190 * ms);
  const auto ended = judge(q, tight, board);
  CHECK(searches > 0);
  CHECK_FALSE(ended->verdict.schedulable());
  CHECK_FALSE(ended->verdict.plan.effort.complete);
  const auto said = ended->explain(*ended, tight, board);
  REQUIRE(said);
  CHECK(has(said->notes, "search not complete, some plan may pass (exhaustive search, "));
}

TEST_CASE("engines with locks are refused where the policy has no tokens for them") {
  auto q = asked("federated");
  q.engines.emplace();
  const auto found = judge(q, two_chains(), board_of(2, 8));
  CHECK(!found->judged);
  CHECK(found->verdict.error.fault == takt::model_fault::option_unused);
}

TEST_CASE("every system that is there can be asked for by its name") {
  CHECK(takt::report::has_system("rtgpu"));
  CHECK(!takt::report::has_system("rtgp"));
  texts words;
  takt::report::each_analysis_word([&](std::string_view word) { words.emplace_back(word); });
  CHECK(has(words, "enhanced-mpcp"));
}

TEST_CASE("facts that a policy lacks are named where they belong, and nothing is judged") {
  const auto tasks = two_chains();
  const auto found = judge(asked("time-sliced"), tasks, board_of(1, 4));
  CHECK_FALSE(found->judged);
  REQUIRE(found->missing.size() == 1);
  CHECK(found->missing[0].fact == "context_switch");
}

TEST_CASE("a bound that was given up is told from one that exceeds its deadline") {
  constexpr ticks far = ticks{1} << 40;
  const auto board = board_of(1, 4);
  const auto said_of_last = [&board](ticks period) {
    tasks_type tasks;
    for (const auto& [name, every, time] :
         {std::tuple{"full", ticks{6}, ticks{6}}, std::tuple{"last", period, ticks{2}}}) {
      REQUIRE(tasks.add_task({.name = name, .period = every, .deadline = every, .core = 0}));
      REQUIRE(tasks.add_visit(timed(resource_kind::processor, time, 0)));
    }
    const auto found = judge(asked("whole-gpu"), tasks, board);
    REQUIRE(found->judged);
    CHECK_FALSE(found->verdict.schedulable());
    const auto out = takt::report::summarize(*found, tasks, board);
    CHECK(out.tasks[0].meets);
    return out.tasks[1].because;
  };
  CHECK(said_of_last(far) == "bounds still grew when the search for them ended at its limit of rounds");
  CHECK(said_of_last(12) == "no bound is known under whole-gpu");
}

TEST_CASE("rules in words say again what a policy is") {
  using takt::report::keyword_of_rule;
  using takt::report::rule_of_policy;
  takt::published_policies.each([](const auto& policy) {
    CHECK_MESSAGE(keyword_of_rule(rule_of_policy(policy)).starts_with(policy.name), policy.name);
    CHECK(takt::report::keyword_of_policy(policy) == policy.name);
  });
  takt::tokens_k_fmlp_policy tokens;
  REQUIRE(tokens.set("2"));
  CHECK(takt::report::keyword_of_policy(tokens) == "tokens-k-fmlp:2");
  CHECK(keyword_of_rule(rule_of_policy(tokens)) == "tokens-k-fmlp:2");
  takt::time_sliced_policy sliced;
  REQUIRE(sliced.set("2ms"));
  CHECK(keyword_of_rule(rule_of_policy(sliced)) == "time-sliced:2000000ns");
  takt::slots_policy slots;
  takt::report::sharing_rule said;
  said.slots = takt::report::slot_times{9, {{0, 4}}, {{4, 5}}};
  takt::report::take_values(slots, said);
  CHECK(slots.is_given());
  CHECK(slots.gang.offset == 4);
  CHECK(rule_of_policy(slots).slots == takt::report::slot_times{9, {{0, 4}}, {{4, 5}}});
}

TEST_CASE("priorities are said of rules that have some") {
  auto tasks = two_chains();
  using takt::report::priority_words;
  takt::inline_vector<std::int32_t, 2> none;
  CHECK(priority_words(tasks, "edf", none).empty());
  CHECK(priority_words(tasks, "g-rate-monotonic", none) == "rate monotonic");
  CHECK(priority_words(tasks, "fixed-priority", none) == "deadline monotonic");
  auto unlimited = tasks;
  unlimited.tasks[1].limited = false;
  for (const char* rule : {"fixed-priority", "deadline-monotonic", "g-deadline-monotonic"}) {
    CHECK(priority_words(unlimited, rule, none) != priority_words(tasks, rule, none));
  }
  tasks.tasks[0].priority = 1;
  CHECK(priority_words(tasks, "fixed-priority", none) == "deadline monotonic, because not every task has one");
  const std::array<std::int32_t, 2> chosen{1, 0};
  CHECK(priority_words(tasks, "fixed-priority", chosen) == "chosen, track before detect");
  CHECK(priority_words(tasks, "rate-monotonic", chosen) == "rate monotonic");
  tasks.tasks[1].priority = 0;
  CHECK(priority_words(tasks, "fixed-priority", none) == "as given");
}

TEST_CASE("longer times, and late timers, are judged with the workload") {
  const auto board = board_of(2, 4);
  takt::report::policy_input<tasks_type, question> input{.question = asked("federated"),
                                                         .tasks = std::make_unique<tasks_type>(two_chains()),
                                                         .alone = nullptr,
                                                         .timers_are_late = false,
                                                         .notes = {}};
  const auto by = [&](const question& q, const tasks_type& tasks) { return judge(q, tasks, board); };
  CHECK(takt::report::judge_input(input, by)->verdict.schedulable());
  CHECK_FALSE(takt::report::judge_input(input, by, 30'000)->verdict.schedulable());
  CHECK(takt::report::judge_input(input, by, std::int64_t{1} << 60) == nullptr);
  *input.tasks = two_chains(300 * ms);
  REQUIRE(takt::report::judge_input(input, by)->verdict.status == verdict_status::unschedulable);
  input.alone = std::make_unique<tasks_type>(two_chains());
  const auto slowed = takt::report::judge_input(input, by);
  CHECK(slowed->verdict.status == verdict_status::not_proven);
  CHECK(slowed->misses.empty());
}

TEST_CASE("a run that misses under every plan is a proof, and its words name it") {
  tasks_type tasks;
  REQUIRE(tasks.add_task({.name = "early", .period = 10, .deadline = 10, .priority = 0, .core = 0}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 6, 0)));
  REQUIRE(tasks.add_task({.name = "late", .period = 30, .deadline = 14, .priority = 1, .core = 0}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 5, 0)));
  const auto on = takt::any_board_of<12>(takt::federated_policy{}, board_of(1, 1), takt::fixed_priority);
  const auto broken = takt::report::break_plans(on, tasks, takt::plan<3, 12>{});
  REQUIRE(broken.example.exists);
  takt::report::verdict_summary out;
  takt::report::add_counterexample(broken, tasks, out);
  const std::string sentence =
      "A simulated run misses a deadline: late is not done at 14ns (releases periodic, seed 1)";
  if (broken.all()) {
    CHECK(out.findings == texts{sentence + "."});
    CHECK(out.status == verdict_status::unschedulable);
  }
  auto guess = broken;
  guess.times_are_given = false;
  takt::report::verdict_summary open;
  takt::report::add_counterexample(guess, tasks, open);
  CHECK(open.notes == texts{sentence + ", but another plan may do better."});
  CHECK(open.status == verdict_status::not_proven);
}

TEST_CASE("a comparison of the library has the words of its rows") {
  const auto tasks = two_chains();
  const auto board = board_of(2, 4);
  const auto all = takt::compare<takt::published_judges>(
      tasks, board, takt::policies(takt::federated_policy{}, takt::time_sliced_policy{}, takt::shares_policy{}));
  const auto out = takt::report::summarize(all, tasks, board, "two chains");
  CHECK(out.platform_words == texts{"2 cores", "1 copy engine", "a GPU of 4 SMs x 2 virtual"});
  REQUIRE(out.rows.size() == 3);
  CHECK(out.rows[0].policy == "federated");
  CHECK(out.rows[0].status == all.lines[0].verdict.status);
  CHECK(out.rows[0].slack_permille == all.lines[0].slack());
  CHECK(out.rows[0].plan_words.starts_with("SMs: detect "));
  CHECK(out.rows[0].tasks.size() == 2);
  CHECK_FALSE(out.rows[1].status);
  REQUIRE(out.rows[1].missing.size() == 1);
  CHECK(out.rows[1].missing[0].fact == "context_switch");
  CHECK(out.rows[2].plan_words.starts_with("per cent of the GPU: detect "));
  CHECK(takt::report::comparison_text(out).find("two chains") != std::string::npos);
  auto unknown = tasks;
  unknown.visits[1].known = {};
  const auto open = takt::report::summarize(
      takt::compare<takt::published_judges>(unknown, board, takt::policies(takt::federated_policy{})), unknown, board);
  REQUIRE_FALSE(open.rows[0].missing.empty());
  CHECK(open.rows[0].missing[0].at == "detect step 1");
}
