// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>

namespace takt::cuda {

namespace detail {

/// What a context has given and gets back, whatever the driver says to that. `Traits::free(driver, handle)` gives back.
template <CudaDriver D, class Traits>
class resource {
 public:
  using handle_type = typename Traits::handle;

  resource() noexcept = default;
  resource(resource&& other) noexcept
      : context_{other.context_}, handle_{std::exchange(other.handle_, handle_type{})} {}
  resource(const resource&) = delete;
  auto operator=(const resource&) -> resource& = delete;
  auto operator=(resource&& other) noexcept -> resource& {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~resource() {
    if (handle_ == handle_type{}) { return; }
    const bool entered = context_.driver->push_context(context_.handle) == result::success;
    (void)Traits::free(*context_.driver, handle_);
    if (entered) { (void)context_.driver->pop_context(); }
  }

  [[nodiscard]] auto get() const noexcept -> handle_type { return handle_; }
  [[nodiscard]] auto context() const noexcept -> const context_ref<D>& { return context_; }

 protected:
  /// Error: `cuda_error`.
  template <class Make>
  resource(const context_ref<D>& c, const char* call, Make make) : context_{c} {
    const current_context<D> within{c};
    c.check(make(*c.driver, handle_), call);
  }

 private:
  context_ref<D> context_{};
  handle_type handle_{};
};

struct stream_traits {
  using handle = stream_handle;
  static auto free(auto& driver, handle h) -> result { return driver.destroy_stream(h); }
};
struct event_traits {
  using handle = event_handle;
  static auto free(auto& driver, handle h) -> result { return driver.destroy_event(h); }
};
struct pinned_traits {
  using handle = void*;
  static auto free(auto& driver, handle h) -> result { return driver.free_pinned(h); }
};
struct device_memory_traits {
  using handle = device_address;
  static auto free(auto& driver, handle h) -> result { return driver.free(h); }
};
struct module_traits {
  using handle = module_handle;
  static auto free(auto& driver, handle h) -> result { return driver.unload_module(h); }
};

}  // namespace detail

/// All constructors here allocate in the driver and may take long: call them before anything is timed. Error:
/// `cuda_error`. The context outlives what is made in it.

/// A stream of its own, ordered with nothing else: never the legacy default stream, nor one that waits for it.
template <CudaDriver D>
class stream : public detail::resource<D, detail::stream_traits> {
 public:
  stream() noexcept = default;
  /// The smaller the priority, the sooner its kernels; outside the device's range it counts as the nearer end.
  explicit stream(const context_ref<D>& c, std::int32_t priority = 0)
      : base{c, "create_stream", [priority](D& d, stream_handle& h) { return d.create_stream(priority, h); }} {}
  /// On the SMs of the green context, which belongs to the device of `c` and outlives the stream.
  stream(const context_ref<D>& c, green_handle g, std::int32_t priority)
      : base{c, "create_green_stream",
             [g, priority](D& d, stream_handle& h) { return d.create_green_stream(g, priority, h); }} {}

 private:
  using base = detail::resource<D, detail::stream_traits>;
};

enum class event_use : std::uint8_t { order, time };

[[nodiscard]] constexpr auto is_timed(event_use e) noexcept -> bool {
  switch (e) {
    case event_use::order: return false;
    case event_use::time: return true;
  }
  return false;
}

/// A mark in a stream that threads wait for suspended.
template <CudaDriver D>
class mark : public detail::resource<D, detail::event_traits> {
 public:
  mark() noexcept = default;
  explicit mark(const context_ref<D>& c, event_use use = event_use::order)
      : base{c, "create_event", [use](D& d, event_handle& h) { return d.create_event(is_timed(use), h); }} {}

 private:
  using base = detail::resource<D, detail::event_traits>;
};

/// Memory of the host that copy engines can reach. Pageable memory would make every copy synchronous.
template <CudaDriver D>
class pinned_memory : public detail::resource<D, detail::pinned_traits> {
 public:
  pinned_memory() noexcept = default;
  pinned_memory(const context_ref<D>& c, std::size_t bytes)
      : base{c, "allocate_pinned", [bytes](D& d, void*& h) { return d.allocate_pinned(bytes, h); }}, bytes_{bytes} {}

  [[nodiscard]] auto data() const noexcept -> std::byte* { return static_cast<std::byte*>(this->get()); }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return bytes_; }
  /// Where kernels of the context see it.
  [[nodiscard]] auto on_device() const -> device_address {
    const current_context<D> within{this->context()};
    device_address out{};
    this->context().check(this->context().driver->address_of_pinned(this->get(), out), "address_of_pinned");
    return out;
  }

 private:
  using base = detail::resource<D, detail::pinned_traits>;
  std::size_t bytes_ = 0;
};

template <CudaDriver D>
class device_memory : public detail::resource<D, detail::device_memory_traits> {
 public:
  device_memory() noexcept = default;
  device_memory(const context_ref<D>& c, std::size_t bytes)
      : base{c, "allocate", [bytes](D& d, device_address& h) { return d.allocate(bytes, h); }}, bytes_{bytes} {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return bytes_; }

 private:
  using base = detail::resource<D, detail::device_memory_traits>;
  std::size_t bytes_ = 0;
};

/// Code for the device, loaded whole. Its functions can be launched in every stream of the context's device.
template <CudaDriver D>
class loaded_module : public detail::resource<D, detail::module_traits> {
 public:
  loaded_module() noexcept = default;
  /// Pre: `image` is what the driver loads: a cubin, a fatbin, or PTX with a zero at its end.
  loaded_module(const context_ref<D>& c, const void* image)
      : base{c, "load_module", [image](D& d, module_handle& h) { return d.load_module(image, h); }} {}

  [[nodiscard]] auto function(const char* name) const -> function_handle {
    const current_context<D> within{this->context()};
    function_handle out{};
    this->context().check(this->context().driver->function(this->get(), name, out), name);
    return out;
  }

 private:
  using base = detail::resource<D, detail::module_traits>;
};

}  // namespace takt::cuda
