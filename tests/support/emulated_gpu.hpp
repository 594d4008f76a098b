// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>

#include "../../benchmarks/isolation/work.hpp"
#include "support/fake_cuda_driver.hpp"

namespace cuda_tests {

/// How the made-up device betrays those who measure on it.
struct gpu_cheats {
  bool load_stalls = false;    ///< the background stops to count while it runs
  bool load_is_none = false;   ///< it holds up nobody
  bool parts_overlap = false;  ///< green contexts have an SM of the one before
  bool one_too_few = false;    ///< the last element of the foreground is not written
  bool stale_probe = false;    ///< only its first jobs write their output
  bool stale_load = false;     ///< and those of the background
  int host_sleeps_each = 0;    ///< so many looks at the host's clock, for most of a load; 0: never
  double later_clock = 1;      ///< the SM clock of the second half of all spins, against that of the first
  double event_timer = 1;      ///< events against the true time
};

/// The fake driver as a device with SMs, queues and timers, in a time of its own: every call takes a made-up time, and
/// that of the machine plays no part. Kernels of one priority wait for all of what came before on their SMs, more
/// urgent ones for a block of it. One thread.
class emulated_gpu : public fake_cuda_driver {
 public:
  using sm_set = takt_benchmarks::sm_set;
  using ticks = takt::ticks;

  static constexpr std::int32_t per_sm = 8;
  static constexpr ticks step_length = 2'400;
  static constexpr ticks block_length = step_length * takt_benchmarks::load_steps;

  explicit emulated_gpu(const fake_machine& m = {.sms = 132}, const gpu_cheats& cheats = {})
      : fake_cuda_driver{m}, cheats_{cheats} {
    add_kernel("probe", {sizeof(takt_benchmarks::probe_arguments)}, [this](const fake_launch& l) {
      run_probe(l.argument<takt_benchmarks::probe_arguments>(0), sms_of(l), l.stream);
    });
    add_kernel("load", {sizeof(takt_benchmarks::load_arguments)}, [this](const fake_launch& l) {
      run_load(l.argument<takt_benchmarks::load_arguments>(0), sms_of(l), l.stream, 0, l.shape.blocks(), {});
    });
    add_kernel("spin", {sizeof(takt_benchmarks::spin_arguments)},
               [this](const fake_launch& l) { run_spin(l.argument<takt_benchmarks::spin_arguments>(0), l.stream); });
  }

  [[nodiscard]] static auto range(std::int32_t first, std::int32_t count) -> sm_set {
    sm_set out;
    for (std::int32_t sm = first; sm < first + count; ++sm) { out.set(static_cast<std::size_t>(sm)); }
    return out;
  }

