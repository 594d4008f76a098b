// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/cuda/driver_api.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Names a context without owning it, or a part of its SMs. Driver, context and part outlive all that is made from it.
template <CudaDriver D>
struct context_ref {
  D* driver = nullptr;
  std::int32_t device = -1;
  context_handle handle{};
  green_handle green{};  ///< whose SMs its streams are on; none: all

  /// Error: `cuda_error` with the call, the device and the context.
  void check(result r, const char* call) const { cuda::check(*driver, r, call, {device, handle}); }
};

/// Makes a context current to the calling thread until the end of the scope.
template <CudaDriver D>
class current_context {
 public:
  /// Error: `cuda_error`.
  explicit current_context(const context_ref<D>& c) : driver_{c.driver} {
    c.check(driver_->push_context(c.handle), "push_context");
  }
  current_context(const current_context&) = delete;
  auto operator=(const current_context&) -> current_context& = delete;
  ~current_context() { (void)driver_->pop_context(); }

 private:
  D* driver_;
};

/// Calls `use` in the context. Returns what the driver answers to it, or to the attempt to enter.
template <CudaDriver D, class Use>
auto attempt_within(const context_ref<D>& c, Use use) -> result {
  if (const result r = c.driver->push_context(c.handle); r != result::success) { return r; }
  struct leaving {
    D* driver;
    ~leaving() { (void)driver->pop_context(); }
  };
  const leaving at_the_end{c.driver};
  return use(*c.driver);
}

/// Names a context of the caller, who keeps it.
struct foreign_context {
  context_handle handle{};
  bool is_primary = true;  ///< that of the device, the one of the runtime interface
};

/// Is the primary context of a device, which the runtime interface uses too, as long as this lives; or a caller's.
template <CudaDriver D>
class device_context {
 public:
  /// Waits for its streams are blocking unless it was in use before: flags of a context that is in use must not be
  /// changed here. Pre: the driver is initialized and outlives the context. Error: `cuda_error`.
  device_context(D& driver, std::int32_t device) : ref_{&driver, device}, kept_{true} {
    bool active = false;
    if (driver.primary_is_active(device, active) == result::success && !active) {
      (void)driver.let_primary_block(device);
    }
    ref_.check(driver.retain_primary(device, ref_.handle), "retain_primary");
  }
  /// Nothing is kept, changed or given back. Pre: it is a context of the device, and outlives this.
  device_context(D& driver, std::int32_t device, const foreign_context& own) noexcept
      : ref_{&driver, device, own.handle} {}
  device_context(device_context&& other) noexcept : ref_{other.ref_}, kept_{std::exchange(other.kept_, false)} {}
  device_context(const device_context&) = delete;
  auto operator=(const device_context&) -> device_context& = delete;
  auto operator=(device_context&&) -> device_context& = delete;
  ~device_context() {
    if (kept_) { (void)ref_.driver->release_primary(ref_.device); }
  }

  [[nodiscard]] auto ref() const noexcept -> const context_ref<D>& { return ref_; }

 private:
  context_ref<D> ref_;
  bool kept_ = false;
};

namespace detail {

/// Owns what a context has given, and gives it back whatever the driver answers, unless it is the caller's.
/// `Traits::free(driver, handle)` gives back.
template <CudaDriver D, class Traits>
class resource {
 public:
  using handle_type = typename Traits::handle;

  resource() noexcept = default;
  resource(resource&& other) noexcept
      : context_{other.context_}, handle_{std::exchange(other.handle_, handle_type{})}, borrowed_{other.borrowed_} {}
  resource(const resource&) = delete;
  auto operator=(const resource&) -> resource& = delete;
  auto operator=(resource&& other) noexcept -> resource& {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }
  ~resource() {
    if (handle_ == handle_type{} || borrowed_) { return; }
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
  resource(const context_ref<D>& c, handle_type of_caller) noexcept
      : context_{c}, handle_{of_caller}, borrowed_{true} {}

 private:
  context_ref<D> context_{};
  handle_type handle_{};
  bool borrowed_ = false;
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
struct library_traits {
  using handle = library_handle;
  static auto free(auto& driver, handle h) -> result { return driver.unload_library(h); }
};

}  // namespace detail

/// All constructors here allocate in the driver and may take long: call them before anything is timed. Error:
/// `cuda_error`. The context outlives what is made in it.

/// Is a stream of its own, ordered with nothing else: never the legacy default stream, nor one that waits for it. It
/// goes wherever a CUstream or cudaStream_t does: `<<<>>>`, `::cuda::stream_ref`.
template <CudaDriver D>
class stream : public detail::resource<D, detail::stream_traits> {
 public:
  stream() noexcept = default;
  /// Makes a stream. The smaller the priority, the sooner its kernels; outside the range it counts as the nearer end.
  explicit stream(const context_ref<D>& c, std::int32_t priority = 0)
      : base{c, c.green == green_handle{} ? "create_stream" : "create_green_stream",
             [&c, priority](D& d, stream_handle& h) {
               return c.green == green_handle{} ? d.create_stream(priority, h)
                                                : d.create_green_stream(c.green, priority, h);
             }} {}
  /// Uses a stream of the caller, who keeps it. Pre: it is of the context, or of SMs of it.
  stream(const context_ref<D>& c, stream_handle of_caller) noexcept : base{c, of_caller} {}

