// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/machine.hpp>
#include <takt/cuda/partition.hpp>

#include "kernels.hpp"
#include "long_kernel.hpp"
#include "measurement.hpp"

namespace takt_benchmarks {

struct isolation_options {
  std::int64_t samples = 5'000;         ///< of each row
  takt::ticks load_length = 1'000'000;  ///< of one launch of the load, at least
  takt::ticks warm_up = 500'000'000;    ///< for the clocks of the device
  std::string commit{};
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Measures all rows on device 0 and judges nothing. One thread; the driver is initialized by it. Error: `cuda_error`,
/// and `std::runtime_error` when the device does not answer within the host's limit.
template <cuda::CudaDriver D, IsolationKernels K, BenchmarkHost H>
class isolation_session {
 public:
  isolation_session(D& driver, K& kernels, H& host, isolation_options options)
      : driver_{&driver},
        kernels_{&kernels},
        host_{&host},
        options_{std::move(options)},
        machine_{cuda::query_machine(driver)},
        context_{driver, 0},
        within_{context_.ref()},
        memory_{context_.ref()},
        began_{context_.ref(), cuda::event_use::time},
        ended_{context_.ref(), cuda::event_use::time} {}

  [[nodiscard]] auto run() -> isolation_measurement {
    isolation_measurement out;
    const cuda::gpu_facts& gpu = machine_.gpus.front();
    out.device = {gpu.name, gpu.compute_major, gpu.compute_minor, gpu.sms, gpu.threads_per_sm, machine_.driver_version};
    out.commit = options_.commit;
    const cuda::stream<D> calm{context_.ref(), 0};
    prepare(calm.get(), out);
    const auto sizes = partition_sizes(out);
    const auto add = [&](row_kind k, std::int32_t sms) { out.rows.push_back(measure(k, sms)); };
    const auto add_green = [&](row_kind k) {
      for (const std::int32_t sms : sizes) {
        if (why_not_green(sms).empty()) { add(k, sms); }
      }
    };
    const auto add_pinned = [&](row_kind k) {
      for (const std::int32_t sms : sizes) { add(k, sms); }
    };
    out.first_spins = spins(calm.get());
    add(row_kind::alone, 0);
    add_green(row_kind::green_alone);
    add_pinned(row_kind::pinned_alone);
    measure_load_alone(calm.get(), out);
    add(row_kind::same_priority, 0);
    add(row_kind::lower_priority, 0);
    add_green(row_kind::both_green);
    add_pinned(row_kind::both_pinned);
    if (!sizes.empty()) {
      add(row_kind::shrink, sizes.front());
      add(row_kind::yield, sizes.front());
    }
    measure_control(calm.get(), out);
    add(row_kind::alone_again, 0);
    out.last_spins = spins(calm.get());
    return out;
  }

 private:
  static constexpr std::int32_t spins_each = 11;
  static constexpr std::int64_t most_launches = 16;

  /// Where the two sides of a row run.
  struct row_place {
    std::optional<cuda::partition<D>> parts{};
    cuda::stream<D> front{};
    cuda::stream<D> back{};
    cuda::sm_slots front_slots{};
    cuda::sm_slots back_slots{};   ///< from the start
    cuda::sm_slots asked_slots{};  ///< from the request
  };

  void check(cuda::result r, const char* call) const { context_.ref().check(r, call); }
  void wait(cuda::stream_handle s) const { check(driver_->wait_for_stream(s), "wait_for_stream"); }
  template <class Holds>
  void until(Holds holds, const char* what) const {
    if (!host_->until(holds)) { throw std::runtime_error{std::string{"waited in vain until "} + what}; }
  }
  template <class Arguments>
  void launch(cuda::function_handle f, std::int64_t blocks, std::uint32_t threads, cuda::stream_handle s,
              Arguments arguments) const {
    std::array<void*, 1> list{&arguments};
    const cuda::launch_shape shape{.grid = {.x = static_cast<std::uint32_t>(blocks)}, .block = {.x = threads}};
    check(driver_->launch(f, shape, s, list.data()), "launch");
  }
  [[nodiscard]] auto sms() const -> std::int32_t { return machine_.gpus.front().sms; }
  [[nodiscard]] auto steps() const -> std::uint64_t { return static_cast<std::uint64_t>(load_blocks_) * load_steps; }