  /// The host's clock. A look takes time.
  [[nodiscard]] auto now() -> ticks {
    const bool sleeps = cheats_.host_sleeps_each > 0 && ++looks_ % cheats_.host_sleeps_each == 0;
    advance_to(clock_ + (sleeps ? 900'000 : 20));
    return clock_;
  }
  template <class Holds>
  [[nodiscard]] auto until(Holds holds) -> bool {
    constexpr ticks limit = 100'000'000;
    constexpr ticks look = 500;
    for (const ticks last = clock_ + limit; clock_ < last;) {
      if (holds()) { return true; }
      advance_to(std::min(clock_ + look, next_change()));
    }
    return false;
  }

  auto launch(function_handle f, const launch_shape& shape, stream_handle s, void** arguments) -> result {
    return settled(fake_cuda_driver::launch(f, shape, s, arguments), s);
  }
  /// A launch past the driver's own kernels.
  auto run_pinned(stream_handle s, std::function<void()> work) -> result {
    return settled(run_in(s, std::move(work)), s);
  }
  auto record(event_handle e, stream_handle s) -> result {
    const result r = fake_cuda_driver::record(e, s);
    marks_[e] = {std::max(clock_, free_at_[s]), load_on(s)};
    return settled(r, s);
  }
  auto elapsed(event_handle from, event_handle to, float& out) -> result {
    const result r = fake_cuda_driver::elapsed(from, to, out);
    out = static_cast<float>(static_cast<double>(time_of(to) - time_of(from)) / 1e6 * cheats_.event_timer);
    return r;
  }
  auto wait_for_stream(stream_handle s) -> result {
    const result r = fake_cuda_driver::wait_for_stream(s);
    while (const auto load = load_on(s)) { advance_to(load->end); }
    advance_to(std::max(clock_, free_at_[s]) + 5'000 + some(1'000));
    return r;
  }

 private:
  friend class emulated_pinned_job;
  static constexpr ticks never = std::numeric_limits<ticks>::max();

  /// Blocks of the background at work, which give up SMs at most once.
  struct running_load {
    takt_benchmarks::load_arguments arguments{};
    stream_handle stream{};
    sm_set sms{};
    std::int32_t priority = 0;
    std::int64_t first_block = 0;
    std::int64_t blocks = 0;
    std::uint64_t counted_before = 0;
    std::function<void(std::int64_t)> ended{};  ///< with the blocks that were done
    ticks start = 0;
    ticks leaves_at = never;
    sm_set later{};
    ticks end = 0;

    [[nodiscard]] static auto rate(const sm_set& sms) -> double {
      return static_cast<double>(sms.count()) * per_sm / static_cast<double>(step_length);
    }
    [[nodiscard]] auto total() const -> double { return static_cast<double>(blocks) * takt_benchmarks::load_steps; }
    [[nodiscard]] auto steps_at(ticks t) const -> double {
      const double before = static_cast<double>(std::max<ticks>(0, std::min(t, leaves_at) - start)) * rate(sms);
      const double after = t > leaves_at ? static_cast<double>(t - leaves_at) * rate(later) : 0;
      return std::min(total(), before + after);
    }
    void plan_end() {
      const double left = total() - (leaves_at == never ? 0 : steps_at(leaves_at));
      const double speed = rate(leaves_at == never ? sms : later);
      const ticks from = leaves_at == never ? start : leaves_at;
      end = speed > 0 && left > 0 ? from + static_cast<ticks>(std::ceil(left / speed)) : from;
    }
  };
  struct stream_mark {
    ticks time = 0;
    std::shared_ptr<running_load> after{};
  };

  [[nodiscard]] auto some(ticks below) -> ticks {
    return static_cast<ticks>(chance_() % static_cast<std::uint64_t>(below));
  }
  [[nodiscard]] auto sms_of(const fake_launch& l) const -> sm_set {
    sm_set out;
    for (const std::int32_t sm : l.sms) { out.set(static_cast<std::size_t>(sm)); }
    const bool all = l.green == green_handle{};
    return !all && cheats_.parts_overlap ? out | out >> 1 : out;
  }
  [[nodiscard]] auto load_on(stream_handle s) const -> std::shared_ptr<running_load> {
    const auto at = std::ranges::find_if(loads_, [s](const auto& l) { return l->stream == s; });
    return at == loads_.end() ? nullptr : *at;
  }
  [[nodiscard]] auto time_of(event_handle e) const -> ticks {
    const stream_mark& m = marks_.at(e);
    return m.after ? m.after->end : m.time;
  }
  /// What was enqueued has reached the device.
  auto settled(result r, stream_handle s) -> result {
    return r == result::success ? fake_cuda_driver::wait_for_stream(s) : r;
  }

  [[nodiscard]] auto next_change() const -> ticks {
    ticks next = events_.empty() ? never : events_.begin()->first;
    for (const auto& l : loads_) { next = std::min(next, l->end); }
    return std::max(next, clock_);
  }
  void advance_to(ticks t) {
    for (ticks next = next_change(); next <= t; next = next_change()) {
      clock_ = next;
      while (!events_.empty() && events_.begin()->first <= clock_) {
        const auto act = std::move(events_.begin()->second);
        events_.erase(events_.begin());
        act();
      }
      const auto over = std::ranges::partition(loads_, [this](const auto& l) { return l->end > clock_; });
      const std::vector<std::shared_ptr<running_load>> ended{over.begin(), over.end()};
      loads_.erase(over.begin(), over.end());
      for (const auto& l : ended) { finish(*l); }
    }
    clock_ = std::max(clock_, t);
    for (const auto& l : loads_) { report(*l); }
  }

  static void mark(std::uint32_t* words, const sm_set& sms) {
    for (std::size_t sm = 0; sm < sms.size(); ++sm) {
      if (sms[sm]) { words[sm / 32] |= 1U << (sm % 32); }
    }
  }
  void report(const running_load& l) const {
    const std::uint64_t every = l.arguments.report_every;
    const auto steps = l.counted_before + static_cast<std::uint64_t>(l.steps_at(clock_));
    const std::uint64_t told = cheats_.load_stalls ? std::min(steps, every) : steps;
    if (told >= every) { std::atomic_ref{*l.arguments.progress}.store(told / every * every); }
  }
  void finish(const running_load& l) {
    const auto done =
        std::min(l.blocks, static_cast<std::int64_t>(std::ceil(l.steps_at(clock_) / takt_benchmarks::load_steps)));
    const bool writes = !cheats_.stale_load || ++loads_done_ < 20;
    for (std::int64_t b = l.first_block; writes && b < l.first_block + done; ++b) {
      l.arguments.out[b] = takt_benchmarks::load_element(static_cast<std::uint32_t>(b));
    }
    *l.arguments.counted = l.counted_before + static_cast<std::uint64_t>(done) * takt_benchmarks::load_steps;
    report(l);
    if (l.ended) { l.ended(done); }
  }

  void run_load(const takt_benchmarks::load_arguments& a, const sm_set& sms, stream_handle s, std::int64_t first,
                std::int64_t blocks, std::function<void(std::int64_t)> ended) {
    auto l = std::make_shared<running_load>();
    *l = {.arguments = a,
          .stream = s,
          .sms = sms,
          .priority = priority_of(s),
          .first_block = first,
          .blocks = blocks,
          .counted_before = *a.counted,
          .ended = std::move(ended),
          .start = clock_ + 4'000 + some(1'000)};
    l->plan_end();
    mark(a.sms, sms);
    loads_.push_back(std::move(l));
  }
  void shrink(stream_handle s, const sm_set& to) {
    if (const auto l = load_on(s)) {
      l->leaves_at = clock_ + 1'000 + some(block_length);
      l->later = to;
      l->plan_end();
    }
  }

