// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/cuda/measure/counters.hpp>
#include <takt/cuda/measure/cupti_library.hpp>

#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace takt::inline TAKT_ABI::cuda {

/// Returns the chips that the library knows without a device.
[[nodiscard]] inline auto chips_of(const cupti_library& cupti) -> std::vector<std::string> {
  auto p = cupti.chips.parameters();
  cupti.call(cupti.chips, p);
  return {p.ppChipNames, p.ppChipNames + p.numChips};
}

namespace detail {

/// Is the half of the profiler that needs no device: which metrics a chip has, how they are configured and what the
/// counters come to. All functions throw `cuda_error`.
class cupti_host {
 public:
  using bytes = std::vector<std::uint8_t>;

  /// `chip`: as CUPTI calls it. `availability`: of the device, empty for all that such chips have. Pre: the library
  /// outlives it.
  cupti_host(const cupti_library& cupti, std::string chip, bytes availability = {})
      : cupti_{&cupti}, chip_{std::move(chip)}, availability_{std::move(availability)} {}

  [[nodiscard]] auto has(const char* metric) const -> bool {
    const object made{*cupti_, chip_, availability_};
    const CUptiResult r = made.add({&metric, 1});
    if (r == CUPTI_SUCCESS) { return true; }
    if (r == CUPTI_ERROR_INVALID_METRIC_NAME || r == CUPTI_ERROR_INVALID_PARAMETER) { return false; }
    throw cuda_error{failure{of_cupti(r), cupti_->add_metrics.name, -1, {}, cupti_->explain(r)}};
  }

  /// Returns what the device is configured with for these metrics; `evaluate` is about the latest.
  [[nodiscard]] auto configure(std::span<const char* const> metrics) -> bytes {
    object_ = std::make_unique<object>(*cupti_, chip_, availability_);
    metrics_.assign(metrics.begin(), metrics.end());
    auto names = names_of_metrics();
    const CUptiResult r = object_->add(names);
    if (r != CUPTI_SUCCESS) {
      throw cuda_error{failure{of_cupti(r), cupti_->add_metrics.name, -1, {}, cupti_->explain(r)}};
    }
    auto size = cupti_->image_size.parameters();
    size.pHostObject = object_->get();
    cupti_->call(cupti_->image_size, size);
    bytes out(size.configImageSize);
    auto image = cupti_->image.parameters();
    image.pHostObject = object_->get();
    image.configImageSize = out.size();
    image.pConfigImage = out.data();
    cupti_->call(cupti_->image, image);
    return out;
  }

  /// Returns how often a range has to be run.
  [[nodiscard]] auto passes(bytes& configuration) const -> std::size_t {
    auto p = cupti_->passes.parameters();
    p.configImageSize = configuration.size();
    p.pConfigImage = configuration.data();
    cupti_->call(cupti_->passes, p);
    return p.numOfPasses;
  }

  /// Reads the values of the first range in `data`. Pre: configured; one value per metric.
  void evaluate(const bytes& data, std::span<double> values) {
    TAKT_EXPECTS(object_ != nullptr && values.size() == metrics_.size());
    auto p = cupti_->evaluate.parameters();
    p.pHostObject = object_->get();
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = 0;
    auto names = names_of_metrics();
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    p.pMetricValues = values.data();
    cupti_->call(cupti_->evaluate, p);
  }

 private:
  /// Is a fresh object of CUPTI: after a metric that is not there, an object refuses every other one.
  class object {
   public:
    object(const cupti_library& cupti, const std::string& chip, const bytes& availability) : cupti_{&cupti} {
      auto p = cupti.make_host.parameters();
      p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
      p.pChipName = chip.c_str();
      p.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
      cupti.call(cupti.make_host, p);
      made_ = p.pHostObject;
    }
    object(const object&) = delete;
    auto operator=(const object&) -> object& = delete;
    ~object() {
      auto p = cupti_->end_host.parameters();
      p.pHostObject = made_;
      (void)cupti_->try_call(cupti_->end_host, p);
    }

