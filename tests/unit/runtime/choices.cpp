// SPDX-License-Identifier: Apache-2.0
// Every choice that a run or a training takes as a value, with numbers that its type does not name.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>
#include <takt/prediction/corun/training.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/runtime/locking/named_locks.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/methods.hpp>

#include "support/choices.hpp"

namespace {

using namespace takt::literals;
namespace rt = takt::runtime;
using takt_test::expect_only_named;

[[nodiscard]] auto briefly() -> rt::run_options {
  rt::run_options o;
  o.length = 1_ms;
  o.real_time = o.pin_to_cores = o.lock_memory = false;
  return o;
}
template <class Result>
[[nodiscard]] auto is_choice(const Result& r) -> bool {
  return r.error.fault == takt::model_fault::choice_out_of_range;
}

TEST_CASE("nothing runs with unknown lengths or an unknown policy of overruns") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(4, 2), takt::federated));
  constexpr auto tasks = takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_us)));
  constexpr auto gpu = takt::platform(takt::pool(takt::accelerator(2, 2), takt::nonpreemptive(takt::edf)));
  constexpr auto kernels =
      takt::task_set(takt::task("k", takt::period(20_ms), takt::kernel(takt::wcet(1_us), takt::on_sm(0))));
  const auto refuses = [&](const rt::run_options& o) {
    rt::emulated_device device{board.record()};
    const bool refused = is_choice(rt::run(board, tasks, takt::dedicate(0), device, o));
    rt::emulated_accelerator accelerator{gpu.accelerator()};
    rt::board_devices devices;
    devices.kernels(0, accelerator);
    CHECK(refused == is_choice(rt::run(gpu, kernels, takt::plan<1>{}, devices, o)));
    return refused;
  };
  expect_only_named<rt::length_choice>(3, [&](rt::length_choice e) {
    auto o = briefly();
    o.lengths = e;
    return refuses(o);
  });
  expect_only_named<takt::late_handling>(3, [&](takt::late_handling e) {
    auto o = briefly();
    o.on_late = e;
    return refuses(o);
  });
}

TEST_CASE("no graph runs with an unknown choice") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::g_edf));
  takt::graph_table<takt::ticks, 1, 1, 1> graphs;
  static_cast<void>(graphs.add_graph("g", 10'000'000));
  takt::graph_node<takt::ticks> n;
  n.name = "n";
  static_cast<void>(graphs.add_node(n));
  const auto with = [&](const auto& change) {
    rt::graph_run_options o;
    o.length = 1_ms;
    o.invocations = 1;
    o.real_time = o.pin_to_cores = o.lock_memory = false;
    change(o);
    return is_choice(rt::run(board, graphs, takt::analysis::analyze_by<takt::published>(board, graphs).plan, o));
  };
  expect_only_named<takt::late_handling>(3, [&](auto e) { return with([e](auto& o) { o.on_late = e; }); });
  expect_only_named<rt::length_choice>(3, [&](auto e) { return with([e](auto& o) { o.lengths = e; }); });
}

TEST_CASE("a pool with an unknown layout of tokens is not made") {
  using pool = rt::named_gpu_pool<1, 1, 2>;
  expect_only_named<takt::token_layout>(2, [](takt::token_layout e) {
    pool::description d;
    static_cast<void>(d.topology.add_gpu(takt::no_hub, 1));
    d.layout = e;
    try {
      const pool made{d};
    } catch (const rt::pool_error& error) { return error.field() == rt::pool_field::layout; }
    return false;
  });
}

TEST_CASE("no network is trained, asked or trusted with an unknown choice") {
  std::vector<takt::co_run_sample<std::array<double, 1>>> samples;
  for (int i = 0; i < 40; ++i) { samples.push_back({{static_cast<double>(i)}, takt::ticks{i} + 1}); }
  takt::training_options<1> usual;
  usual.structure.first_width = {0.1};
  usual.training_samples = 30;
  const auto trains = [&](const takt::training_options<1>& o, takt::co_run_model<1, 64>& model) {
    return takt::train<1, 64>(samples, o, model).status != takt::training_status::bad_option;
  };
  expect_only_named<takt::target_scale>(2, [&](takt::target_scale e) {
    auto o = usual;
    o.scale = e;
    takt::co_run_model<1, 64> model;
    const bool refused = !trains(o, model);
    REQUIRE(trains(usual, model));
    model.scale = e;
    CHECK(refused == !model.estimate({5.0}));
    return refused;
  });
  expect_only_named<takt::consequent_form>(2, [&](takt::consequent_form e) {
    auto o = usual;
    o.form = e;
    takt::co_run_model<1, 64> model;
    return !trains(o, model);
  });
  expect_only_named<takt::threshold_criterion>(2, [](takt::threshold_criterion e) {
    const std::array seen{takt::progress_error{.progress = 0.5, .error = 0.1}};
    return !takt::pick_threshold(seen, 0.2, e).has_value();
  });
}

}  // namespace
