// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/occupy.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/cuda/served_stream.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Names a stream of the caller, who owns it and keeps its kernels on the range. An empty range is that of tasks
/// without kernels.
struct foreign_stream {
  sm_range range{};
  stream_handle stream{};
};

struct device_options {
  partition_wish wish{};
  /// The driver's number of each GPU of the platform, each once; empty: those of `TAKT_GPUS`, or the same numbers
  /// where it is not set.
  std::vector<std::int32_t> ordinals{};
  check_sources sources{};
  /// Contexts of the caller by GPU of the platform, as far as there are any. The others get the primary context.
  std::vector<foreign_context> contexts{};
  /// Streams are given for none of the ranges of a GPU, or for all of them.
  std::vector<foreign_stream> streams{};
  function_handle occupy{};  ///< `compiled_occupy()`; none: PTX
};

/// Offers GPUs of NVIDIA to the runtime: what runs on `runtime::emulated_device` runs here.
///
/// Each task has a stream of its own, on the SMs of its range, and a thread that waits, suspended, for what is in it.
/// Green contexts can only be split off all at once, so the ranges of all tasks are given at the start. Streams without
/// a range are on the SMs that no range has; where there are none, they only copy, and a kernel there is a fault. A GPU
/// gets a context when it has a range, or with the first that is opened there. Nothing is allocated in the driver after
/// the last `open`, but for a kernel of a length (`occupy_kernel`).
///
/// Once a call has failed, `fault()` says which. Operations still end, as the runtime expects, but what they computed
/// is void, and a run that is under way ends with `observation_status::device_failed`.
template <CudaDriver D>
class cuda_device {
 public:
  using kernel = device_kernel<D>;
  using copy = device_copy;
  class stream;

  /// The hardware keeps the kernels of all streams of a GPU in one queue for their blocks.
  static constexpr bool queues_blocks = true;

