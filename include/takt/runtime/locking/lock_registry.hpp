// SPDX-License-Identifier: Apache-2.0
#pragma once

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

namespace takt::runtime {

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

/// Locks and pools by name, so that parts of a program that know nothing of each other share them. A lock lives as long
/// as somebody has it; then its name is free again. All functions may be called from any thread.
/// Source: Elliott 2015, section 3.3.5, where names join processes: here they join the threads of one.
class lock_registry {
 public:
  /// Makes a lock from the arguments. Whoever gets it keeps it for longer than its guards.
  /// Error: `lock_name_error` with `empty` or `taken`; what the constructor throws.
  template <class Lock, class... Arguments>
  [[nodiscard]] auto create(std::string_view name, Arguments&&... arguments) -> std::shared_ptr<Lock> {
    if (name.empty()) { refuse(name_fault::empty, name); }
    auto made = std::make_shared<Lock>(std::forward<Arguments>(arguments)...);
    const std::lock_guard turn{mutex_};
    std::erase_if(locks_, [](const auto& l) { return l.second.lock.expired(); });
    if (!locks_.try_emplace(std::string{name}, named{made, typeid(Lock)}).second) { refuse(name_fault::taken, name); }
    return made;
  }

  /// Error: `lock_name_error` with `unknown` or `other_type`.
  template <class Lock>
  [[nodiscard]] auto open(std::string_view name) -> std::shared_ptr<Lock> {
    const std::lock_guard turn{mutex_};
    const auto at = locks_.find(name);
    const std::shared_ptr<void> found = at == locks_.end() ? nullptr : at->second.lock.lock();
    if (!found) { refuse(name_fault::unknown, name); }
    if (at->second.type != typeid(Lock)) { refuse(name_fault::other_type, name); }
    return std::static_pointer_cast<Lock>(found);
  }

 private:
  struct named {
    std::weak_ptr<void> lock;
    std::type_index type;
  };

  [[noreturn]] void refuse(name_fault f, std::string_view name) const {
    const auto sentence = [&]() -> std::string {
      switch (f) {
        case name_fault::empty: return "is empty; a lock in a registry needs one";
        case name_fault::taken: return "is taken; choose one that none of the locks in use has: " + names();
        case name_fault::unknown: return "is unknown; there are: " + names();
        case name_fault::other_type: break;
      }
      return "belongs to a lock of another type; open it as the type that it was created as";
    };
    throw lock_name_error{f, "takt: the name \"" + std::string{name} + "\" " + sentence()};
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

/// The registry that all parts of the program share.
[[nodiscard]] inline auto process_locks() -> lock_registry& {
  static lock_registry all;
  return all;
}

}  // namespace takt::runtime
