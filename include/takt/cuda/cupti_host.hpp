// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/cuda/cupti_library.hpp>

#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace takt::cuda {

/// The chips that the library knows without a device's own word.
[[nodiscard]] inline auto chips_of(const cupti_library& cupti) -> std::vector<std::string> {
  auto p = cupti.chips.parameters();
  cupti.call(cupti.chips, p);
  return {p.ppChipNames, p.ppChipNames + p.numChips};
}

/// The half of the profiler that needs no device: which metrics a chip has, how they are configured and what the
/// counters come to. All throw `cuda_error`.
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

  /// What the device is configured with for these metrics; `evaluate` is about the latest.
  [[nodiscard]] auto configure(std::span<const char* const> metrics) -> bytes {
    object_ = std::make_unique<object>(*cupti_, chip_, availability_);
    metrics_.assign(metrics.begin(), metrics.end());
    const CUptiResult r = object_->add(metrics_);
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

  /// How often a range has to be run.
  [[nodiscard]] auto passes(bytes& configuration) const -> std::size_t {
    auto p = cupti_->passes.parameters();
    p.configImageSize = configuration.size();
    p.pConfigImage = configuration.data();
    cupti_->call(cupti_->passes, p);
    return p.numOfPasses;
  }

  /// The values of the first range in `data`. Pre: configured; one value per metric.
  void evaluate(const bytes& data, std::span<double> values) {
    auto p = cupti_->evaluate.parameters();
    p.pHostObject = object_->get();
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = 0;
    p.ppMetricNames = metrics_.data();
    p.numMetrics = metrics_.size();
    p.pMetricValues = values.data();
    cupti_->call(cupti_->evaluate, p);
  }

 private:
  /// After a metric that is not there, CUPTI's object refuses every other one.
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

  const cupti_library* cupti_;
  std::string chip_;
  bytes availability_;
  std::vector<const char*> metrics_;
  std::unique_ptr<object> object_;
};

}  // namespace takt::cuda

#endif
