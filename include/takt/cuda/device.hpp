// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
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
#include <takt/cuda/partition.hpp>
#include <takt/cuda/served_stream.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/machine_finding.hpp>

namespace takt::cuda {

struct device_options {
  partition_wish wish{};
  /// The driver's number of each GPU of the platform, each once; empty: those of `TAKT_GPUS`, or the same numbers
  /// where it is not set.
  std::vector<std::int32_t> ordinals{};
  check_sources sources{};
};

/// GPUs of NVIDIA for the runtime: what runs on `runtime::emulated_device` runs here.
///
/// Each task has a stream of its own, on the SMs of its range, and a thread that waits, suspended, for what is in it.
/// Green contexts can only be split off all at once, so the ranges of all tasks are given at the start. Nothing is
/// allocated in the driver after the last `open`.
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

  /// Pre: the driver outlives the device; the ranges are disjoint. Error: `cuda_error`. A way to keep the ranges apart
  /// that does not exist is no error here: `serves` is false and `backend()` says why.
  cuda_device(D& driver, std::vector<sm_range> ranges, device_options options = {})
      : driver_{&driver},
        machine_{query_machine(driver, name_gpus(options))},
        options_{std::move(options)},
        ranges_{std::move(ranges)} {
    std::erase_if(ranges_, [](const sm_range& r) { return r.count <= 0; });
    if (options_.sources.variables("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) { options_.wish.limited_by_mps = true; }
    if (options_.ordinals.empty()) {
      for (std::size_t g = 0; g < machine_.gpus.size(); ++g) {
        options_.ordinals.push_back(static_cast<std::int32_t>(g));
      }
    }
    for (std::size_t g = 0; g < options_.ordinals.size(); ++g) { gpus_.push_back(make_gpu(g)); }
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
    for (std::size_t g = 0; g < gpus_.size(); ++g) { engines += std::min(2, facts(g).copy_engines); }
    return wanted.copy_engines <= engines;
  }
  /// Whether a GPU has so many SMs of so many threads; what may not be used of them has to be held by others.
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
      opened->site.device = own.context.ref().device;
      opened->site.context = own.context.ref().handle;
      opened->site.range = range;
      opened->site.backend = own.choice.backend;
      opened->site.occupy = own.occupy;
      opened->faults = &faults_;
      opened->served = std::make_unique<served_stream<D>>(make_stream(own, range), faults_, facts(g).wait());
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
  [[nodiscard]] auto fault_sentence() const -> std::string { return sentence(*fault()); }
  /// Cost: up to seconds, see `check_cuda_machine`.
  [[nodiscard]] auto findings() const -> runtime::machine_findings {
    return check_cuda_machine(machine_, options_.sources.machine, options_.sources.variables);
  }
  /// Ranges whose kernels ran on fewer blocks than planned or needed more launches than one, since the last call.
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
  /// Pre, for both: the platform has the GPU.
  [[nodiscard]] auto backend(std::size_t g) const -> const backend_choice& { return gpus_[g]->choice; }
  [[nodiscard]] auto context(std::size_t g) const -> const context_ref<D>& { return gpus_[g]->context.ref(); }

 private:
  [[nodiscard]] static auto name_gpus(device_options& options) -> const std::vector<std::int32_t>& {
    if (options.ordinals.empty()) { options.ordinals = gpus_from_environment(options.sources.variables); }
    return options.ordinals;
  }
  struct gpu {
    device_context<D> context;
    backend_choice choice;
    green_partitions<D> greens;
    loaded_module<D> module;
    function_handle occupy{};
  };
  struct opened_stream {
    launch_site site{};
    runtime::completion done{};
    fault_record* faults = nullptr;
    const kernel* reporting = nullptr;  ///< the kernel under way, if it says how it ended
    overrun_record overruns;
    std::unique_ptr<served_stream<D>> served;

    [[nodiscard]] auto told() noexcept -> stream_end {
      return {[](void* o, result how) { static_cast<opened_stream*>(o)->ended(how); }, this};
    }
    /// On the thread of the stream.
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
  [[nodiscard]] auto make_gpu(std::size_t g) -> std::unique_ptr<gpu> {
    const std::int32_t ordinal = options_.ordinals[g];
    const bool twice = std::ranges::count(options_.ordinals, ordinal) > 1;
    if (twice || ordinal < 0 || static_cast<std::size_t>(ordinal) >= machine_.gpus.size()) {
      check(*driver_, result::invalid_device, "cuda_device", {.device = ordinal});
    }
    std::vector<sm_range> own;
    std::ranges::copy_if(ranges_, std::back_inserter(own),
                         [g](const sm_range& r) { return r.gpu == static_cast<std::int32_t>(g); });
    auto out = std::make_unique<gpu>(gpu{.context = device_context<D>{*driver_, ordinal},
                                         .choice = choose_backend(machine_, ordinal, own, options_.wish),
                                         .greens = {},
                                         .module = {}});
    if (out->choice.possible && out->choice.backend == partition_backend::green_contexts && !own.empty()) {
      out->greens = green_partitions<D>{out->context.ref(), own, out->choice.group};
    }
    out->module = loaded_module<D>{out->context.ref(), occupy_ptx};
    out->occupy = out->module.function(occupy_name);
    return out;
  }
  [[nodiscard]] auto make_stream(gpu& own, const sm_range& range) -> cuda::stream<D> {
    const context_ref<D>& c = own.context.ref();
    if (range.count <= 0 || own.choice.backend != partition_backend::green_contexts) { return cuda::stream<D>{c}; }
    const green_handle green = own.greens.find(range);
    if (green == green_handle{}) { c.check(result::invalid_resource_configuration, "open"); }
    return cuda::stream<D>{c, green, 0};
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
  /// Pre, for both: the device is ready; at most one operation at a time.
  void launch(const kernel& k, runtime::completion done) {
    opened_->done = done;
    opened_->reporting = k.reports() ? &k : nullptr;
    opened_->served->submit(
        "launch", [&](D& d, stream_handle) { return k.enqueue(d, opened_->site); }, opened_->told());
  }
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

}  // namespace takt::cuda
