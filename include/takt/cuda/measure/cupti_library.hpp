// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)

#include <cstddef>
#include <cstdint>
#include <string>

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <takt/cuda/driver_api.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Is a function of CUPTI, which all take one structure that begins with its own size.
template <class Parameters>
struct cupti_entry {
  const char* name = nullptr;
  std::size_t size = 0;
  CUptiResult (*function)(Parameters*) = nullptr;

  [[nodiscard]] auto parameters() const noexcept -> Parameters {
    Parameters out{};
    out.structSize = size;
    return out;
  }
};

namespace detail {

/// Returns CUPTI's numbers next to those of the driver, with which they overlap: -1000 minus the number.
[[nodiscard]] constexpr auto of_cupti(CUptiResult r) noexcept -> result {
  return r == CUPTI_SUCCESS ? result::success : result{-1000 - static_cast<std::int32_t>(r)};
}

}  // namespace detail

/// CUPTI's library, loaded when the object is made and kept until the program ends; no program needs a link flag for
/// it.
class cupti_library {
 public:
  static constexpr int major = CUDA_VERSION / 1000;

  /// `file`: of the version of the headers; empty for the one that the loader finds, or else where toolkits have it.
  /// Error: `cuda_error` where there is none, or it lacks a function.
  explicit cupti_library(const std::string& file = {}) { load(file); }
  cupti_library(const cupti_library&) = delete;
  auto operator=(const cupti_library&) -> cupti_library& = delete;
  ~cupti_library() = default;

  template <class Parameters>
  [[nodiscard]] auto try_call(const cupti_entry<Parameters>& e, Parameters& p) const -> CUptiResult {
    return e.function(&p);
  }
  /// Error: `cuda_error` unless the call succeeded.
  template <class Parameters>
  void call(const cupti_entry<Parameters>& e, Parameters& p, const call_site& place = {}) const {
    const CUptiResult r = e.function(&p);
    if (r == CUPTI_SUCCESS) { return; }
    throw cuda_error{failure{detail::of_cupti(r), e.name, place.device, place.context, explain(r)}};
  }

  /// Returns CUPTI's word for a result, and what to do where that is known.
  [[nodiscard]] auto explain(CUptiResult r) const -> std::string {
    const char* word = nullptr;
    const bool known = result_string_ != nullptr && result_string_(r, &word) == CUPTI_SUCCESS && word != nullptr;
    std::string out = known ? word : "CUPTI error " + std::to_string(static_cast<int>(r));
    if (r == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
      out +=
          " (ERR_NVGPUCTRPERM): the counters are for administrators only; give the program CAP_SYS_ADMIN, or load the "
          "driver's module with NVreg_RestrictProfilingToAdminUsers=0";
    } else if (r == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
      out += ": the host of this virtual GPU has to permit profiling";
    }
    return out;
  }

  cupti_entry<CUpti_Profiler_Initialize_Params> initialize{"cuptiProfilerInitialize",
                                                           CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_DeInitialize_Params> deinitialize{"cuptiProfilerDeInitialize",
                                                               CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_GetCounterAvailability_Params> availability{
      "cuptiProfilerGetCounterAvailability", CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Device_GetChipName_Params> chip_name{"cuptiDeviceGetChipName",
                                                         CUpti_Device_GetChipName_Params_STRUCT_SIZE};

  cupti_entry<CUpti_Profiler_Host_Initialize_Params> make_host{"cuptiProfilerHostInitialize",
                                                               CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_Deinitialize_Params> end_host{"cuptiProfilerHostDeinitialize",
                                                                CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_GetSupportedChips_Params> chips{
      "cuptiProfilerHostGetSupportedChips", CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_ConfigAddMetrics_Params> add_metrics{
      "cuptiProfilerHostConfigAddMetrics", CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_GetConfigImageSize_Params> image_size{
      "cuptiProfilerHostGetConfigImageSize", CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_GetConfigImage_Params> image{"cuptiProfilerHostGetConfigImage",
                                                               CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_GetNumOfPasses_Params> passes{"cuptiProfilerHostGetNumOfPasses",
                                                                CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
  cupti_entry<CUpti_Profiler_Host_EvaluateToGpuValues_Params> evaluate{
      "cuptiProfilerHostEvaluateToGpuValues", CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};

  cupti_entry<CUpti_RangeProfiler_Enable_Params> enable{"cuptiRangeProfilerEnable",
                                                        CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_Disable_Params> disable{"cuptiRangeProfilerDisable",
                                                          CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_GetCounterDataSize_Params> data_size{
      "cuptiRangeProfilerGetCounterDataSize", CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_CounterDataImage_Initialize_Params> make_data{
      "cuptiRangeProfilerCounterDataImageInitialize",
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_SetConfig_Params> set_config{"cuptiRangeProfilerSetConfig",
                                                               CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_Start_Params> start{"cuptiRangeProfilerStart",
                                                      CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_Stop_Params> stop{"cuptiRangeProfilerStop",
                                                    CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_PushRange_Params> push{"cuptiRangeProfilerPushRange",
                                                         CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_PopRange_Params> pop{"cuptiRangeProfilerPopRange",
                                                       CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_DecodeData_Params> decode{"cuptiRangeProfilerDecodeData",
                                                            CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
  cupti_entry<CUpti_RangeProfiler_GetCounterDataInfo_Params> data_info{
      "cuptiRangeProfilerGetCounterDataInfo", CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};

 private:
  [[nodiscard]] static auto open(const std::string& file) -> void* {
    return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }

  void load(const std::string& file) {
    const std::string usual = "libcupti.so." + std::to_string(major);
    void* library = open(file.empty() ? usual : file);
    for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"}) {
      if (library == nullptr && file.empty()) { library = open(folder + usual); }
    }
    if (library == nullptr) {
      throw cuda_error{failure{result::missing_driver,
                               "dlopen",
                               -1,
                               {},
                               (file.empty() ? usual : file) + " cannot be loaded; install CUPTI of CUDA " +
                                   std::to_string(major) + ", or name its file"}};
    }
    result_string_ = reinterpret_cast<decltype(result_string_)>(dlsym(library, "cuptiGetResultString"));
    std::string missing;
    const auto find = [&](auto&... entries) { (find_one(library, entries, missing), ...); };
    find(initialize, deinitialize, availability, chip_name);
    find(make_host, end_host, chips, add_metrics, image_size, image, passes, evaluate);
    find(enable, disable, data_size, make_data, set_config, start, stop, push, pop, decode, data_info);
    if (!missing.empty()) {
      throw cuda_error{failure{result::missing_entry, "dlsym", -1, {}, "CUPTI's library lacks " + missing}};
    }
  }
  template <class Parameters>
  static void find_one(void* library, cupti_entry<Parameters>& e, std::string& missing) {
    e.function = reinterpret_cast<CUptiResult (*)(Parameters*)>(dlsym(library, e.name));
    if (e.function == nullptr) { missing += (missing.empty() ? "" : ", ") + std::string{e.name}; }
  }

  CUptiResult (*result_string_)(CUptiResult, const char**) = nullptr;
};

}  // namespace takt::inline TAKT_ABI::cuda

#endif
