// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/launch_report.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/occupy.hpp>
#include <takt/cuda/served_stream.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Says where a launch of an accelerator's kernel goes.
struct accelerator_site {
  std::int32_t device = 0;
  context_handle context{};
  stream_handle stream{};
  std::int32_t core = unassigned_core;  ///< or all `cores`
  std::int32_t cores = 1;
  std::int32_t sms_per_core = 1;
  device_address control{};      ///< of the words, for the device
  yield_words* words = nullptr;  ///< the same for the host
};

/// Is a kernel of a `cuda_accelerator`, which can stop between two waves and go on with another launch. It is a length
/// of time, or code that is called as follows.
///
/// - `begin()`: the next launch begins a job.
/// - `launch(driver, site)`: puts the job, or what is left of it, into the stream of the site, and does not wait.
/// - `ask_to_yield()`: the launch shall end with its wave. Called while it may be running, or have ended.
/// - `ended()`: asked by the thread of the stream after a launch has ended, what follows. A job that failed ends as
///   complete, with a fault of the accelerator.
template <CudaDriver D>
class accelerator_kernel {
 public:
  struct code {
    std::function<void()> begin;
    std::function<result(D&, const accelerator_site&)> launch;
    std::function<void()> ask_to_yield;
    std::function<launch_report()> ended;
  };

  /// Takes `length` of the device's time in waves of `wave`; 0: one wave.
  explicit accelerator_kernel(ticks length = 0, ticks wave = 0) noexcept
      : length_{std::max<ticks>(0, length)}, wave_{wave > 0 ? wave : length_} {}
  /// Pre: all four are set, and none throws.
  explicit accelerator_kernel(code own) : own_{std::move(own)} {
    TAKT_EXPECTS(own_.begin && own_.launch && own_.ask_to_yield && own_.ended);
  }

  [[nodiscard]] auto is_timed() const noexcept -> bool { return !own_.launch; }
  [[nodiscard]] auto length() const noexcept -> ticks { return length_; }
  [[nodiscard]] auto wave() const noexcept -> ticks { return wave_; }
  [[nodiscard]] auto own() const noexcept -> const code& { return own_; }

 private:
  ticks length_ = 0;
  ticks wave_ = 0;
  code own_;
};

struct accelerator_options {
  check_sources sources{};
  foreign_context context{};  ///< of the caller's; none: the primary context
  function_handle occupy{};   ///< `compiled_occupy()`; none: PTX
};

/// One GPU as an accelerator with a few preemption levels. Each core and level has a stream, and so has each level of
/// the kernels on all cores, of the stream priority of the level. A core is a fixed number of SMs; kernels for a core
/// stay there by themselves (see pinned_kernel.cuh). A kernel of a higher level gets its SMs when waves of the one
/// below end. Kernels that are only a length occupy a place on the device, not a core.
///
/// Cores are no green contexts. A level is a stream priority, and the driver promises an order by priority, if any,
/// among streams of one context. A kernel on all cores would be in another context than those on a core. Which of them
/// gets an SM when a wave ends would be open. Nor do green contexts come in cores of one or two SMs.
///
/// A failed launch ends as complete with what it computed void; `fault()` says that there was one, and a run that is
/// under way ends with `observation_status::device_failed`.
template <CudaDriver D>
class cuda_accelerator {
 public:
  using kernel = accelerator_kernel<D>;

  /// Pre: the driver outlives it; sms_per_core >= 1. Error: `cuda_error`.
  cuda_accelerator(D& driver, std::int32_t device, std::int32_t sms_per_core, accelerator_options options = {})
      : sources_{std::move(options.sources)},
        machine_{query_machine(driver)},
        context_{options.context.handle == context_handle{} ? device_context<D>{driver, device}
                                                            : device_context<D>{driver, device, options.context}},
        levels_{query_levels(context_.ref())},
        sms_per_core_{sms_per_core},
        lengths_{context_.ref(), options.occupy} {
    TAKT_EXPECTS(sms_per_core >= 1);
  }
  cuda_accelerator(const cuda_accelerator&) = delete;
  auto operator=(const cuda_accelerator&) -> cuda_accelerator& = delete;
  ~cuda_accelerator() { close(); }

