// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../failure.hpp"
#include "../text_file.hpp"

namespace takt::program {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;
constexpr int most_names = 100;
constexpr std::size_t block_bytes = 65536;
constexpr mode_t everybody = 0666;
constexpr mode_t all_of_mode = 07777;

class descriptor {
 public:
  explicit descriptor(int fd = -1) noexcept : fd_{fd} {}
  descriptor(const descriptor&) = delete;
  auto operator=(const descriptor&) -> descriptor& = delete;
  descriptor(descriptor&& from) noexcept : fd_{std::exchange(from.fd_, -1)} {}
  auto operator=(descriptor&& from) noexcept -> descriptor& {
    std::swap(fd_, from.fd_);
    return *this;
  }
  ~descriptor() { (void)close(); }

  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  [[nodiscard]] auto get() const noexcept -> int { return fd_; }
  auto close() noexcept -> bool { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// All bytes, in however many pieces.
[[nodiscard]] auto put(int fd, const char* from, std::size_t bytes) -> bool {
  while (bytes > 0) {
    const ssize_t n = ::write(fd, from, bytes);
    if (n < 0 && errno == EINTR) { continue; }
    if (n < 0) { return false; }
    from += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

class descriptor_buffer final : public std::streambuf {
 public:
  explicit descriptor_buffer(int fd) : fd_{fd}, block_(block_bytes) { empty(); }

  /// What kept bytes from being written.
  [[nodiscard]] auto error() const noexcept -> int { return error_; }

 protected:
  auto overflow(int_type c) -> int_type override {
    if (sync() != 0) { return traits_type::eof(); }
    if (!traits_type::eq_int_type(c, traits_type::eof())) { sputc(traits_type::to_char_type(c)); }
    return traits_type::not_eof(c);
  }
  auto sync() -> int override {
    if (error_ == 0 && !put(fd_, pbase(), static_cast<std::size_t>(pptr() - pbase()))) { error_ = errno; }
    empty();
    return error_ == 0 ? 0 : -1;
  }

 private:
  void empty() { setp(block_.data(), block_.data() + block_.size()); }

  int fd_;
  std::vector<char> block_;
  int error_ = 0;
};

/// What a name stands for once all links are followed.
struct written_place {
  fs::path path;
  bool is_there = false;
  bool as_it_is = false;  ///< a pipe, a device, or a file that is open already
  struct stat about{};
};

/// Links of the system lead to files that are open, which may have other names by now, or none.
[[nodiscard]] auto is_of_system(const fs::path& link) -> bool {
  std::error_code none;
  return fs::weakly_canonical(link.has_parent_path() ? link.parent_path() : ".", none).string().starts_with("/proc/");
}

[[nodiscard]] auto place_of(const std::string& given) -> written_place {
  written_place out;
  out.path = given;
  for (int links = 0; lstat(out.path.c_str(), &out.about) == 0; ++links) {
    if (!S_ISLNK(out.about.st_mode)) {
      out.is_there = true;
      out.as_it_is = !S_ISREG(out.about.st_mode);
      return out;
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(out.path, error);
    if (error || links == most_links) { throw environment_error{fmt::format("{}: is a circle of links", given)}; }
    if (is_of_system(out.path)) {
      out.is_there = out.as_it_is = true;
      return out;
    }
    out.path = next.is_absolute() ? next : out.path.parent_path() / next;
  }
  return out;
}

[[nodiscard]] auto folder_of(const fs::path& file) -> fs::path {
  return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// Short, as the name of the file itself may be as long as names can be.
[[nodiscard]] auto name_beside(const fs::path& file) -> fs::path {
  std::random_device random;
  return folder_of(file) / fmt::format(".takt-{:08x}{:08x}", random(), random());
}

/// A file in the making: nothing of it is seen before it is kept.
class new_file {
 public:
  explicit new_file(std::string given) : given_{std::move(given)}, place_{place_of(given_)} {
    if (place_.is_there && access(place_.path.c_str(), W_OK) != 0) { fail(errno); }
    if (place_.is_there && S_ISDIR(place_.about.st_mode)) { fail(EISDIR); }
    if (place_.as_it_is) { return; }
    create();
    if (!fd_ && !(place_.is_there && is_refusal(errno))) { fail(errno); }
    if (fd_ && place_.is_there && !take_over()) { discard(); }
    place_.as_it_is = !fd_;
  }
  new_file(const new_file&) = delete;
  auto operator=(const new_file&) -> new_file& = delete;
  new_file(new_file&&) = delete;
  auto operator=(new_file&&) -> new_file& = delete;
  ~new_file() { discard(); }

  /// What is written as it is is opened, and emptied, here.
  [[nodiscard]] auto open() -> int {
    if (place_.as_it_is) {
      fd_ = descriptor{::open(given_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, everybody)};
      if (!fd_) { fail(errno); }
    }
    return fd_.get();
  }
  void keep() {
    if (!place_.as_it_is) { replace(); }
    if (!fd_.close()) { fail(errno); }
  }
  [[noreturn]] void fail(int error) const {
    throw environment_error{fmt::format("{}: cannot be written ({})", given_, std::strerror(error))};
  }

 private:
  /// Where the folder takes no new file, or not from this user.
  [[nodiscard]] static auto is_refusal(int error) -> bool {
    return error == EACCES || error == EPERM || error == EROFS;
  }

  void create() {
#ifdef O_TMPFILE
    // Without a name, so that nothing is left of it however this process ends.
    if (access("/proc/self/fd", X_OK) == 0) {
      fd_ = descriptor{::open(folder_of(place_.path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, everybody)};
      if (fd_) { return; }
    }
#endif
    for (int i = 0; i < most_names; ++i) {
      name_ = name_beside(place_.path);
      fd_ = descriptor{::open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, everybody)};
      if (fd_ || errno != EEXIST) { break; }
    }
    if (!fd_) { name_.clear(); }
  }
  /// The owner and the mode of the old file.
  [[nodiscard]] auto take_over() const -> bool {
    struct stat own{};
    const struct stat& old = place_.about;
    if (fstat(fd_.get(), &own) != 0) { return false; }
    const bool is_own = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
    if (!is_own && fchown(fd_.get(), old.st_uid, old.st_gid) != 0) { return false; }
    return fchmod(fd_.get(), old.st_mode & all_of_mode) == 0;
  }
  void replace() {
    // What has no disk has nothing to bring there.
    if (fsync(fd_.get()) != 0 && errno != EINVAL && errno != ENOSYS) { fail(errno); }
    for (int i = 0; name_.empty() && i < most_names; ++i) {
      const fs::path name = name_beside(place_.path);
      const std::string open_one = fmt::format("/proc/self/fd/{}", fd_.get());
      if (linkat(AT_FDCWD, open_one.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        name_ = name;
      } else if (errno != EEXIST) {
        fail(errno);
      }
    }
    if (std::rename(name_.c_str(), place_.path.c_str()) == 0) {
      name_.clear();
    } else if (errno == EBUSY) {  // a file that is mounted by itself
      copy_over();
    } else {
      fail(errno);
    }
  }
  void copy_over() {
    const descriptor to{::open(place_.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)};
    if (!to || lseek(fd_.get(), 0, SEEK_SET) != 0) { fail(errno); }
    std::vector<char> block(block_bytes);
    for (;;) {
      const ssize_t n = ::read(fd_.get(), block.data(), block.size());
      if (n < 0 && errno == EINTR) { continue; }
      if (n < 0 || !put(to.get(), block.data(), static_cast<std::size_t>(n))) { fail(errno); }
      if (n == 0) { break; }
    }
    if (fsync(to.get()) != 0) { fail(errno); }
  }
  void discard() {
    if (!name_.empty()) { (void)unlink(name_.c_str()); }
    name_.clear();
    (void)fd_.close();
  }

  std::string given_;
  written_place place_;
  descriptor fd_;
  fs::path name_;  ///< under which it is beside the old one
};

}  // namespace

auto is_same_file(const std::string& a, const std::string& b) -> bool {
  struct stat one{};
  struct stat other{};
  const bool has_one = stat(a.c_str(), &one) == 0;
  const bool has_other = stat(b.c_str(), &other) == 0;
  if (has_one != has_other) { return false; }
  if (has_one) { return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino; }
  std::error_code none;
  return fs::weakly_canonical(place_of(a).path, none) == fs::weakly_canonical(place_of(b).path, none);
}

void try_file(const std::string& path) { const new_file tried{path}; }

void write_descriptor(const std::string& path, const std::function<void(int)>& write) {
  new_file file{path};
  write(file.open());
  file.keep();
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  new_file file{path};
  descriptor_buffer bytes{file.open()};
  std::ostream out{&bytes};
  write(out);
  if (!out.flush()) { file.fail(bytes.error()); }
  file.keep();
}

}  // namespace takt::program
