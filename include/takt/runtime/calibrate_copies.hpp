// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/copy_fit.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/event.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Times `repeats` copies of each size on an engine that has no other user, one after the other. `make_copy(bytes)`
/// returns the device's copy body for that many bytes. Source: Zou et al. 2021, section 3.2.
template <class StreamType, class MakeCopy>
[[nodiscard]] auto time_copies(StreamType& stream, std::int32_t engine, std::span<const std::int64_t> sizes,
                               std::size_t repeats, const MakeCopy& make_copy) -> std::vector<copy_sample> {
  std::vector<copy_sample> samples;
  samples.reserve(sizes.size() * repeats);
  for (const std::int64_t bytes : sizes) {
    for (std::size_t r = 0; r < repeats; ++r) {
      const auto body = make_copy(bytes);
      event done;
      const ticks begin = now();
      stream.copy(engine, body, notify<&event::signal>(&done));
      done.wait();
      samples.push_back({bytes, now() - begin});
    }
  }
  return samples;
}

}  // namespace takt::inline TAKT_ABI::runtime