  [[nodiscard]] auto serves(const stream_layout& streams) const noexcept -> bool {
    const gpu_facts& gpu = facts();
    return streams.cores >= 1 && std::int64_t{streams.cores} * sms_per_core_ <= gpu.sms &&
           streams.levels <= levels_.count;
  }
  /// Returns false also when the driver refuses something; then there is a fault.
  [[nodiscard]] auto open(const runtime::accelerator_setup& setup) -> bool {
    close();
    setup_ = setup;
    closed_ = false;
    try {
      const context_ref<D>& c = context_.ref();
      for (std::size_t k = 0; k < setup.kernels; ++k) {
        auto own =
            std::make_unique<job_state>(this, static_cast<kernel_id>(k), pinned_memory<D>{c, sizeof(yield_words)});
        // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the memory owns it
        own->words = ::new (own->memory.data()) yield_words{};
        own->control = own->memory.on_device();
        own->pieces.reserve(setup.trace_capacity);
        jobs_.push_back(std::move(own));
      }
      for (std::int32_t s = 0; s < setup.streams.count(); ++s) {
        const std::int32_t priority = levels_.priority_of(setup.streams.level_of(s));
        streams_.push_back(
            std::make_unique<served_stream<D>>(stream<D>{c, priority}, faults_, facts().wait(), setup.kernels + 1));
      }
    } catch (const cuda_error& e) {
      faults_.note(e.what_failed());
      return false;
    }
    return std::ranges::all_of(streams_, [](const auto& s) { return s->started(); });
  }
  /// Asks whatever runs to yield, and waits until it has: work cannot be taken back from a device.
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closed_ = true;
    }
    for (const auto& j : jobs_) {
      if (j->launched) { ask(*j); }
    }
    streams_.clear();
    done_ = std::exchange(jobs_, {});
  }

  void load(kernel_id k, const kernel& body, std::uint64_t job) {
    job_state& j = *jobs_[to_index(k)];
    j.body = &body;
    j.job = job;
    j.left = body.length();
    if (!body.is_timed()) { body.own().begin(); }
  }
  void submit(kernel_id k, const kernel_placement& where) {
    job_state& j = *jobs_[to_index(k)];
    std::atomic_ref{j.words->yield_asked}.store(0);
    j.launched = true;
    j.where = where;
    put(j);
  }
  void request_yield(kernel_id k) {
    job_state& j = *jobs_[to_index(k)];
    if (j.launched) { ask(j); }
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return std::ranges::all_of(streams_, [priority](const auto& s) { return s->serve_at(priority); });
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "CUDA accelerator"; }
  [[nodiscard]] auto fault() const -> std::optional<failure> { return faults_.first(); }
  [[nodiscard]] auto failed() const -> bool { return faults_.any(); }
  /// Pre: failed.
  [[nodiscard]] auto fault_sentence() const -> std::string {
    TAKT_EXPECTS(failed());
    return sentence(*fault());
  }
  /// Returns sentences on kernels that ran on fewer blocks than planned or needed more launches than one, since `open`
  /// or the last call. Pre: closed.
  [[nodiscard]] auto take_notes() -> std::vector<std::string> {
    TAKT_EXPECTS(jobs_.empty());
    std::vector<std::string> out;
    for (const auto& j : done_) {
      if (const auto told = j->overruns.take("kernel " + std::to_string(j->id))) { out.push_back(*told); }
    }
    return out;
  }
  /// Cost: up to seconds, see `check_cuda_machine`.
  [[nodiscard]] auto findings() const -> runtime::machine_findings {
    return check_cuda_machine(machine_, sources_.machine, sources_.variables);
  }

  /// Records each launch from its submission to its end, which is all that the host knows. A kernel for all cores is a
  /// piece over all of them.
  template <TraceRecorder Recorder>
  auto replay(Recorder& recorder, ticks origin) const -> std::uint64_t {
    std::uint64_t lost = 0;
    for (const auto& j : done_) {
      lost += j->lost;
      for (slice s : j->pieces) {
        s.start -= origin;
        s.end -= origin;
        recorder.record(s);
      }
    }
    return lost;
  }

 private:
  struct job_state {
    job_state(cuda_accelerator* of, kernel_id k, pinned_memory<D> m) : owner{of}, id{k}, memory{std::move(m)} {}

    cuda_accelerator* owner;
    kernel_id id;
    pinned_memory<D> memory;
    yield_words* words = nullptr;
    device_address control{};
    const kernel* body = nullptr;
    std::uint64_t job = 0;
    ticks left = 0;
    ticks since = 0;
    kernel_placement where{};
    std::atomic<bool> launched{false};
    overrun_record overruns;
    std::vector<slice> pieces;
    std::uint64_t lost = 0;
  };

  [[nodiscard]] auto facts() const noexcept -> const gpu_facts& {
    return machine_.gpus[to_index(context_.ref().device)];
  }
  static void ask(job_state& j) {
    std::atomic_ref{j.words->yield_asked}.store(1);
    if (!j.body->is_timed()) { j.body->own().ask_to_yield(); }
  }
  void put(job_state& j) {
    j.since = runtime::now();
    streams_[to_index(setup_.streams.stream_of(j.where))]->submit(
        "launch", [&](D& d, stream_handle s) { return launch(d, j, s); },
        {[](void* o, result how) { end(*static_cast<job_state*>(o), how); }, &j});
  }
  [[nodiscard]] auto launch(D& d, job_state& j, stream_handle s) -> result {
    if (j.body->is_timed()) {
      return lengths_.launch(d, s, static_cast<std::uint64_t>(j.left), static_cast<std::uint64_t>(j.body->wave()),
                             j.control);
    }
    return j.body->own().launch(d, {.device = context_.ref().device,
                                    .context = context_.ref().handle,
                                    .stream = s,
                                    .core = j.where.core,
                                    .cores = setup_.streams.cores,
                                    .sms_per_core = sms_per_core_,
                                    .control = j.control,
                                    .words = j.words});
  }
  /// Ends a job, on the thread of the stream.
  static void end(job_state& j, result how) {
    cuda_accelerator& own = *j.owner;
    own.remember(j);
    launch_report r;
    if (how == result::success && j.body->is_timed()) {
      j.left = static_cast<ticks>(std::atomic_ref{j.words->left}.load());
      r.next = j.left == 0 ? launch_next::done : launch_next::yielded;
    } else if (how == result::success) {
      r = j.body->own().ended();
    }
    own.tell(j, r);
  }
  void tell(job_state& j, const launch_report& r) {
    bool complete = true;
    switch (r.next) {
      case launch_next::done: j.overruns.note(r); break;
      case launch_next::yielded: complete = false; break;
      case launch_next::again:
        if (goes_on(j)) { return; }
        break;
      case launch_next::failed: {
        const context_ref<D>& c = context_.ref();
        faults_.note(failure{r.fault, "job not completed", c.device, c.handle, c.driver->name_of(r.fault)});
        break;
      }
    }
    j.launched = false;
    {
      const std::lock_guard lock{mutex_};
      if (closed_) { return; }
    }
    setup_.ended(j.id, complete ? runtime::launch_end::complete : runtime::launch_end::yielded);
  }
  /// Returns whether it goes on: not while it is being closed, which then gets no end. A request to yield stays one.
  [[nodiscard]] auto goes_on(job_state& j) -> bool {
    const std::lock_guard lock{mutex_};
    if (!closed_) { put(j); }
    return !closed_;
  }
  void remember(job_state& j) {
    if (j.pieces.size() == j.pieces.capacity()) {
      if (j.pieces.capacity() > 0) { ++j.lost; }
      return;
    }
    const bool all = j.where.core == unassigned_core;
    j.pieces.push_back({.task = static_cast<std::uint32_t>(j.id),
                        .job = j.job,
                        .where = {.where = stage::kernel,
                                  .gpu = 0,
                                  .index = all ? 0 : j.where.core,
                                  .count = all ? setup_.streams.cores : 1},
                        .start = j.since,
                        .end = runtime::now()});
  }

  check_sources sources_;
  machine_facts machine_;
  device_context<D> context_;
  priority_levels levels_;
  std::int32_t sms_per_core_;
  occupy_kernel<D> lengths_;
  fault_record faults_;
  runtime::accelerator_setup setup_{};
  runtime::inheriting_mutex mutex_;
  std::vector<std::unique_ptr<job_state>> jobs_;
  std::vector<std::unique_ptr<job_state>> done_;
  std::vector<std::unique_ptr<served_stream<D>>> streams_;
  bool closed_ = true;
};

}  // namespace takt::inline TAKT_ABI::cuda