    [[nodiscard]] auto get() const noexcept -> CUpti_Profiler_Host_Object* { return made_; }
    [[nodiscard]] auto add(std::span<const char*> metrics) const -> CUptiResult {
      auto p = cupti_->add_metrics.parameters();
      p.pHostObject = made_;
      p.ppMetricNames = metrics.data();
      p.numMetrics = metrics.size();
      return cupti_->try_call(cupti_->add_metrics, p);
    }

   private:
    const cupti_library* cupti_;
    CUpti_Profiler_Host_Object* made_ = nullptr;
  };

  [[nodiscard]] auto names_of_metrics() const -> std::vector<const char*> {
    std::vector<const char*> out;
    for (const std::string& m : metrics_) { out.push_back(m.c_str()); }
    return out;
  }

  const cupti_library* cupti_;
  std::string chip_;
  bytes availability_;
  std::vector<std::string> metrics_;
  std::unique_ptr<object> object_;
};

}  // namespace detail

/// Reads the counters of one context through CUPTI's range profiler, in as many passes as the metrics need. Not tested
/// against a device here: everything that decides is in `count_solo_run`, and `cupti_host` runs without one.
///
/// Profiling slows the work down: profile offline. One object at a time per process, as CUPTI's state is global. Pre:
/// the context is current to the calling thread in every call, also in the destructor.
class cupti_counters {
 public:
  /// Error: `cuda_error` where the library, the device or a permission is missing.
  cupti_counters(std::int32_t device, context_handle context, const std::string& library = {})
      : place_{device, context},
        cupti_{library},
        initialized_{cupti_, place_},
        host_{cupti_, chip_name(), availability()} {}

  cupti_counters(const cupti_counters&) = delete;
  auto operator=(const cupti_counters&) -> cupti_counters& = delete;
  ~cupti_counters() { abandon(); }

  [[nodiscard]] auto has(const char* metric) const -> bool { return host_.has(metric); }

  void configure(std::span<const char* const> metrics) {
    abandon();
    configuration_ = host_.configure(metrics);
    profiler_.emplace(cupti_, place_);
    make_data(metrics);
    auto p = cupti_.set_config.parameters();
    p.pRangeProfilerObject = profiler_->get();
    p.configSize = configuration_.size();
    p.pConfig = configuration_.data();
    p.counterDataImageSize = data_.size();
    p.pCounterDataImage = data_.data();
    p.range = CUPTI_UserRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = 1;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = 1;
    cupti_.call(cupti_.set_config, p, place_);
  }

  /// Pre: configured.
  void begin() {
    TAKT_EXPECTS(profiler_.has_value());
    auto start = cupti_.start.parameters();
    start.pRangeProfilerObject = profiler_->get();
    cupti_.call(cupti_.start, start, place_);
    started_ = true;
    auto push = cupti_.push.parameters();
    push.pRangeProfilerObject = profiler_->get();
    push.pRangeName = "solo run";
    cupti_.call(cupti_.push, push, place_);
    pushed_ = true;
  }

  /// Pre: begun.
  [[nodiscard]] auto end() -> bool {
    TAKT_EXPECTS(started_ && pushed_);
    auto pop = cupti_.pop.parameters();
    pop.pRangeProfilerObject = profiler_->get();
    pushed_ = false;
    cupti_.call(cupti_.pop, pop, place_);
    auto stop = cupti_.stop.parameters();
    stop.pRangeProfilerObject = profiler_->get();
    started_ = false;
    cupti_.call(cupti_.stop, stop, place_);
    return stop.isAllPassSubmitted != 0;
  }

  /// Pre: `end` has returned true.
  void read(std::span<double> values) {
    TAKT_EXPECTS(profiler_.has_value() && !started_);
    auto decode = cupti_.decode.parameters();
    decode.pRangeProfilerObject = profiler_->get();
    cupti_.call(cupti_.decode, decode, place_);
    auto info = cupti_.data_info.parameters();
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    cupti_.call(cupti_.data_info, info, place_);
    if (decode.numOfRangeDropped != 0 || info.numTotalRanges != 1) {
      throw cuda_error{failure{result::not_found, cupti_.decode.name, place_.device, place_.context,
                               std::to_string(info.numTotalRanges) + " ranges instead of 1, " +
                                   std::to_string(decode.numOfRangeDropped) + " dropped"}};
    }
    host_.evaluate(data_, values);
  }

