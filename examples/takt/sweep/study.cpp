// SPDX-License-Identifier: Apache-2.0
#include "study.hpp"

#include <algorithm>
#include <iterator>

#include "../failure.hpp"

namespace takt::program::sweep {

auto studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (auto family : {rtgpu_studies, accelerator_studies, openvx_studies, wamp2s_studies, wamp2s_network_studies,
                        gpusync_studies, gpusync_runtime_studies, gpusync_video_studies}) {
      std::ranges::move(family(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

auto study::design(const settings& s) const -> experiment {
  experiment e;
  static_cast<layout&>(e) = shown;
  if (s.has("levels")) { e.levels = s.levels("levels"); }
  if (s.has("sets")) { e.sets = s.number("sets"); }
  if (e.measured == measure::thousandths) { e.sets_per_unit = e.sets; }
  fill(s, e);
  return e;
}

void require(bool well, std::string_view otherwise) {
  if (!well) { throw environment_error{fmt::format("{}: this is a fault of takt, please report it", otherwise)}; }
}

}  // namespace takt::program::sweep
