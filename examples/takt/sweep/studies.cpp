// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "accelerator_studies.hpp"
#include "gpusync_runtime.hpp"
#include "gpusync_studies.hpp"
#include "gpusync_video.hpp"
#include "openvx_studies.hpp"
#include "rtgpu_studies.hpp"
#include "study.hpp"
#include "wamp2s_prediction_studies.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::sweep {

auto studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (auto family :
         {rtgpu_acceptance_studies, rtgpu_execution_studies, accelerator_slot_studies, accelerator_level_studies,
          accelerator_response_studies, accelerator_wave_studies, openvx_camera_studies, openvx_bound_studies,
          wamp2s_contention_studies, wamp2s_estimate_studies, wamp2s_schedulability_studies, wamp2s_overhead_studies,
          wamp2s_airborne_studies, wamp2s_network_studies, wamp2s_remaining_studies, gpusync_studies,
          gpusync_effective_studies, gpusync_runtime_studies, gpusync_video_studies}) {
      std::ranges::move(family(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

}  // namespace takt::program::sweep
