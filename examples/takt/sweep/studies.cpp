// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "accelerator_studies.hpp"
#include "rtgpu_studies.hpp"
#include "study.hpp"

namespace takt::program::sweep {

auto studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (auto family : {rtgpu_acceptance_studies, rtgpu_execution_studies, accelerator_slot_studies,
                        accelerator_level_studies, accelerator_response_studies, accelerator_wave_studies}) {
      std::ranges::move(family(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

}  // namespace takt::program::sweep