  /// When SMs are there for work of this priority.
  [[nodiscard]] auto free_for(const sm_set& sms, std::int32_t priority, ticks from) -> ticks {
    ticks at = from;
    for (const auto& l : loads_) {
      if (cheats_.load_is_none || l->end <= from || (l->sms & sms).none()) { continue; }
      const bool makes_room = l->leaves_at != never && (l->later & sms).none();
      at = std::max(at, makes_room ? l->leaves_at : priority < l->priority ? from + some(block_length) : l->end);
    }
    return at;
  }
  /// The time of its end.
  auto run_probe(const takt_benchmarks::probe_arguments& a, const sm_set& sms, stream_handle s) -> ticks {
    const ticks ready = std::max(clock_, free_at_[s]) + 4'000 + some(1'000);
    const ticks start = free_for(sms, priority_of(s), ready);
    sm_set used;
    for (std::size_t sm = 0; sm < sms.size() && used.count() < takt_benchmarks::probe_blocks; ++sm) {
      used[sm] = sms[sm];
    }
    const ticks end = start + 2'000 + 150'000 / static_cast<ticks>(used.count());
    events_.emplace(start, [a, used] {
      mark(a.sms, used);
      std::atomic_ref{*a.started}.store(1);
    });
    events_.emplace(end, [this, a] {
      const std::uint32_t last = takt_benchmarks::probe_elements - (cheats_.one_too_few ? 1 : 0);
      const bool writes = !cheats_.stale_probe || ++probes_done_ < 20;
      for (std::uint32_t i = 0; writes && i < last; ++i) { a.out[i] = takt_benchmarks::probe_element(i); }
    });
    free_at_[s] = end;
    return end;
  }
  void run_spin(const takt_benchmarks::spin_arguments& a, stream_handle s) {
    const ticks start = clock_ + 4'000 + some(1'000);
    const ticks end = start + static_cast<ticks>(a.nanoseconds);
    const double clock = 1.755 * (++spins_ > 11 ? cheats_.later_clock : 1);
    events_.emplace(start, [a] { std::atomic_ref{a.words->started}.store(1); });
    events_.emplace(end, [a, clock] {
      a.words->nanoseconds = a.nanoseconds;
      a.words->cycles = static_cast<unsigned long long>(static_cast<double>(a.nanoseconds) * clock);
      std::atomic_ref{a.words->ended}.store(1);
    });
    free_at_[s] = end;
  }

  gpu_cheats cheats_;
  ticks clock_ = 0;
  int spins_ = 0;
  int looks_ = 0;
  int probes_done_ = 0;
  int loads_done_ = 0;
  std::mt19937_64 chance_{23};
  std::multimap<ticks, std::function<void()>> events_;
  std::vector<std::shared_ptr<running_load>> loads_;
  std::map<stream_handle, ticks> free_at_;
  std::map<event_handle, stream_mark> marks_;
};

