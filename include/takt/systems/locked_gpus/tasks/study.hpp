// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Describes a configuration of the published study and its name, such as `(C,C2P2P,2)`: CPUs, GPUs, tokens per GPU.
struct studied_configuration {
  gpusync_configuration value;
  std::array<char, 16> letters{};
  std::size_t length = 0;

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return {letters.data(), length}; }
};

struct studied_gpus {
  std::string_view name;
  std::int32_t cluster_size;
  migration_path migration;
};
struct studied_cpus {
  std::string_view name;
  std::int32_t cluster_size;
};

constexpr void append(studied_configuration& c, std::string_view text) noexcept {
  for (const char letter : text) { c.letters[c.length++] = letter; }
}

[[nodiscard]] constexpr auto make_studied(const studied_cpus& cpus, const studied_gpus& gpus,
                                          std::int32_t tokens) noexcept -> studied_configuration {
  constexpr std::array<std::string_view, 4> token_names{"inf", "1", "2", "3"};
  studied_configuration out;
  out.value = {.cpus = 12,
               .cpu_cluster_size = cpus.cluster_size,
               .gpus = 8,
               .gpu_cluster_size = gpus.cluster_size,
               .tokens_per_gpu = tokens,
               .numa_nodes = 2,
               .migration = gpus.migration,
               .uncontended = uncontended_gpus::dedicated};
  append(out, "(");
  append(out, cpus.name);
  append(out, ",");
  append(out, gpus.name);
  append(out, ",");
  append(out, token_names[static_cast<std::size_t>(tokens)]);
  append(out, ")");
  return out;
}

[[nodiscard]] constexpr auto make_study() noexcept -> std::array<studied_configuration, 57> {
  constexpr std::array<studied_cpus, 3> cpus{{{"P", 1}, {"C", 6}, {"G", 12}}};
  constexpr std::array<studied_gpus, 6> gpus{{{"P", 1, migration_path::none},
                                              {"C2", 2, migration_path::system_memory},
                                              {"C2P2P", 2, migration_path::peer_to_peer},
                                              {"C4", 4, migration_path::system_memory},
                                              {"C4P2P", 4, migration_path::peer_to_peer},
                                              {"G", 8, migration_path::system_memory}}};
  std::array<studied_configuration, 57> out{};
  std::size_t size = 0;
  for (const auto& c : cpus) {
    for (const auto& g : gpus) {
      for (std::int32_t tokens = 1; tokens <= 3; ++tokens) { out[size++] = make_studied(c, g, tokens); }
      if (g.cluster_size == 1) { out[size++] = make_studied(c, g, unlimited_tokens); }
    }
  }
  return out;
}

}  // namespace detail

/// Lists all configurations of 12 CPUs and 8 GPUs on two nodes that the study ranks. CPUs are partitioned (P),
/// clustered (C) or global (G). GPUs are alone (P), in clusters of 2 or 4, or in one cluster (G). Clusters migrate
/// through system memory; those of 2 or 4 also from GPU to GPU (P2P). Source: Elliott 2015, section 4.2 and Table 4.5.
inline constexpr std::array<detail::studied_configuration, 57> studied_configurations = detail::make_study();

/// Returns the position in `studied_configurations`; 57 for an unknown name.
[[nodiscard]] constexpr auto find_studied(std::string_view name) noexcept -> std::size_t {
  std::size_t i = 0;
  while (i < studied_configurations.size() && studied_configurations[i].name() != name) { ++i; }
  return i;
}

}  // namespace takt::inline TAKT_ABI