  void prepare(cuda::stream_handle s, isolation_measurement& out) {
    options_.say("warming up");
    const std::int64_t slots = sms() * (machine_.gpus.front().threads_per_sm / std::int64_t{block_threads});
    load_ = memory_.load(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(slots) / 8));
    probe_ = memory_.probe();
    check(kernels_->prepare(probe_, load_), "prepare");
    const auto time_of = [&](std::int64_t blocks) {
      load_blocks_ = blocks;
      return std::optional{run_load(s)};
    };
    (void)time_of(slots);
    const auto long_enough = [&] {
      return work_that_takes(options_.load_length, slots, isolation_memory<D>::most_load_blocks, time_of);
    };
    const bool found = long_enough().has_value();
    for (const takt::ticks begin = host_->now(); found && host_->now() - begin < options_.warm_up;) {
      (void)run_load(s);
    }
    // The clocks have risen by now, so it takes more than before.
    const auto blocks = found ? long_enough() : std::nullopt;
    if (!blocks) { throw std::runtime_error{"no load is long enough"}; }
    load_blocks_ = *blocks;
    out.load_length = run_load(s);
  }

  /// The load alone, by events.
  auto run_load(cuda::stream_handle s) -> takt::ticks {
    memory_.poison_load(load_blocks_, s);
    memory_.clear_progress();
    check(driver_->record(began_.get(), s), "record");
    launch(kernels_->load(), load_blocks_, block_threads, s, load_);
    check(driver_->record(ended_.get(), s), "record");
    wait(s);
    return elapsed();
  }
  [[nodiscard]] auto elapsed() const -> takt::ticks {
    float milliseconds = 0;
    check(driver_->elapsed(began_.get(), ended_.get(), milliseconds), "elapsed");
    return static_cast<takt::ticks>(static_cast<double>(milliseconds) * 1e6);
  }

  void measure_load_alone(cuda::stream_handle s, isolation_measurement& out) {
    options_.say("the load alone");
    const std::int64_t runs = std::max<std::int64_t>(10, options_.samples / 20);
    for (std::int64_t i = 0; i < runs; ++i) {
      out.load_alone_time += run_load(s);
      out.load_alone_steps += memory_.marks(s).counted;
    }
  }

  [[nodiscard]] auto spins(cuda::stream_handle s) -> std::vector<spin_record> {
    options_.say("clocks");
    std::vector<spin_record> out;
    for (std::int32_t i = 0; i < spins_each; ++i) {
      spin_words& words = memory_.spun();
      words = {};
      check(driver_->record(began_.get(), s), "record");
      launch(kernels_->spin(), 1, 1, s, memory_.spin(1'000'000));
      check(driver_->record(ended_.get(), s), "record");
      until([&] { return std::atomic_ref{words.started}.load() != 0; }, "a spin started");
      const takt::ticks begin = host_->now();
      until([&] { return std::atomic_ref{words.ended}.load() != 0; }, "a spin ended");
      const takt::ticks end = host_->now();
      wait(s);
      out.push_back({static_cast<takt::ticks>(words.nanoseconds), end - begin, elapsed(), words.cycles});
    }
    return out;
  }

