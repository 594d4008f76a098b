// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/queue_limit.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_domain.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

enum class name_fault : std::uint8_t {
  empty,
  taken,       ///< by a lock that somebody still has
  unknown,     ///< nobody has a lock of this name
  other_type,  ///< the lock of this name is of another type
};

class lock_name_error : public std::invalid_argument {
 public:
  lock_name_error(name_fault f, const std::string& sentence) : invalid_argument{sentence}, fault_{f} {}
  [[nodiscard]] auto fault() const noexcept -> name_fault { return fault_; }

 private:
  name_fault fault_;
};

}  // namespace detail

/// Holds locks and pools by name, so that separate parts of a program share them. A lock lives as long as some part has
/// it; then its name is free again. All functions may be called from any thread. Source: Elliott 2015, section 3.3.5,
/// where names join processes: here they join the threads of one.
class lock_registry {
 public:
  /// Makes a lock from the arguments. The caller keeps it for longer than its guards. Error: `lock_name_error` with
  /// `empty` or `taken`; what the constructor throws.
  template <class Lock, class... Arguments>
  [[nodiscard]] auto create(std::string_view name, Arguments&&... arguments) -> std::shared_ptr<Lock> {
    if (name.empty()) { refuse(detail::name_fault::empty, name); }
    auto made = std::make_shared<Lock>(std::forward<Arguments>(arguments)...);
    const std::lock_guard turn{mutex_};
    std::erase_if(locks_, [](const auto& l) { return l.second.lock.expired(); });
    if (!locks_.try_emplace(std::string{name}, named{made, typeid(Lock)}).second) {
      refuse(detail::name_fault::taken, name);
    }
    return made;
  }

  /// Error: `lock_name_error` with `unknown` or `other_type`.
  template <class Lock>
  [[nodiscard]] auto open(std::string_view name) -> std::shared_ptr<Lock> {
    const std::lock_guard turn{mutex_};
    const auto at = locks_.find(name);
    const std::shared_ptr<void> found = at == locks_.end() ? nullptr : at->second.lock.lock();
    if (!found) { refuse(detail::name_fault::unknown, name); }
    if (at->second.type != typeid(Lock)) { refuse(detail::name_fault::other_type, name); }
    return std::static_pointer_cast<Lock>(found);
  }

 private:
  struct named {
    std::weak_ptr<void> lock;
    std::type_index type;
  };

  [[noreturn]] void refuse(detail::name_fault f, std::string_view name) const {
    const auto sentence = [&]() -> std::string {
      switch (f) {
        case detail::name_fault::empty: return "is empty; a lock in a registry needs one";
        case detail::name_fault::taken: return "is taken; choose one that none of the locks in use has: " + names();
        case detail::name_fault::unknown: return "is unknown; there are: " + names();
        case detail::name_fault::other_type: break;
      }
      return "belongs to a lock of another type; open it as the type that it was created as";
    };
    throw detail::lock_name_error{f, "takt: the name \"" + std::string{name} + "\" " + sentence()};
  }
  [[nodiscard]] auto names() const -> std::string {
    std::string all;
    for (const auto& [name, lock] : locks_) {
      if (!lock.lock.expired()) { all += (all.empty() ? "\"" : ", \"") + name + '"'; }
    }
    return all.empty() ? "none" : all;
  }

  std::mutex mutex_;
  std::map<std::string, named, std::less<>> locks_;
};

/// Returns the registry that all parts of the program share.
[[nodiscard]] inline auto process_locks() -> lock_registry& {
  static lock_registry all;
  return all;
}

/// Says which GPUs a pool has and how they are shared.
template <class Topology>
struct gpu_pool_description {
  Topology topology{};                  ///< of the pool's GPUs alone
  std::vector<std::int32_t> devices{};  ///< the driver's number of each; empty: as in the topology
  std::int32_t tokens_per_gpu = 1;      ///< rho
  std::int32_t queue_limit = 0;         ///< f, or 0 for the least sound one
  std::int32_t cpus = 1;                ///< of the one cluster on which all users run
  token_layout layout = token_layout::block;
};

enum class pool_field : std::uint8_t { topology, devices, tokens_per_gpu, queue_limit, cpus, layout, gpu };

/// Is thrown for a description that is no pool, or a GPU that is not in one. It names field, value and what is allowed.
class pool_error : public std::invalid_argument {
 public:
  pool_error(pool_field f, const std::string& field, std::int64_t value, const std::string& allowed)
      : invalid_argument{"takt: " + field + " is " + std::to_string(value) + "; " + allowed}, field_{f} {}
  [[nodiscard]] auto field() const noexcept -> pool_field { return field_; }

 private:
  pool_field field_;
};