  operator CUstream_st*() const noexcept { return native(this->get()); }  // NOLINT(google-explicit-constructor)

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

/// Is a mark in a stream that threads wait for suspended.
template <CudaDriver D>
class mark : public detail::resource<D, detail::event_traits> {
 public:
  mark() noexcept = default;
  explicit mark(const context_ref<D>& c, event_use use = event_use::order)
      : base{c, "create_event", [use](D& d, event_handle& h) { return d.create_event(is_timed(use), h); }} {}

 private:
  using base = detail::resource<D, detail::event_traits>;
};

/// Is memory of the host that copy engines can reach. Pageable memory would make every copy synchronous.
template <CudaDriver D>
class pinned_memory : public detail::resource<D, detail::pinned_traits> {
 public:
  pinned_memory() noexcept = default;
  pinned_memory(const context_ref<D>& c, std::size_t bytes)
      : base{c, "allocate_pinned", [bytes](D& d, void*& h) { return d.allocate_pinned(bytes, h); }}, bytes_{bytes} {}

  [[nodiscard]] auto data() const noexcept -> std::byte* { return static_cast<std::byte*>(this->get()); }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return bytes_; }
  /// Returns the address under which kernels of the context see it.
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

/// Is code for the device. Its kernels are launched in streams of any context.
template <CudaDriver D>
class loaded_library : public detail::resource<D, detail::library_traits> {
 public:
  loaded_library() noexcept = default;
  /// Pre: `image` is what the driver loads: a cubin, a fatbin, or PTX with a zero at its end.
  loaded_library(const context_ref<D>& c, const void* image)
      : base{c, "load_library", [image](D& d, library_handle& h) { return d.load_library(image, h); }} {}

  /// Returns a kernel that is loaded in the context, so that its first launch there is as the others.
  [[nodiscard]] auto kernel(const char* name) const -> function_handle {
    const context_ref<D>& c = this->context();
    const current_context<D> within{c};
    function_handle out{};
    c.check(c.driver->kernel(this->get(), name, out), name);
    c.check(c.driver->load_kernel(out), name);
    return out;
  }

 private:
  using base = detail::resource<D, detail::library_traits>;
};

/// Says how a thread learns that work has ended. Both suspend it. GPUs before compute capability 3.5 have one queue for
/// all streams, in which a mark may wait behind others. Source: Elliott 2015, section 2.4.4 and footnote 24.
enum class wait_method : std::uint8_t { marks, whole_stream };
namespace detail {

[[nodiscard]] constexpr auto uses_marks(wait_method e) noexcept -> bool {
  switch (e) {
    case wait_method::whole_stream: return false;
    case wait_method::marks: return true;
  }
  return false;
}

[[nodiscard]] constexpr auto wait_method_for(std::int32_t compute_major, std::int32_t compute_minor) noexcept
    -> wait_method {
  return 10 * compute_major + compute_minor < 35 ? wait_method::whole_stream : wait_method::marks;
}

}  // namespace detail

/// Is one thread's stream. Each operation has ended before the next one is issued, so that no stream delays another
/// where the hardware has one queue for all. Source: Elliott 2015, section 2.4.4.
template <CudaDriver D>
class thread_stream {
 public:
  /// Pre: the context outlives it. Error: `cuda_error`.
  explicit thread_stream(const context_ref<D>& c, wait_method how = wait_method::marks, std::int32_t priority = 0)
      : stream_{c, priority}, how_{how} {
    if (detail::uses_marks(how)) { ended_ = mark<D>{c}; }
  }

  [[nodiscard]] auto get() const noexcept -> stream_handle { return stream_.get(); }
  [[nodiscard]] auto context() const noexcept -> const context_ref<D>& { return stream_.context(); }

  /// Calls `enqueue(driver, stream)`, which puts one operation into the stream, and suspends the thread until it has
  /// ended. Error: `cuda_error`, and then too nothing of it is under way any more, unless the device is lost.
  template <class Enqueue>
  void run(const char* call, Enqueue enqueue) {
    const current_context<D> within{context()};
    D& d = *context().driver;
    if (const result r = enqueue(d, get()); r != result::success) { return settle(r, call); }
    if (!detail::uses_marks(how_)) { return settle(d.wait_for_stream(get()), "wait_for_stream"); }
    if (const result r = d.record(ended_.get(), get()); r != result::success) { return settle(r, "record"); }
    settle(d.wait_for_event(ended_.get()), "wait_for_event");
  }

 private:
  void settle(result r, const char* call) {
    if (r == result::success) { return; }
    if (!detail::is_loss(r)) { (void)context().driver->wait_for_stream(get()); }
    context().check(r, call);
  }

  stream<D> stream_;
  mark<D> ended_;
  wait_method how_;
};

}  // namespace takt::inline TAKT_ABI::cuda
