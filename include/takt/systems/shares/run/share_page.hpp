// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <takt/runtime/descriptor.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds a share and how often it was written, in the 32 bits that a reader gets at once. The share in percent is in
/// the upper 8, the version in the lower 24. Versions count modulo 2^24.
class share_word {
 public:
  static constexpr std::uint32_t version_mask = (std::uint32_t{1} << 24) - 1;

  constexpr share_word() noexcept = default;
  constexpr explicit share_word(std::uint32_t bits) noexcept : bits_{bits} {}
  /// Pre: share <= 100.
  constexpr share_word(std::uint32_t share, std::uint32_t version) noexcept
      : bits_{share << 24 | (version & version_mask)} {
    TAKT_EXPECTS(share <= 100);
  }

  [[nodiscard]] constexpr auto bits() const noexcept -> std::uint32_t { return bits_; }
  [[nodiscard]] constexpr auto share() const noexcept -> std::int32_t { return static_cast<std::int32_t>(bits_ >> 24); }
  [[nodiscard]] constexpr auto version() const noexcept -> std::uint32_t { return bits_ & version_mask; }
  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return share() <= 100; }

  /// Returns whether this was written after `other`. Pre: fewer than 2^23 writes lie between them.
  [[nodiscard]] constexpr auto newer_than(share_word other) const noexcept -> bool {
    const std::uint32_t ahead = (version() - other.version()) & version_mask;
    return ahead != 0 && ahead < std::uint32_t{1} << 23;
  }
  /// Returns what replaces it when the share becomes so large. Pre: share <= 100.
  [[nodiscard]] constexpr auto next(std::int32_t share) const noexcept -> share_word {
    TAKT_EXPECTS(0 <= share && share <= 100);
    return {static_cast<std::uint32_t>(share), version() + 1};
  }

  [[nodiscard]] friend constexpr auto operator==(share_word, share_word) noexcept -> bool = default;

 private:
  std::uint32_t bits_ = 0;
};

/// The last write wins, in whatever order two writes become known.
[[nodiscard]] constexpr auto latest(share_word a, share_word b) noexcept -> share_word {
  return b.newer_than(a) ? b : a;
}

/// Holds the shares of all applications in memory that clients map to read. One writer; a reader makes no system call.
struct share_page {
  static constexpr std::size_t capacity = 64;
  static constexpr std::uint32_t layout = 0x544B5301;  ///< "TKS", then the version of this layout

  using cell = std::atomic<std::uint32_t>;
  static_assert(cell::is_always_lock_free && sizeof(cell) == sizeof(std::uint32_t));

  cell format{0};  ///< `layout` as soon as the rest is valid
  cell open{0};    ///< 0 once the service has left: the shares mean nothing any more
  std::array<cell, 14> reserved{};
  std::array<cell, capacity> cells{};

  /// Pre, here and below: application < capacity.
  [[nodiscard]] auto read(std::size_t application) const noexcept -> share_word {
    TAKT_EXPECTS(application < capacity);
    return share_word{cells[application].load(std::memory_order_acquire)};
  }
  /// Writes a share; only the one writer calls it.
  auto write(std::size_t application, std::int32_t share) noexcept -> share_word {
    const share_word word = read(application).next(share);
    cells[application].store(word.bits(), std::memory_order_release);
    return word;
  }
  [[nodiscard]] auto is_open() const noexcept -> bool {
    return format.load(std::memory_order_acquire) == layout && open.load(std::memory_order_acquire) != 0;
  }

  /// Returns all words as they were at one instant: two readings in a row that agree, as versions tell. False when none
  /// of `attempts` did; a writer would have to write within each.
  [[nodiscard]] auto snapshot(std::array<share_word, capacity>& out, int attempts = 1000) const noexcept -> bool {
    collect(out);
    for (int i = 0; i < attempts; ++i) {
      const std::array<share_word, capacity> before = out;
      collect(out);
      if (before == out) { return true; }
    }
    return false;
  }

 private:
  void collect(std::array<share_word, capacity>& out) const noexcept {
    for (std::size_t i = 0; i < capacity; ++i) { out[i] = read(i); }
  }
};

static_assert(std::is_standard_layout_v<share_page> && sizeof(share_page) == (16 + share_page::capacity) * 4);

[[nodiscard]] inline auto sum_of(const std::array<share_word, share_page::capacity>& words) noexcept -> std::int32_t {
  std::int32_t sum = 0;
  for (const share_word w : words) { sum += w.share(); }
  return sum;
}

/// A page of shares in memory of its own that can be handed to other processes, which may read it and nothing more. The
/// file is sealed against resizing and against any mapping for writing but the owner's.
class shared_page {
 public:
  /// Returns an empty one when the system refuses.
  [[nodiscard]] static auto create() noexcept -> shared_page {
    shared_page out;
    descriptor file{memfd_create("takt-shares", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!file || ftruncate(file.get(), sizeof(share_page)) != 0) { return out; }
    void* memory = mmap(nullptr, sizeof(share_page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) { return out; }
    out.page_ = std::construct_at(static_cast<share_page*>(memory));
    out.file_ = std::move(file);
    if (fcntl(out.file_.get(), F_ADD_SEALS, seals) != 0) { return {}; }
    out.page_->open.store(1, std::memory_order_relaxed);
    out.page_->format.store(share_page::layout, std::memory_order_release);
    return out;
  }
  /// Maps a page of another process to read. An empty one when the file is none, or when it could still shrink under
  /// the reader.
  [[nodiscard]] static auto map(descriptor file) noexcept -> shared_page {
    shared_page out;
    struct stat facts{};
    const int sealed = fcntl(file.get(), F_GET_SEALS);
    if (sealed < 0 || (sealed & F_SEAL_SHRINK) == 0 || fstat(file.get(), &facts) != 0 ||
        facts.st_size < static_cast<off_t>(sizeof(share_page))) {
      return out;
    }
    void* memory = mmap(nullptr, sizeof(share_page), PROT_READ, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) { return out; }
    out.page_ = static_cast<share_page*>(memory);
    if (out.page_->format.load(std::memory_order_acquire) != share_page::layout) { return {}; }
    return out;
  }

  shared_page() noexcept = default;
  shared_page(const shared_page&) = delete;
  auto operator=(const shared_page&) -> shared_page& = delete;
  shared_page(shared_page&& other) noexcept
      : file_{std::move(other.file_)}, page_{std::exchange(other.page_, nullptr)} {}
  auto operator=(shared_page&& other) noexcept -> shared_page& {
    std::swap(file_, other.file_);
    std::swap(page_, other.page_);
    return *this;
  }
  ~shared_page() {
    if (page_ != nullptr) { (void)munmap(page_, sizeof(share_page)); }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return page_ != nullptr; }
  /// Pre: there is one.
  [[nodiscard]] auto page() const noexcept -> const share_page& {
    TAKT_EXPECTS(page_ != nullptr);
    return *page_;
  }
  /// Pre: created here, not mapped.
  [[nodiscard]] auto page() noexcept -> share_page& {
    TAKT_EXPECTS(page_ != nullptr);
    return *page_;
  }
  /// Returns the file, for other processes; none for a page that was mapped.
  [[nodiscard]] auto file() const noexcept -> int { return file_.get(); }

 private:
  static constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

  descriptor file_;
  share_page* page_ = nullptr;
};

}  // namespace takt::inline TAKT_ABI::runtime
