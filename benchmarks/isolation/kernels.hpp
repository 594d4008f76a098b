// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/pinning.hpp>
#include <takt/cuda/stream.hpp>

#include "work.hpp"

namespace takt_benchmarks {

namespace cuda = takt::cuda;

/// What times are taken from: the host's clock, and a wait that does not sleep. `until` gives up after a limit.
template <class H>
concept BenchmarkHost = requires(H& h, bool (*holds)()) {
  { h.now() } -> std::same_as<takt::ticks>;
  { h.until(holds) } -> std::same_as<bool>;
};

/// What `pinned_kernel` can do with a job.
template <class J>
concept PinnedJob = requires(J& j, std::int64_t blocks, cuda::stream_handle s, const cuda::sm_slots& slots) {
  { j.begin(blocks) } -> std::same_as<bool>;
  { j.launch(s, slots) } -> std::same_as<cuda::result>;
  j.set_slots(slots);
  j.yield();
  { j.chunks_left() } -> std::convertible_to<std::int64_t>;
  { j.virtual_per_sm() } -> std::convertible_to<std::int32_t>;
};

/// The kernels of `work.hpp`, as functions of the driver and as pinned jobs. `prepare` is called first.
template <class K>
concept IsolationKernels = requires(K& k, const probe_arguments& p, const load_arguments& l) {
  { k.prepare(p, l) } -> std::same_as<cuda::result>;
  { k.probe() } -> std::same_as<cuda::function_handle>;
  { k.load() } -> std::same_as<cuda::function_handle>;
  { k.spin() } -> std::same_as<cuda::function_handle>;
  { k.pinned_probe() } -> PinnedJob;
  { k.pinned_load() } -> PinnedJob;
};

/// Memory of the session, all allocated before anything is timed.
template <cuda::CudaDriver D>
class isolation_memory {
 public:
  static constexpr std::int64_t most_load_blocks = std::int64_t{1} << 19U;

  explicit isolation_memory(const cuda::context_ref<D>& c)
      : words_{c, sizeof(mapped_words)},
        probe_out_{c, probe_elements * sizeof(std::uint32_t)},
        load_out_{c, most_load_blocks * sizeof(std::uint32_t)},
        marks_{c, sizeof(device_marks)},
        poison_{c, most_load_blocks * sizeof(std::uint32_t)},
        back_{c, most_load_blocks * sizeof(std::uint32_t)} {
    new (words_.data()) mapped_words{};
    auto* first = reinterpret_cast<std::uint32_t*>(poison_.data());
    std::uninitialized_fill_n(first, most_load_blocks, poison);
  }

  [[nodiscard]] auto probe() const -> probe_arguments {
    const auto marks = marks_.get();
    return {pointer<std::uint32_t>(probe_out_.get()),
            pointer<std::uint32_t>(cuda::offset(marks, offsetof(device_marks, foreground))),
            pointer<std::uint32_t>(cuda::offset(words_.on_device(), offsetof(mapped_words, started)))};
  }
  [[nodiscard]] auto load(std::uint64_t report_every) const -> load_arguments {
    const auto marks = marks_.get();
    return {pointer<std::uint32_t>(load_out_.get()),
            pointer<std::uint32_t>(cuda::offset(marks, offsetof(device_marks, background))),
            pointer<unsigned long long>(cuda::offset(marks, offsetof(device_marks, counted))),
            pointer<unsigned long long>(cuda::offset(words_.on_device(), offsetof(mapped_words, progress))),
            report_every};
  }
  [[nodiscard]] auto spin(unsigned long long nanoseconds) const -> spin_arguments {
    return {nanoseconds, pointer<spin_words>(cuda::offset(words_.on_device(), offsetof(mapped_words, spin)))};
  }

  void clear_started() { std::atomic_ref{words().started}.store(0); }
  [[nodiscard]] auto started() const -> bool { return std::atomic_ref{words().started}.load() != 0; }
  void clear_progress() { std::atomic_ref{words().progress}.store(0); }
  [[nodiscard]] auto progress() const -> std::uint64_t { return std::atomic_ref{words().progress}.load(); }
  [[nodiscard]] auto spun() const -> spin_words& { return words().spin; }

  /// The calls below end when what they enqueued has ended. Error: `cuda_error`.
  void poison_probe(cuda::stream_handle s) const { fill(probe_out_.get(), probe_elements * sizeof(std::uint32_t), s); }
  void poison_load(std::int64_t blocks, cuda::stream_handle s) const {
    fill(load_out_.get(), static_cast<std::size_t>(blocks) * sizeof(std::uint32_t), s);
    write(cuda::offset(marks_.get(), offsetof(device_marks, counted)), 0ULL, s);
  }
  [[nodiscard]] auto probe_wrong(cuda::stream_handle s) const -> std::int64_t {
    return count_wrong(read(probe_out_.get(), probe_elements, s), probe_element);
  }
  [[nodiscard]] auto load_wrong(std::int64_t blocks, cuda::stream_handle s) const -> std::int64_t {
    return count_wrong(read(load_out_.get(), static_cast<std::size_t>(blocks), s), load_element);
  }
  void clear_marks(cuda::stream_handle s) const { write(marks_.get(), device_marks{}, s); }
  struct device_marks {
    std::uint32_t foreground[sm_words];
    std::uint32_t background[sm_words];
    unsigned long long counted;
  };
  [[nodiscard]] auto marks(cuda::stream_handle s) const -> device_marks {
    device_marks out{};
    const auto words = read(marks_.get(), sizeof out / sizeof(std::uint32_t), s);
    std::memcpy(&out, words.data(), sizeof out);
    return out;
  }

 private:
  /// Apart, so that no store of one disturbs the host's look at another.
  struct mapped_words {
    std::uint32_t started = 0;
    std::uint32_t space[31]{};
    unsigned long long progress = 0;
    unsigned long long more_space[15]{};
    spin_words spin{};
  };

  template <class T>
  [[nodiscard]] static auto pointer(cuda::device_address a) -> T* {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are numbers
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(a));
  }
  [[nodiscard]] auto words() const -> mapped_words& { return *reinterpret_cast<mapped_words*>(words_.data()); }
  [[nodiscard]] auto driver() const -> D& { return *words_.context().driver; }
  void check(cuda::result r, const char* call) const { words_.context().check(r, call); }
  void fill(cuda::device_address to, std::size_t bytes, cuda::stream_handle s) const {
    check(driver().copy_to_device(to, poison_.data(), bytes, s), "copy_to_device");
    check(driver().wait_for_stream(s), "wait_for_stream");
  }
  template <class T>
  void write(cuda::device_address to, const T& value, cuda::stream_handle s) const {
    std::memcpy(back_.data(), &value, sizeof value);
    check(driver().copy_to_device(to, back_.data(), sizeof value, s), "copy_to_device");
    check(driver().wait_for_stream(s), "wait_for_stream");
  }
  [[nodiscard]] auto read(cuda::device_address from, std::size_t count, cuda::stream_handle s) const
      -> std::span<const std::uint32_t> {
    check(driver().copy_to_host(back_.data(), from, count * sizeof(std::uint32_t), s), "copy_to_host");
    check(driver().wait_for_stream(s), "wait_for_stream");
    return {reinterpret_cast<const std::uint32_t*>(back_.data()), count};
  }

  cuda::pinned_memory<D> words_;
  cuda::device_memory<D> probe_out_;
  cuda::device_memory<D> load_out_;
  cuda::device_memory<D> marks_;
  cuda::pinned_memory<D> poison_;
  cuda::pinned_memory<D> back_;
};

}  // namespace takt_benchmarks
