// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/cuda/machine_check.hpp>

namespace takt::cuda {

/// "0,2" as the driver's numbers of GPUs, in this order; none when it is anything else or names one twice.
[[nodiscard]] inline auto parse_gpu_list(std::string_view text) -> std::optional<std::vector<std::int32_t>> {
  std::vector<std::int32_t> out;
  const char* place = text.data();
  const char* const end = place + text.size();
  while (place != end) {
    std::int32_t number = -1;
    const auto parsed = std::from_chars(place, end, number);
    if (parsed.ec != std::errc{} || number < 0) { return std::nullopt; }
    for (const std::int32_t known : out) {
      if (known == number) { return std::nullopt; }
    }
    out.push_back(number);
    place = parsed.ptr;
    if (place == end) { return out; }
    if (*place++ != ',') { return std::nullopt; }
  }
  return std::nullopt;
}

/// The GPUs of this process, as `TAKT_GPUS` names them; empty when it is not set. Error: `std::invalid_argument` when
/// it is set to anything but a list. Source: Elliott 2015, section 5.4.3.
[[nodiscard]] inline auto gpus_from_environment(const environment& variables = process_environment)
    -> std::vector<std::int32_t> {
  const auto text = variables("TAKT_GPUS");
  if (!text) { return {}; }
  auto gpus = parse_gpu_list(*text);
  if (!gpus) {
    throw std::invalid_argument{"takt: TAKT_GPUS is \"" + std::string{*text} +
                                "\"; a list of GPUs such as 0,2, each once, is allowed"};
  }
  return *std::move(gpus);
}

}  // namespace takt::cuda
