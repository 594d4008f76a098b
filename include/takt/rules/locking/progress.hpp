// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Says what a progress mechanism asks of a lock; every `LockingProtocol` and every `GroupLock` answers it.
template <class L>
concept Contended = requires(const L l, request_id c) {
  { l.capacity() } -> std::convertible_to<request_id>;
  { l.holds(c) } -> std::same_as<bool>;
  { l.inheritor(c) } -> std::same_as<request_id>;
  { l.contended(c) } -> std::same_as<bool>;
};

}  // namespace detail

/// Says how holders progress. The client `inheritor(l, c)` runs at least at the effective priority of the waiting c.
/// `boosted(l, c)`: whether c runs before every job. A mechanism may say by `boosts` that none does.
template <class M, class L>
concept ProgressMechanism = detail::Contended<L> && requires(const M m, const L l, request_id c) {
  { m.inheritor(l, c) } -> std::same_as<request_id>;
  { m.boosted(l, c) } -> std::same_as<bool>;
};

/// Holders run at their base priority, whatever waits.
struct no_progress {
  static constexpr bool boosts = false;
  [[nodiscard]] static constexpr auto inheritor(const detail::Contended auto& /*l*/, request_id /*c*/) noexcept
      -> request_id {
    return no_request;
  }
  [[nodiscard]] static constexpr auto boosted(const detail::Contended auto& /*l*/, request_id /*c*/) noexcept -> bool {
    return false;
  }
};

/// Inherits along the protocol's own edges, donations included. Source: Sha, Rajkumar and Lehoczky 1990.
struct priority_inheritance {
  static constexpr bool boosts = false;
  [[nodiscard]] static constexpr auto inheritor(const detail::Contended auto& l, request_id c) noexcept -> request_id {
    return l.inheritor(c);
  }
  [[nodiscard]] static constexpr auto boosted(const detail::Contended auto& /*l*/, request_id /*c*/) noexcept -> bool {
    return false;
  }
};

/// A holder is boosted while a request waits for what it holds. Source: Elliott 2015, section 2.1.6.1.
struct boost_when_contended {
  [[nodiscard]] static constexpr auto inheritor(const detail::Contended auto& /*l*/, request_id /*c*/) noexcept
      -> request_id {
    return no_request;
  }
  [[nodiscard]] static constexpr auto boosted(const detail::Contended auto& l, request_id c) noexcept -> bool {
    return l.holds(c) && l.contended(c);
  }
};

/// A holder is boosted from the grant to the release. Source: as above.
struct boost_when_granted {
  [[nodiscard]] static constexpr auto inheritor(const detail::Contended auto& /*l*/, request_id /*c*/) noexcept
      -> request_id {
    return no_request;
  }
  [[nodiscard]] static constexpr auto boosted(const detail::Contended auto& l, request_id c) noexcept -> bool {
    return l.holds(c);
  }
};

/// A lock of any type, as a mechanism sees it. It outlives the view.
class contended_view {
 public:
  template <detail::Contended L>
  explicit contended_view(const L& lock) noexcept : lock_{&lock}, ask_{&answers_of<L>} {}

  [[nodiscard]] auto capacity() const noexcept -> request_id { return ask_->capacity(lock_); }
  [[nodiscard]] auto holds(request_id c) const noexcept -> bool { return ask_->holds(lock_, c); }
  [[nodiscard]] auto inheritor(request_id c) const noexcept -> request_id { return ask_->inheritor(lock_, c); }
  [[nodiscard]] auto contended(request_id c) const noexcept -> bool { return ask_->contended(lock_, c); }

 private:
  struct answers {
    auto (*capacity)(const void* lock) noexcept -> request_id;
    auto (*holds)(const void* lock, request_id c) noexcept -> bool;
    auto (*inheritor)(const void* lock, request_id c) noexcept -> request_id;
    auto (*contended)(const void* lock, request_id c) noexcept -> bool;
  };
  template <class L>
  static constexpr answers answers_of{
      [](const void* lock) noexcept -> request_id { return static_cast<const L*>(lock)->capacity(); },
      [](const void* lock, request_id c) noexcept -> bool { return static_cast<const L*>(lock)->holds(c); },
      [](const void* lock, request_id c) noexcept -> request_id { return static_cast<const L*>(lock)->inheritor(c); },
      [](const void* lock, request_id c) noexcept -> bool { return static_cast<const L*>(lock)->contended(c); }};

  const void* lock_;
  const answers* ask_;
};

/// A mechanism as a value, for hosts whose locks have different ones: `boost_when_granted{}`, or a type of one's own
/// that any lock will do for and that has no state. At run time only.
class any_progress {
 public:
  template <ProgressMechanism<contended_view> M>
    requires std::is_empty_v<M> && std::default_initializable<M>
  constexpr any_progress(M /*mechanism*/) noexcept  // NOLINT(google-explicit-constructor)
      : inheritor_{&inheritor_by<M>}, boosted_{never_boosts<M> ? nullptr : &boosted_by<M>} {}

  [[nodiscard]] auto inheritor(const detail::Contended auto& l, request_id c) const noexcept -> request_id {
    return inheritor_(contended_view{l}, c);
  }
  [[nodiscard]] auto boosted(const detail::Contended auto& l, request_id c) const noexcept -> bool {
    return boosts() && boosted_(contended_view{l}, c);
  }
  /// Returns whether it may boost any client.
  [[nodiscard]] auto boosts() const noexcept -> bool { return boosted_ != nullptr; }
  /// Returns whether both are the same mechanism.
  [[nodiscard]] friend constexpr auto operator==(const any_progress&, const any_progress&) noexcept -> bool = default;

 private:
  template <class M>
  static constexpr bool never_boosts = requires { requires !M::boosts; };
  template <class M>
  static auto inheritor_by(const contended_view& l, request_id c) noexcept -> request_id {
    return M{}.inheritor(l, c);
  }
  template <class M>
  static auto boosted_by(const contended_view& l, request_id c) noexcept -> bool {
    return M{}.boosted(l, c);
  }

  auto (*inheritor_)(const contended_view&, request_id) noexcept -> request_id;
  auto (*boosted_)(const contended_view&, request_id) noexcept -> bool;
};

}  // namespace takt::inline TAKT_ABI
