// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <takt/runtime/clock.hpp>
#include <takt/systems/shares/run/share_page.hpp>

#include "applications.hpp"
#include "commands.hpp"
#include "summary.hpp"

namespace takt::shares_example {
namespace {

[[nodiscard]] auto start(const std::string& program, std::vector<std::string> arguments) -> pid_t {
  std::vector<char*> pointers;
  for (auto& a : arguments) { pointers.push_back(a.data()); }
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int error = posix_spawn(&process, program.c_str(), nullptr, nullptr, pointers.data(), environ);
  if (error != 0) { throw std::runtime_error(program + ": " + std::strerror(error)); }
  return process;
}
[[nodiscard]] auto ended_well(pid_t process) -> bool {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) { return false; }
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Looks at the page without pause, as a client could.
class observer {
 public:
  explicit observer(const runtime::share_page& page)
      : thread_{[this, &page] {
          std::array<runtime::share_word, runtime::share_page::capacity> words{};
          while (!over_) {
            if (page.snapshot(words)) { most_ = std::max(most_, sum_of(words)); }
            runtime::sleep_until(runtime::now() + 100'000);
          }
        }} {}
  observer(const observer&) = delete;
  auto operator=(const observer&) -> observer& = delete;
  ~observer() { (void)most(); }
  /// The largest sum of shares that it has seen; ends it.
  [[nodiscard]] auto most() -> std::int32_t {
    over_ = true;
    if (thread_.joinable()) { thread_.join(); }
    return most_;
  }

 private:
  std::atomic<bool> over_ = false;
  std::int32_t most_ = 0;
  std::thread thread_;
};

}  // namespace

auto demonstrate(const serve_options& options, const std::string& program) -> int {
  const application_set applications{options.applications};
  try_records(options.csv, options.trace);
  const std::string socket =
      options.socket.empty()
          ? (std::filesystem::temp_directory_path() / ("takt-shares-demo-" + std::to_string(getpid()))).string()
          : options.socket;
  service_type service{
      applications.table(), applications.scheduler(), {.path = socket, .users = {}, .manager = {.records = 1 << 18}}};
  if (service.status() != runtime::service_status::ready) {
    throw std::runtime_error(socket + ": cannot serve: " + std::strerror(errno));
  }
  const ticks begin = runtime::now();
  observer watch{service.page()};
  std::vector<pid_t> clients;
  for (std::size_t i = 0; i < applications.size(); ++i) {
    std::vector<std::string> arguments{program,     "client",
                                       "--socket",  socket,
                                       "--name",    applications.name(i),
                                       "--seconds", fmt::format("{}", options.seconds)};
    for (const auto& a : options.applications) { arguments.insert(arguments.end(), {"--application", a}); }
    clients.push_back(start(program, arguments));
  }
  bool good = true;
  for (const pid_t c : clients) { good = ended_well(c) && good; }
  service.stop();
  print_summary(applications, service);
  write_records(applications, service, begin, options.csv, options.trace);
  const std::int32_t most = watch.most();
  fmt::print("most shares in force at once: {}\n", most);
  return good && most <= 100 && service.monitor().counts().jobs >= clients.size() ? 0 : 1;
}

}  // namespace takt::shares_example