/// A pool of GPUs made from a description, to be shared by name: `process_locks().create<named_gpu_pool<...>>("vision",
/// description)`. Has room for so many GPUs, tokens of each, and jobs at a time. Tokens go by the R2DGLP; `queue_limit`
/// makes it what docs/locking.md says. `Heuristics` advises the allocator, as `plain_advice` does; advice that its
/// bound does not allow is not taken.
template <std::size_t Gpus, std::size_t TokensPerGpu, std::size_t Jobs, class Heuristics = plain_advice,
          GroupLock Engines = fifo_engine_locks<Gpus, Jobs>>
class named_gpu_pool {
 public:
  using topology = gpu_topology<Gpus, Gpus>;
  using description = gpu_pool_description<topology>;
  using protocol = r2dglp<Gpus * TokensPerGpu, Jobs, Heuristics>;
  using pool = gpu_pool<protocol, Engines, topology>;
  using job = typename pool::job;
  using token = typename pool::token;
  using engine = typename pool::engine;

  /// Error: `pool_error`.
  explicit named_gpu_pool(const description& d, const Heuristics& heuristics = {})
      : devices_{devices_of(d)}, pool_{map_of(d), protocol_of(d, heuristics), d.topology} {}
  /// For threads that hold other locks of the domain with a token.
  named_gpu_pool(lock_domain& domain, const description& d, const Heuristics& heuristics = {})
      : devices_{devices_of(d)}, pool_{domain, map_of(d), protocol_of(d, heuristics), d.topology} {}

  /// As for `gpu_pool`.
  [[nodiscard]] auto begin_job(const lock_call& call = {}) -> job { return pool_.begin_job(call); }
  [[nodiscard]] auto tokens() noexcept -> pool& { return pool_; }
  [[nodiscard]] auto gpus() const noexcept -> std::int32_t { return static_cast<std::int32_t>(devices_.size()); }
  /// The driver's number of a GPU that the pool, and `token::gpu`, number from 0. Error: `pool_error`.
  [[nodiscard]] auto device(std::int32_t gpu) const -> std::int32_t {
    if (gpu < 0 || gpu >= gpus()) {
      throw pool_error{pool_field::gpu, "the GPU", gpu, "0 to " + std::to_string(gpus() - 1)};
    }
    return devices_[static_cast<std::size_t>(gpu)];
  }

 private:
  /// Checks what has to do with GPUs.
  [[nodiscard]] static auto devices_of(const description& d) -> std::vector<std::int32_t> {
    const std::int32_t gpus = d.topology.gpus();
    if (gpus < 1) {
      throw pool_error{pool_field::topology, "the number of GPUs in topology", gpus, "1 to " + std::to_string(Gpus)};
    }
    std::vector<std::int32_t> all = d.devices;
    for (std::int32_t g = 0; d.devices.empty() && g < gpus; ++g) { all.push_back(g); }
    if (all.size() != static_cast<std::size_t>(gpus)) {
      throw pool_error{pool_field::devices, "the number of devices", static_cast<std::int64_t>(all.size()),
                       "0, or one for each of the " + std::to_string(gpus) + " GPUs of the topology"};
    }
    for (std::size_t g = 0; g < all.size(); ++g) {
      const auto place = "devices[" + std::to_string(g) + "]";
      if (all[g] < 0) { throw pool_error{pool_field::devices, place, all[g], "at least 0"}; }
      if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(g), all[g]) !=
          all.begin() + static_cast<std::ptrdiff_t>(g)) {
        throw pool_error{pool_field::devices, place, all[g], "a GPU that is not in the pool already"};
      }
    }
    return all;
  }
  /// Pre, here and below: `devices_of` has accepted the description.
  [[nodiscard]] static auto map_of(const description& d) -> token_map {
    if (d.tokens_per_gpu < 1 || static_cast<std::size_t>(d.tokens_per_gpu) > TokensPerGpu) {
      throw pool_error{pool_field::tokens_per_gpu, "tokens_per_gpu", d.tokens_per_gpu,
                       "1 to " + std::to_string(TokensPerGpu)};
    }
    if (!is_known(d.layout)) {
      throw pool_error{pool_field::layout, "layout", static_cast<std::int64_t>(d.layout), "block or interleaved"};
    }
    return {.gpus = d.topology.gpus(), .tokens_per_gpu = d.tokens_per_gpu, .layout = d.layout};
  }
  [[nodiscard]] static auto protocol_of(const description& d, const Heuristics& heuristics) -> protocol {
    const r2dglp_options o{.replicas = map_of(d).tokens(), .cluster = d.cpus, .queue_limit = d.queue_limit};
    if (d.cpus < 1) { throw pool_error{pool_field::cpus, "cpus", d.cpus, "at least 1"}; }
    if (const queue_limit_check c = validate(o, Gpus * TokensPerGpu)) {
      throw pool_error{pool_field::queue_limit, "queue_limit", d.queue_limit,
                       "at least " + std::to_string(ceil_divide(d.cpus, o.replicas)) +
                           " for so many CPUs and tokens, or 0 for that"};
    }
    return protocol{o, heuristics};
  }

  std::vector<std::int32_t> devices_;
  pool pool_;
};

}  // namespace takt::inline TAKT_ABI::runtime
