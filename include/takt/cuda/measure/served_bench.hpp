// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/measure/sm_blockers.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/event.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Is a kernel of a device, and says whether its last launch did all of its work.
template <CudaDriver D>
struct served_kernel {
  device_kernel<D> kernel{};
  std::function<bool()> complete = [] { return true; };
};

/// Holds what a bench launches, each made for so many SMs with so many blocks on each. These are a job of `chunks`
/// chunks, a launch of so many chunks without work, and as many blocks of a plain kernel without work.
template <CudaDriver D>
struct served_kernels {
  std::int32_t virtual_per_sm = 1;
  std::uint32_t chunks = 0;
  std::function<served_kernel<D>(std::int32_t sms, std::int32_t per_sm)> job{};
  std::function<served_kernel<D>(std::int32_t sms, std::int32_t per_sm, std::uint32_t chunks)> empty{};
  std::function<served_kernel<D>(std::int32_t sms, std::int32_t per_sm)> plain_empty{};
  blocker_kernel<D> blockers{};  ///< for pinned blocks on the whole device
};

/// Times kernels the way that the runtime launches them: by a stream of a `cuda_device`, from before the call until the
/// thread that waits for the completion runs again. So the wake-up of the stream's thread, what it checks, and further
/// launches of a job are in the times; they are those of the priority of the calling thread.
///
/// By default it runs in a green context of as many SMs. With pinned blocks on the whole device
/// (`partition_wish::kernels_stay_on_range` without green contexts) all other SMs are kept full meanwhile, and a sample
/// counts only if they were.
template <CudaDriver D>
class served_bench {
 public:
  /// Times on the first GPU of the options. `clock`: read before and after each launch. Pre: the driver outlives it,
  /// and so does what the kernels are made of.
  explicit served_bench(D& driver, served_kernels<D> kernels, device_options options = {},
                        std::function<ticks()> clock = runtime::now, ticks patience = 1'000'000'000)
      : driver_{&driver},
        kernels_{std::move(kernels)},
        options_{std::move(options)},
        clock_{std::move(clock)},
        patience_{patience} {}

  [[nodiscard]] auto virtual_per_sm() const noexcept -> std::int32_t { return kernels_.virtual_per_sm; }
  [[nodiscard]] auto chunks() const noexcept -> std::uint32_t { return kernels_.chunks; }
  /// Answers for the device that was used last.
  [[nodiscard]] auto passes_foreign_sms() const noexcept -> bool { return passes_; }
  [[nodiscard]] auto fault() const -> std::string { return fault_; }

  [[nodiscard]] auto time_job(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return open(sms) ? time(kernels_.job(sms, per_sm)) : std::nullopt;
  }
  [[nodiscard]] auto time_empty(std::int32_t sms, std::int32_t per_sm, std::uint32_t chunks) -> std::optional<ticks> {
    return open(sms) ? time(kernels_.empty(sms, per_sm, chunks)) : std::nullopt;
  }
  [[nodiscard]] auto time_plain_empty(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return open(sms) ? time(kernels_.plain_empty(sms, per_sm)) : std::nullopt;
  }

 private:
  using device = cuda_device<D>;
  struct opened_range {
    opened_range(D& driver, const sm_range& r, const device_options& options)
        : range{r}, on{driver, {r}, options}, stream{on.open(r)} {}

    sm_range range;
    device on;
    typename device::stream stream;
    std::optional<sm_blockers<D>> blockers{};
  };

  [[nodiscard]] auto refuse(std::string why) -> bool {
    fault_ = std::move(why);
    return false;
  }
  [[nodiscard]] auto open(std::int32_t sms) -> bool {
    if (opened_ && opened_->range.count == sms) { return true; }
    opened_.reset();
    try {
      auto next = std::make_unique<opened_range>(*driver_, sm_range{.gpu = 0, .first = 0, .count = sms}, options_);
      return prepare(*next) && adopt(std::move(next));
    } catch (const cuda_error& e) { return refuse(e.what()); }
  }
  [[nodiscard]] auto adopt(std::unique_ptr<opened_range> next) -> bool {
    opened_ = std::move(next);
    return true;
  }
  [[nodiscard]] auto prepare(opened_range& to) -> bool {
    const backend_choice& choice = to.on.backend(0);
    if (!choice.possible) { return refuse(choice.reason); }
    if (!to.on.ready()) { return refuse(to.on.failed() ? to.on.fault_sentence() : "the device is not ready"); }
    const auto ordinal = static_cast<std::size_t>(to.on.context(0).device);
    const std::int32_t all = to.on.machine().gpus[ordinal].sms;
    if (to.range.count > all) { return refuse("the device has " + std::to_string(all) + " SMs"); }
    passes_ = choice.backend == partition_backend::pinned_blocks;
    // Code that is loaded by its first launch waits for all that runs on the device, so it runs before any SM is full.
    const std::int32_t each = kernels_.virtual_per_sm;
    const auto blocks = static_cast<std::uint32_t>(to.range.count * each);
    const bool loaded = run(to, kernels_.job(to.range.count, each)) &&
                        run(to, kernels_.empty(to.range.count, each, blocks)) &&
                        run(to, kernels_.plain_empty(to.range.count, each));
    if (!loaded || !passes_ || to.range.count == all) { return loaded; }
    if (!kernels_.blockers.make) { return refuse("there is no kernel that keeps the other SMs full"); }
    to.blockers.emplace(to.on, kernels_.blockers, all, to.range, clock_, patience_);
    return to.blockers->load().start() || refuse(to.on.failed() ? to.on.fault_sentence() : to.blockers->load().fault());
  }

  [[nodiscard]] auto run(opened_range& on, const served_kernel<D>& k) -> std::optional<ticks> {
    const ticks begin = clock_();
    on.stream.launch(k.kernel, runtime::notify<&runtime::event::signal>(&done_));
    done_.wait();
    const ticks time = clock_() - begin;
    if (on.on.failed()) { return none(on.on.fault_sentence()); }
    return k.complete() ? std::optional{time} : none("a job was not done when its launch had ended");
  }
  [[nodiscard]] auto none(std::string why) -> std::optional<ticks> {
    fault_ = std::move(why);
    return std::nullopt;
  }
  [[nodiscard]] auto time(const served_kernel<D>& k) -> std::optional<ticks> {
    if (!opened_->blockers) { return run(*opened_, k); }
    fault_.clear();
    sample_load& load = opened_->blockers->load();
    const std::optional<ticks> out = load.beside([&] { return run(*opened_, k); });
    return out || !fault_.empty() ? out : none(load.fault());
  }

  D* driver_;
  served_kernels<D> kernels_;
  device_options options_;
  std::function<ticks()> clock_;
  ticks patience_;
  std::string fault_;
  bool passes_ = false;
  runtime::event done_;
  std::unique_ptr<opened_range> opened_;
};

}  // namespace takt::inline TAKT_ABI::cuda
