// SPDX-License-Identifier: Apache-2.0
// Plain types of a test's own among those of takt: rules with a right and with a wrong bound, and cores of two kinds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "property/plain_systems.hpp"

namespace {

using namespace plain_systems;

/// A queue with its bound as a member.
struct own_queue : takt::fifo_rule {
  static constexpr std::string_view name = "own queue";
  static void responds(std::span<takt::visit_demand> visits, std::int32_t units) {
    takt::analysis::arrival_order_responses(visits, units);
  }
};
/// Its bound leaves out who is there already.
struct forgetful_queue : takt::fifo_rule {
  static constexpr std::string_view name = "forgetful queue";
  static void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    for (takt::visit_demand& v : visits) { v.response = v.wcet; }
  }
};
/// Tokens for which nobody waits, as its bound has it.
struct impatient_order {
  static constexpr std::string_view name = "impatient order";
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const takt::token_setting& at) {
    return takt::fifo_order.make_lock<Clients>(at);
  }
  static void delays(std::span<takt::section_demand> sections, const takt::token_setting& /*at*/) {
    for (takt::section_demand& x : sections) { x.wait = 0; }
  }
};

template <class Cpu, class Copies, class Tokens>
auto judge(const Cpu& cpu, const Copies& copies, const Tokens& order) -> tally {
  tally count;
  const std::tuple group{takt::pool(sms, takt::federated), takt::pool(sms, takt::locked(order)),
                         takt::pool(sms, takt::levels(takt::edf)), takt::pool(sms, takt::fifo)};
  const auto choices =
      std::apply([](const auto&... pool) { return std::array<gpu_choice, gpus>{gpu_under(pool)...}; }, group);
  const auto make = [&](std::int32_t cores) {
    return std::apply(
        [&](const auto&... gpu) {
          return takt::platform(takt::pool(takt::processors(cores), cpu), takt::pool(takt::copy_engines(1), copies),
                                gpu...);
        },
        group);
  };
  const auto answers = judge_systems<body<shape::chains>>(make, cores_under(cpu), choices, 7, systems_or(400), count);
  CHECK(answers.unnamed == 0);
  CHECK(count.errors == 0);
  CHECK(count.proven > 0);
  return count;
}

// Cores of two kinds. A chain ends on a little one, and some tasks need both.

struct little_core {
  std::int32_t count = 1;
};
struct on_both_kinds {
  static constexpr std::size_t tasks = 4;
  static constexpr std::size_t on_gpu = 2;
  static auto of(draws d, std::span<const timing> t) {
    const auto chain = [&d](const timing& at) {
      const duration first = d.time(1, 4);
      const duration in = d.time(0, 2);
      const duration last = d.time(1, 4);
      return takt::task("chain", takt::period(at.period), takt::deadline(at.deadline), takt::priority(at.priority),
                        takt::on_core(at.core), takt::release_jitter(at.jitter), takt::cpu(first), takt::copy(in),
                        kernel_of(d), takt::visit<little_core>(takt::takes(last)));
    };
    const auto both = [&d](const timing& at) {
      const duration first = d.time(1, 3);
      const duration big = d.time(1, 4);
      const duration last = d.time(1, 3);
      return takt::task("both", takt::period(at.period), takt::deadline(at.deadline), takt::priority(at.priority),
                        takt::on_core(at.core), takt::release_jitter(at.jitter),
                        takt::visit<little_core>(takt::takes(first)), takt::cpu(big),
                        takt::visit<little_core>(takt::takes(last)));
    };
    const auto a = chain(t[0]);
    const auto b = chain(t[1]);
    const auto c = both(t[2]);
    return takt::task_set(a, b, c, both(t[3]));
  }
};

template <std::size_t Group, class Big, class Little>
void judge_kinds(const Big& big, const Little& little, std::int32_t most) {
  tally count;
  draws d{3};
  const auto make = [&](std::int32_t cores) {
    return std::apply(
        [&](const auto&... gpu) {
          return takt::platform(takt::pool(takt::processors(cores), big),
                                takt::pool(little_core{d.count(1, most)}, little),
                                takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::edf)), gpu...);
        },
        std::get<Group>(gpu_groups));
  };
  const auto answers =
      judge_systems<on_both_kinds>(make, cores_under(big), choices_of<Group>, 11, systems_or(400), count);
  MESSAGE(count.proven << " proofs, " << count.jobs << " jobs, " << count.tight << " tight");
  CHECK(answers.unnamed == 0);
  CHECK(answers.refused == 0);
  CHECK(count.errors == 0);
  CHECK(count.violations == 0);
  for (const std::uint64_t proofs : answers.proofs) { CHECK(proofs > 0); }
}

}  // namespace

TEST_CASE("a rule of one's own with a right bound keeps it") {
  CHECK(judge(takt::edf, own_queue{}, takt::fifo_order).violations == 0);
}

TEST_CASE("runs find rules of one's own whose bounds leave something out") {
  CHECK(judge(takt::edf, forgetful_queue{}, takt::fifo_order).violations > 0);
  CHECK(judge(takt::edf, takt::fifo, impatient_order{}).violations > 0);
}

TEST_CASE("cores of two kinds and four GPUs under rules of their own keep the bounds of proofs") {
  judge_kinds<0>(takt::edf, takt::rate_monotonic, 1);
  judge_kinds<3>(takt::g_fl, takt::fifo, 2);
}