  void abandon() noexcept {
    if (!profiler_) { return; }
    if (pushed_) {
      auto pop = cupti_.pop.parameters();
      pop.pRangeProfilerObject = profiler_->get();
      (void)cupti_.try_call(cupti_.pop, pop);
    }
    if (started_) {
      auto stop = cupti_.stop.parameters();
      stop.pRangeProfilerObject = profiler_->get();
      (void)cupti_.try_call(cupti_.stop, stop);
    }
    pushed_ = false;
    started_ = false;
    profiler_.reset();
  }

 private:
  class initialization {
   public:
    initialization(const cupti_library& cupti, const call_site& place) : cupti_{&cupti} {
      auto p = cupti.initialize.parameters();
      cupti.call(cupti.initialize, p, place);
    }
    initialization(const initialization&) = delete;
    auto operator=(const initialization&) -> initialization& = delete;
    ~initialization() {
      auto p = cupti_->deinitialize.parameters();
      (void)cupti_->try_call(cupti_->deinitialize, p);
    }

   private:
    const cupti_library* cupti_;
  };

  class range_profiler {
   public:
    range_profiler(const cupti_library& cupti, const call_site& place) : cupti_{&cupti} {
      auto p = cupti.enable.parameters();
      p.ctx = native(place.context);
      cupti.call(cupti.enable, p, place);
      made_ = p.pRangeProfilerObject;
    }
    range_profiler(const range_profiler&) = delete;
    auto operator=(const range_profiler&) -> range_profiler& = delete;
    ~range_profiler() {
      auto p = cupti_->disable.parameters();
      p.pRangeProfilerObject = made_;
      (void)cupti_->try_call(cupti_->disable, p);
    }

    [[nodiscard]] auto get() const noexcept -> CUpti_RangeProfiler_Object* { return made_; }

   private:
    const cupti_library* cupti_;
    CUpti_RangeProfiler_Object* made_ = nullptr;
  };

  [[nodiscard]] static auto native(context_handle c) noexcept -> CUcontext {
    return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(c));
  }

  [[nodiscard]] auto chip_name() const -> std::string {
    auto p = cupti_.chip_name.parameters();
    p.deviceIndex = static_cast<std::size_t>(place_.device);
    cupti_.call(cupti_.chip_name, p, place_);
    return p.pChipName;
  }
  [[nodiscard]] auto availability() const -> detail::cupti_host::bytes {
    auto p = cupti_.availability.parameters();
    p.ctx = native(place_.context);
    cupti_.call(cupti_.availability, p, place_);
    detail::cupti_host::bytes out(p.counterAvailabilityImageSize);
    p.pCounterAvailabilityImage = out.data();
    cupti_.call(cupti_.availability, p, place_);
    return out;
  }

  /// Makes room for one range.
  void make_data(std::span<const char* const> metrics) {
    std::vector<const char*> names{metrics.begin(), metrics.end()};
    auto size = cupti_.data_size.parameters();
    size.pRangeProfilerObject = profiler_->get();
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    cupti_.call(cupti_.data_size, size, place_);
    data_.assign(size.counterDataSize, 0);
    auto make = cupti_.make_data.parameters();
    make.pRangeProfilerObject = profiler_->get();
    make.counterDataSize = data_.size();
    make.pCounterData = data_.data();
    cupti_.call(cupti_.make_data, make, place_);
  }

  call_site place_;
  cupti_library cupti_;
  initialization initialized_;
  detail::cupti_host host_;
  detail::cupti_host::bytes configuration_;  ///< CUPTI keeps pointers into this and the next
  detail::cupti_host::bytes data_;
  std::optional<range_profiler> profiler_;
  bool started_ = false;
  bool pushed_ = false;
};

static_assert(CounterSource<cupti_counters>);

}  // namespace takt::inline TAKT_ABI::cuda

#endif