  /// Two pinned kernels on SMs of which they share some.
  void measure_control(cuda::stream_handle s, isolation_measurement& out) {
    options_.say("the negative control");
    for (std::int32_t i = 0; i < 2; ++i) {
      memory_.clear_marks(s);
      const auto slots = cuda::isolated_slots(4 * i, 8, kernels_->pinned_probe().virtual_per_sm());
      for (std::int32_t runs = 0; runs < 20; ++runs) {
        check_begin(kernels_->pinned_probe().begin(probe_blocks));
        run_pinned(kernels_->pinned_probe(), s, slots);
      }
      out.control[static_cast<std::size_t>(i)] = sms_of(memory_.marks(s).foreground);
    }
  }
  static void check_begin(bool begun) {
    if (!begun) { throw std::runtime_error{"a pinned job could not begin: the one before is not done"}; }
  }
  /// To its end, or as long as it takes.
  template <PinnedJob J>
  void run_pinned(J& job, cuda::stream_handle s, const cuda::sm_slots& slots) const {
    for (std::int64_t n = 0; n < most_launches && job.chunks_left() > 0; ++n) {
      check(job.launch(s, slots), "launch");
      wait(s);
    }
  }

  [[nodiscard]] auto unit() const -> std::int32_t { return std::max(1, machine_.gpus.front().split(false).unit); }
  /// Of the foreground's partitions, in whole units. What has no room beside one unit for the load is left out.
  [[nodiscard]] auto partition_sizes(isolation_measurement& out) const -> std::vector<std::int32_t> {
    std::vector<std::int32_t> sizes;
    for (const std::int32_t wanted : {8, 32}) {
      const std::int32_t size = (wanted + unit() - 1) / unit() * unit();
      if (size + unit() > sms()) {
        out.left_out.push_back("partitions of " + std::to_string(size) + " SMs, as the device has " +
                               std::to_string(sms()));
        continue;
      }
      sizes.push_back(size);
      if (const std::string why = why_not_green(size); !why.empty()) {
        out.left_out.push_back("green contexts of " + std::to_string(size) + " SMs: " + why);
      }
    }
    return sizes;
  }
  [[nodiscard]] auto why_not_green(std::int32_t size) const -> std::string {
    const auto choice = cuda::choose_backend(machine_, 0, std::array{takt::sm_range{.count = size}});
    return choice.possible ? std::string{} : choice.reason;
  }

  [[nodiscard]] auto place_of(const row_form& form, row_record& r) const -> row_place {
    row_place out;
    const auto& c = context_.ref();
    if (form.green) {
      const auto& parts = out.parts.emplace(c, std::array{r.sms}, cuda::sm_split{.unit = unit()});
      out.front = parts[0].stream();
      out.back = parts.rest().stream();
      r.promised_foreground = parts[0].sms();
      r.promised_background = form.loaded ? parts.rest().sms() : 0;
      return out;
    }
    out.front = cuda::stream<D>{c, form.urgent ? cuda::query_levels(c).most_urgent : 0};
    out.back = cuda::stream<D>{c, 0};
    if (!form.pinned) { return out; }
    const std::int32_t of_load = kernels_->pinned_load().virtual_per_sm();
    const auto others = cuda::isolated_slots(r.sms, sms() - r.sms, of_load);
    const bool has_all = form.shrinks || form.yields;
    out.front_slots = cuda::isolated_slots(0, r.sms, kernels_->pinned_probe().virtual_per_sm());
    out.back_slots = has_all ? cuda::isolated_slots(0, sms(), of_load) : others;
    out.asked_slots = form.yields ? cuda::sm_slots{} : others;
    r.promised_foreground = r.sms;
    r.promised_background = !form.loaded ? 0 : has_all ? sms() : sms() - r.sms;
    return out;
  }

  [[nodiscard]] auto measure(row_kind k, std::int32_t size) -> row_record {
    row_record out{.kind = k, .sms = size};
    const row_form form = form_of(k);
    options_.say(std::string{form.name} + (size > 0 ? ", " + std::to_string(size) + " SMs" : ""));
    const row_place place = place_of(form, out);
    memory_.clear_marks(place.front.get());
    for (int warm_up = 0; warm_up < 3; ++warm_up) { (void)take(form, place, out); }
    out = {.kind = k,
           .sms = size,
           .promised_foreground = out.promised_foreground,
           .promised_background = out.promised_background};
    while (static_cast<std::int64_t>(out.samples.size()) < options_.samples && out.late <= options_.samples) {
      if (const auto sample = take(form, place, out)) {
        out.samples.push_back(*sample);
      } else {
        ++out.late;
      }
    }
    const auto marks = memory_.marks(place.front.get());
    out.foreground = sms_of(marks.foreground);
    out.background = sms_of(marks.background);
    return out;
  }