  /// Pre: the driver outlives the device; the ranges are disjoint. Error: `cuda_error`; `std::invalid_argument` for
  /// contexts and streams of the caller's that have no GPU or range here. A way to keep the ranges apart that does not
  /// exist is no error here: `serves` is false and `backend()` says why.
  cuda_device(D& driver, std::vector<sm_range> ranges, device_options options = {})
      : driver_{&driver}, machine_{query_machine(driver)}, options_{std::move(options)}, ranges_{std::move(ranges)} {
    std::erase_if(ranges_, [](const sm_range& r) { return r.count <= 0; });
    if (options_.sources.variables("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) { options_.wish.limited_by_mps = true; }
    if (options_.ordinals.empty()) { options_.ordinals = gpus_from_environment(options_.sources.variables); }
    if (options_.ordinals.empty()) {
      options_.ordinals.resize(machine_.gpus.size());
      std::iota(options_.ordinals.begin(), options_.ordinals.end(), 0);
    }
    require_known();
    for (std::size_t g = 0; g < options_.ordinals.size(); ++g) { gpus_.push_back(make_gpu(g)); }
    for (const auto& own : gpus_) {
      if (!own->ranges.empty()) { enter(*own); }
    }
  }
  cuda_device(const cuda_device&) = delete;
  auto operator=(const cuda_device&) -> cuda_device& = delete;
  ~cuda_device() = default;

  [[nodiscard]] auto serves(const platform_record& wanted) const -> bool {
    if (wanted.gpus.size() > gpus_.size()) { return false; }
    std::int32_t engines = 0;
    for (std::size_t g = 0; g < wanted.gpus.size(); ++g) {
      const bool fits = wanted.gpus[g].sms <= facts(g).sms && gpus_[g]->choice.possible;
      const bool apart = !wanted.gpus[g].shared || gpus_[g]->choice.backend == partition_backend::pinned_blocks;
      if (!fits || !apart) { return false; }
    }
    for (std::size_t g = 0; g < gpus_.size(); ++g) { engines += facts(g).usable_copy_engines(); }
    return wanted.copy_engines <= engines;
  }
  /// Returns whether a GPU has so many SMs of so many threads; what may not be used of them has to be held by others.
  [[nodiscard]] auto serves(const block_gpu& wanted) const -> bool {
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      if (wanted.sms <= facts(g).sms && wanted.threads_per_sm <= facts(g).threads_per_sm) { return true; }
    }
    return false;
  }
  /// Not ready, with a fault, when the driver refuses or the range was not given at the start.
  [[nodiscard]] auto open(const sm_range& range) -> stream {
    const auto g = static_cast<std::size_t>(range.count > 0 ? range.gpu : 0);
    auto opened = std::make_unique<opened_stream>();
    try {
      gpu& own = *gpus_.at(g);
      enter(own);
      opened->lengths = &*own.lengths;
      opened->site.device = own.ordinal;
      opened->site.context = own.context->ref().handle;
      opened->site.range = range;
      opened->site.backend = own.choice.backend;
      opened->faults = &faults_;
      opened->served = std::make_unique<served_stream<D>>(make_stream(own, *opened), faults_, facts(g).wait());
      opened->site.stream = opened->served->get();
    } catch (const cuda_error& e) { faults_.note(e.what_failed()); } catch (const std::out_of_range&) {
      faults_.note(failure{result::invalid_device, "open", range.gpu, {}, driver_->name_of(result::invalid_device)});
    }
    streams_.push_back(std::move(opened));
    return stream{*streams_.back()};
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return std::ranges::all_of(streams_,
                               [priority](const auto& s) { return s->served && s->served->serve_at(priority); });
  }
  [[nodiscard]] auto ready() const -> bool {
    return !fault() && std::ranges::all_of(streams_, [](const auto& s) { return s->served && s->served->started(); });
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "CUDA"; }

  [[nodiscard]] auto fault() const -> std::optional<failure> { return faults_.first(); }
  [[nodiscard]] auto failed() const -> bool { return faults_.any(); }
  /// Pre: failed.
  [[nodiscard]] auto fault_sentence() const -> std::string {
    TAKT_EXPECTS(failed());
    return sentence(*fault());
  }
  /// Cost: up to seconds, see `check_cuda_machine`.
  [[nodiscard]] auto findings() const -> runtime::machine_findings {
    return check_cuda_machine(machine_, options_.sources.machine, options_.sources.variables);
  }
  /// Notes ranges whose kernels ran on fewer blocks than planned or needed more launches than one, since the last call.
  [[nodiscard]] auto take_notes() -> std::vector<std::string> {
    std::vector<std::string> out;
    for (const auto& s : streams_) {
      const sm_range& r = s->site.range;
      const auto told = s->overruns.take("range " + std::to_string(r.first) + " to " +
                                         std::to_string(r.first + r.count - 1) + " of GPU " + std::to_string(r.gpu));
      if (told) { out.push_back(*told); }
    }
    return out;
  }
  [[nodiscard]] auto machine() const noexcept -> const machine_facts& { return machine_; }
  /// Pre, here and below: the platform has the GPU.
  [[nodiscard]] auto backend(std::size_t g) const -> const backend_choice& { return gpus_[g]->choice; }
  /// Serves memory and code. Kernels in streams of one's own belong `beside` the ranges. Error, for both: `cuda_error`.
  [[nodiscard]] auto context(std::size_t g) -> const context_ref<D>& {
    enter(*gpus_[g]);
    return gpus_[g]->context->ref();
  }
  /// Returns the context for other streams, those of a `launch_driver` or `job_streams`: on SMs that no range has.
  /// Error: `no_sms_left`.
  [[nodiscard]] auto beside(std::size_t g) -> const context_ref<D>& {
    const context_ref<D>& all = context(g);
    const gpu& own = *gpus_[g];
    if (own.parts) { return own.parts->rest().place(); }
    if (own.choice.backend == partition_backend::caller_streams) { all.check(result::no_sms_left, "beside"); }
    return all;
  }

 private:
  struct gpu {
    std::int32_t ordinal = 0;
    foreign_context foreign{};
    std::vector<sm_range> ranges{};
    backend_choice choice{};
    std::optional<device_context<D>> context{};
    std::optional<partition<D>> parts{};
    std::optional<occupy_kernel<D>> lengths{};
  };
  struct opened_stream {
    launch_site site{};
    occupy_kernel<D>* lengths = nullptr;
    bool only_copies = false;
    runtime::completion done{};
    fault_record* faults = nullptr;
    const kernel* reporting = nullptr;  ///< the kernel under way, if it says how it ended
    overrun_record overruns;
    std::unique_ptr<served_stream<D>> served;

    [[nodiscard]] auto told() noexcept -> stream_end {
      return {[](void* o, result how) { static_cast<opened_stream*>(o)->ended(how); }, this};
    }
    /// Ends an operation, on the thread of the stream.
    void ended(result how) {
      if (how == result::success && reporting != nullptr && goes_on(reporting->ended())) { return; }
      const runtime::completion tell = done;
      tell();
    }
    [[nodiscard]] auto goes_on(const launch_report& r) -> bool {
      switch (r.next) {
        case launch_next::done: overruns.note(r); return false;
        case launch_next::again:
          served->submit("launch", [this](D& d, stream_handle) { return reporting->enqueue_again(d, site); }, told());
          return true;
        case launch_next::yielded:
        case launch_next::failed:
          faults->note(failure{r.fault, "job not completed", site.device, site.context,
                               served->context().driver->name_of(r.fault)});
          return false;
      }
      return false;
    }
  };

  [[nodiscard]] auto facts(std::size_t g) const -> const gpu_facts& {
    return machine_.gpus[static_cast<std::size_t>(options_.ordinals[g])];
  }
  [[nodiscard]] static auto are_same(const sm_range& a, const sm_range& b) noexcept -> bool {
    return a.count == b.count && (a.count <= 0 || (a.gpu == b.gpu && a.first == b.first));
  }
  [[nodiscard]] auto stream_of_caller(const sm_range& r) const -> stream_handle {
    const auto own = std::ranges::find_if(options_.streams, [&](const auto& s) { return are_same(s.range, r); });
    return own == options_.streams.end() ? stream_handle{} : own->stream;
  }
  void require_known() const {
    if (options_.contexts.size() > options_.ordinals.size()) {
      throw std::invalid_argument{"takt: " + std::to_string(options_.contexts.size()) +
                                  " contexts of the caller's for " + std::to_string(options_.ordinals.size()) +
                                  " GPUs"};
    }
    for (const foreign_stream& s : options_.streams) {
      const bool known =
          s.range.count == 0 || std::ranges::any_of(ranges_, [&](const sm_range& r) { return are_same(r, s.range); });
      if (!known || s.stream == stream_handle{}) {
        throw std::invalid_argument{
            "takt: a stream of the caller's that is none, or for a range that is not the device's"};
      }
    }
  }
  [[nodiscard]] auto make_gpu(std::size_t g) const -> std::unique_ptr<gpu> {
    auto out = std::make_unique<gpu>();
    out->ordinal = options_.ordinals[g];
    const bool twice = std::ranges::count(options_.ordinals, out->ordinal) > 1;
    if (twice || out->ordinal < 0 || static_cast<std::size_t>(out->ordinal) >= machine_.gpus.size()) {
      check(*driver_, result::invalid_device, "cuda_device", {.device = out->ordinal});
    }
    std::ranges::copy_if(ranges_, std::back_inserter(out->ranges),
                         [g](const sm_range& r) { return r.gpu == static_cast<std::int32_t>(g); });
    partition_wish wish = options_.wish;
    if (g < options_.contexts.size()) {
      out->foreign = options_.contexts[g];
      wish.primary_context = out->foreign.handle == context_handle{} || out->foreign.is_primary;
    }
    const auto has_stream = [&](const sm_range& r) { return stream_of_caller(r) != stream_handle{}; };
    const auto with_stream = std::ranges::count_if(out->ranges, has_stream);
    if (with_stream == 0 && (g > 0 || !has_stream({}))) {
      out->choice = choose_backend(machine_, out->ordinal, out->ranges, wish);
    } else {
      out->choice.possible = with_stream == std::ssize(out->ranges);
      out->choice.backend = partition_backend::caller_streams;
      out->choice.reason = out->choice.possible ? "the streams are the caller's"
                                                : "the caller has streams for some ranges of the GPU, not for all";
    }
    return out;
  }
  /// Makes what the GPU needs, once. Error: `cuda_error`, and then nothing is there.
  void enter(gpu& own) const {
    if (own.context) { return; }
    const bool kept = own.foreign.handle == context_handle{};
    auto made = kept ? device_context<D>{*driver_, own.ordinal} : device_context<D>{*driver_, own.ordinal, own.foreign};
    if (own.choice.possible && own.choice.backend == partition_backend::green_contexts && !own.ranges.empty()) {
      std::vector<std::int32_t> sms;
      for (const sm_range& r : own.ranges) { sms.push_back(r.count); }
      own.parts.emplace(made.ref(), sms, own.choice.split);
    }
    own.lengths.emplace(made.ref(), options_.occupy);
    own.context.emplace(std::move(made));
  }
  [[nodiscard]] auto make_stream(const gpu& own, opened_stream& opened) const -> cuda::stream<D> {
    const context_ref<D>& c = own.context->ref();
    const sm_range& range = opened.site.range;
    if (const stream_handle s = stream_of_caller(range); s != stream_handle{}) { return {c, s}; }
    const bool of_caller = own.choice.backend == partition_backend::caller_streams;
    if (range.count <= 0) {
      opened.only_copies = of_caller || (own.parts && own.parts->rest().sms() == 0);
      return own.parts && !opened.only_copies ? own.parts->rest().stream() : cuda::stream<D>{c};
    }
    if (!of_caller && own.choice.backend != partition_backend::green_contexts) { return cuda::stream<D>{c}; }
    const auto found = std::ranges::find_if(own.ranges, [&](const sm_range& r) { return are_same(r, range); });
    if (!own.parts || found == own.ranges.end()) { c.check(result::invalid_resource_configuration, "open"); }
    return (*own.parts)[static_cast<std::size_t>(found - own.ranges.begin())].stream();
  }

  D* driver_;
  machine_facts machine_;
  device_options options_;
  std::vector<sm_range> ranges_;
  fault_record faults_;
  std::vector<std::unique_ptr<gpu>> gpus_;
  std::vector<std::unique_ptr<opened_stream>> streams_;
};

template <CudaDriver D>
class cuda_device<D>::stream {
 public:
  /// Pre, for both: the device is ready; at most one operation at a time. The kernel lives until `done` is called.
  void launch(const kernel& k, runtime::completion done) {
    opened_->done = done;
    opened_->reporting = k.reports() ? &k : nullptr;
    opened_->served->submit(
        "launch",
        [&](D& d, stream_handle) {
          return opened_->only_copies ? result::no_sms_left : k.enqueue(d, opened_->site, *opened_->lengths);
        },
        opened_->told());
  }
  void launch(const kernel&&, runtime::completion) = delete;
  /// The device picks the engine by the direction of the copy; the one that is named here is the arbiter's.
  void copy(std::int32_t /*engine*/, const device_copy& c, runtime::completion done) {
    opened_->done = done;
    opened_->reporting = nullptr;
    if (!c.moves()) {
      return opened_->served->submit_delay(runtime::later(runtime::now(), c.length()), opened_->told());
    }
    opened_->served->submit("copy", [&c](D& d, stream_handle s) { return c.enqueue(d, s); }, opened_->told());
  }

 private:
  friend cuda_device;
  explicit stream(opened_stream& opened) noexcept : opened_{&opened} {}

  opened_stream* opened_;
};

}  // namespace takt::inline TAKT_ABI::cuda
