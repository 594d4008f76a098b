// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <takt/runtime/shares/descriptor.hpp>
#include <takt/runtime/shares/share_page.hpp>

namespace takt::runtime {

/// A page of shares in memory of its own that can be handed to other processes, which may read it and nothing more: the
/// file is sealed against resizing and against any mapping for writing but the owner's.
class shared_page {
 public:
  /// An empty one when the system refuses.
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
  [[nodiscard]] auto page() const noexcept -> const share_page& { return *page_; }
  /// Pre: created here, not mapped.
  [[nodiscard]] auto page() noexcept -> share_page& { return *page_; }
  /// To hand on; none for a page that was mapped.
  [[nodiscard]] auto file() const noexcept -> int { return file_.get(); }

 private:
  static constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

  descriptor file_;
  share_page* page_ = nullptr;
};

}  // namespace takt::runtime