  /// One job of the foreground; none when the load was nearly over before the request.
  [[nodiscard]] auto take(const row_form& form, const row_place& at, row_record& r) -> std::optional<job_sample> {
    memory_.poison_probe(at.front.get());
    memory_.clear_started();
    if (form.pinned) { check_begin(kernels_->pinned_probe().begin(probe_blocks)); }
    if (form.loaded) { start_load(form, at); }
    job_sample s;
    s.before = memory_.progress();
    if (form.loaded && 4 * s.before > 3 * steps()) {
      if (form.pinned) { run_pinned(kernels_->pinned_probe(), at.front.get(), at.front_slots); }
      finish_load(form, at, r);
      return std::nullopt;
    }
    const takt::ticks request = host_->now();
    if (form.shrinks) { kernels_->pinned_load().set_slots(at.asked_slots); }
    if (form.yields) { kernels_->pinned_load().yield(); }
    if (form.pinned) {
      check(kernels_->pinned_probe().launch(at.front.get(), at.front_slots), "launch");
    } else {
      launch(kernels_->probe(), probe_blocks, block_threads, at.front.get(), probe_);
    }
    until([&] { return memory_.started(); }, "the foreground started");
    s.start = host_->now() - request;
    wait(at.front.get());
    s.end = host_->now() - request;
    s.after = memory_.progress();
    if (form.loaded) { finish_load(form, at, r); }
    ++r.jobs_checked;
    r.elements_checked += probe_elements;
    r.elements_wrong += memory_.probe_wrong(at.front.get());
    return s;
  }

  /// Returns at a random time of the load's first half.
  void start_load(const row_form& form, const row_place& at) {
    memory_.poison_load(load_blocks_, at.back.get());
    memory_.clear_progress();
    check(driver_->record(began_.get(), at.back.get()), "record");
    if (form.pinned) {
      check_begin(kernels_->pinned_load().begin(load_blocks_));
      check(kernels_->pinned_load().launch(at.back.get(), at.back_slots), "launch");
    } else {
      launch(kernels_->load(), load_blocks_, block_threads, at.back.get(), load_);
    }
    check(driver_->record(ended_.get(), at.back.get()), "record");
    until([&] { return memory_.progress() > 0; }, "the load made progress");
    phase_ = phase_ * multiplier + increment;
    const takt::ticks go = host_->now() + phase_ / 65'536 * options_.load_length / 2 / 65'536;
    until([&] { return host_->now() >= go; }, "a time came");
  }
  void finish_load(const row_form& form, const row_place& at, row_record& r) {
    const cuda::stream_handle s = at.back.get();
    wait(s);
    if (form.pinned) { run_pinned(kernels_->pinned_load(), s, at.back_slots); }
    r.load_time += elapsed();
    r.steps_launched += steps();
    r.steps_done += memory_.marks(s).counted;
    r.elements_checked += load_blocks_;
    r.elements_wrong += memory_.load_wrong(load_blocks_, s);
  }

  D* driver_;
  K* kernels_;
  H* host_;
  isolation_options options_;
  cuda::machine_facts machine_;
  cuda::device_context<D> context_;
  cuda::current_context<D> within_;
  isolation_memory<D> memory_;
  cuda::mark<D> began_;
  cuda::mark<D> ended_;
  probe_arguments probe_{};
  load_arguments load_{};
  std::int64_t load_blocks_ = 0;
  std::uint32_t phase_ = 1;
};

}  // namespace takt_benchmarks