static_assert(CudaDriver<emulated_gpu>);

/// A job of pinned blocks on the emulated device: of the background, or else of the foreground.
class emulated_pinned_job {
 public:
  emulated_pinned_job(emulated_gpu& gpu, bool is_load) : gpu_{&gpu}, is_load_{is_load} {}

  takt_benchmarks::probe_arguments probe{};
  takt_benchmarks::load_arguments load{};

  [[nodiscard]] auto begin(std::int64_t blocks) -> bool {
    if (left_ > 0) { return false; }
    blocks_ = blocks;
    left_ = blocks;
    return true;
  }
  auto launch(stream_handle s, const sm_slots& slots) -> result {
    stream_ = s;
    return gpu_->run_pinned(s, [this, s, sms = set_of(slots)] {
      if (is_load_) {
        gpu_->run_load(load, sms, s, blocks_ - left_, left_, [this](std::int64_t done) { left_ -= done; });
        return;
      }
      gpu_->events_.emplace(gpu_->run_probe(probe, sms, s), [this] { left_ = 0; });
    });
  }
  void set_slots(const sm_slots& slots) { gpu_->shrink(stream_, set_of(slots)); }
  void yield() { set_slots({}); }
  [[nodiscard]] auto chunks_left() const -> std::int64_t { return left_; }
  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return emulated_gpu::per_sm; }

 private:
  [[nodiscard]] static auto set_of(const sm_slots& slots) -> emulated_gpu::sm_set {
    emulated_gpu::sm_set out;
    for (std::uint32_t sm = 0; sm < max_sms; ++sm) { out[sm] = slots.at(sm) > 0; }
    return out;
  }

  emulated_gpu* gpu_;
  bool is_load_;
  stream_handle stream_{};
  std::int64_t blocks_ = 0;
  std::int64_t left_ = 0;
};

class emulated_kernels {
 public:
  explicit emulated_kernels(emulated_gpu& gpu) : gpu_{&gpu} {}

  auto prepare(const takt_benchmarks::probe_arguments& p, const takt_benchmarks::load_arguments& l) -> result {
    probe_job_.probe = p;
    load_job_.load = l;
    return result::success;
  }
  [[nodiscard]] auto probe() -> function_handle { return gpu_->compiled("probe"); }
  [[nodiscard]] auto load() -> function_handle { return gpu_->compiled("load"); }
  [[nodiscard]] auto spin() -> function_handle { return gpu_->compiled("spin"); }
  [[nodiscard]] auto pinned_probe() -> emulated_pinned_job& { return probe_job_; }
  [[nodiscard]] auto pinned_load() -> emulated_pinned_job& { return load_job_; }

 private:
  emulated_gpu* gpu_;
  emulated_pinned_job probe_job_{*gpu_, false};
  emulated_pinned_job load_job_{*gpu_, true};
};

}  // namespace cuda_tests
