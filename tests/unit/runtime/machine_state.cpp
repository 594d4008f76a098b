// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include <takt/runtime/machine_state.hpp>

namespace {

namespace fs = std::filesystem;
using namespace takt::runtime;

/// Files of /proc and /sys in a folder of their own.
class fake_root {
 public:
  fake_root() : path_{fs::temp_directory_path() / ("takt-machine-" + std::to_string(getpid()))} {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  fake_root(const fake_root&) = delete;
  auto operator=(const fake_root&) -> fake_root& = delete;
  ~fake_root() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void put(const std::string& file, std::string_view text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream{path_ / file} << text << '\n';
  }
  void governor(int cpu, std::string_view name) const {
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor", name);
  }
  [[nodiscard]] auto path() const -> const fs::path& { return path_; }

 private:
  fs::path path_;
};

constexpr std::string_view limits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max locked memory         8388608              8388608              bytes     \n"
    "Max realtime priority     0                    0                    \n"
    "Max realtime timeout      unlimited            unlimited            us        ";

auto find(const machine_findings& all, std::string_view what) -> machine_finding {
  for (const auto& f : all) {
    if (f.what == what) { return f; }
  }
  FAIL("no finding about " << what);
  return {};
}

/// Recorded answers of the driver's tool; a command without one fails.
auto answering(std::map<std::string, std::string> answers) -> machine_sources {
  machine_sources out;
  out.root = "/nonexistent";
  out.own_process = 77;
  out.run = [answers = std::move(answers)](const std::string& command) -> std::optional<std::string> {
    const auto found = answers.find(command);
    return found == answers.end() ? std::nullopt : std::optional{found->second};
  };
  return out;
}

}  // namespace

TEST_CASE("machine: frequency governors are reported per CPU") {
  const fake_root root;
  CHECK(find(takt::runtime::detail::check_cpus(root.path()), "CPU frequency governor").level == severity::unknown);
  for (const int cpu : {0, 1, 2, 10}) { root.governor(cpu, "performance"); }
  root.put("sys/devices/system/cpu/cpuidle/current_driver", "none");
  root.put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil");
  auto f = find(takt::runtime::detail::check_cpus(root.path()), "CPU frequency governor");
  CHECK(f.level == severity::fine);
  CHECK(f.observed == "performance on CPU 0-2,10");
  root.governor(1, "powersave");
  f = find(takt::runtime::detail::check_cpus(root.path()), "CPU frequency governor");
  CHECK(f.level == severity::warning);
  CHECK(f.observed == "performance on CPU 0,2,10; powersave on CPU 1");
  CHECK(sentence(f).ends_with("powersave on CPU 1, better performance"));
  CHECK(takt::runtime::detail::check_cpus(root.path()).size() == 4);
  root.put("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  CHECK(find(takt::runtime::detail::check_cpus(root.path()), "CPU frequency boost").level == severity::warning);
  root.put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  CHECK(find(takt::runtime::detail::check_cpus(root.path()), "CPU frequency boost").level == severity::fine);
}

TEST_CASE("machine: the kernel's preemption model is read where it stands") {
  const fake_root root;
  const auto model = [&root] { return find(takt::runtime::detail::check_cpus(root.path()), "kernel preemption"); };
  CHECK(model().level == severity::unknown);
  root.put("proc/sys/kernel/version", "#1 SMP Thu Jan 1");
  CHECK(model().observed == "none or voluntary");
  root.put("proc/sys/kernel/version", "#1 SMP PREEMPT Thu Jan 1");
  CHECK(model().observed == "full");
  root.put("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Thu Jan 1");
  CHECK(model().observed == "chosen at boot");
  root.put("sys/kernel/debug/sched/preempt", "none voluntary (full)");
  CHECK(model().observed == "full");
  CHECK(model().level == severity::warning);
  root.put("sys/kernel/realtime", "1");
  CHECK(model().level == severity::fine);
}

TEST_CASE("machine: rights to real-time priorities and locked memory come from limits and capabilities") {
  const fake_root root;
  const auto level = [&root](std::string_view what) {
    return find(takt::runtime::detail::check_cpus(root.path()), what).level;
  };
  CHECK(level("SCHED_FIFO") == severity::unknown);
  CHECK(level("memory lock") == severity::unknown);
  root.put("proc/self/limits", limits);
  root.put("proc/self/status", "Name:\ttakt\nCapEff:\t0000000000000000");
  CHECK(level("SCHED_FIFO") == severity::warning);
  CHECK(level("memory lock") == severity::warning);
  CHECK(find(takt::runtime::detail::check_cpus(root.path()), "memory lock").observed == "limited to 8388608 bytes");
  root.put("proc/self/status", "Name:\ttakt\nCapEff:\t0000000000800000");
  CHECK(level("SCHED_FIFO") == severity::fine);
  CHECK(level("memory lock") == severity::warning);
  root.put("proc/self/status", "Name:\ttakt\nCapEff:\t0000000000004000");
  CHECK(level("SCHED_FIFO") == severity::warning);
  CHECK(level("memory lock") == severity::fine);
  root.put("proc/self/limits", "Max locked memory unlimited unlimited bytes\nMax realtime priority 95 95");
  root.put("proc/self/status", "CapEff:\t0");
  CHECK(level("SCHED_FIFO") == severity::fine);
  CHECK(level("memory lock") == severity::fine);
  root.put("proc/sys/kernel/sched_rt_runtime_us", "-1");
  CHECK(level("SCHED_FIFO") == severity::warning);
}

TEST_CASE("machine: the driver's answers are read for several GPUs, with gaps") {
  const auto gpus = takt::runtime::detail::parse_gpus(
      "0, NVIDIA H100 80GB HBM3, Enabled, Default, 1980, 2619, 1980, 2619, 1980, 2619\r\n"
      "\n"
      "1, NVIDIA GeForce GTX 1080 Ti, Disabled, Exclusive_Process, 139, 405, [Not Supported], [N/A], 1911, 5505\n"
      "2, Orin (nvgpu), [N/A], [N/A], [N/A], [N/A], [N/A], [N/A], [N/A], [N/A]\n"
      "Field \"nonsense\" is not a valid field to query.\n"
      "3, cut off, Enabled\n");
  REQUIRE(gpus.size() == 3);
  CHECK(gpus[0].name == "NVIDIA H100 80GB HBM3");
  CHECK(gpus[0].persistence == "Enabled");
  CHECK(gpus[0].application_memory_clock == 2619);
  CHECK(gpus[1].compute_mode == "Exclusive_Process");
  CHECK(gpus[1].sm_clock == 139);
  CHECK_FALSE(gpus[1].application_sm_clock);
  CHECK(gpus[1].largest_memory_clock == 5505);
  CHECK_FALSE(gpus[2].persistence);
  CHECK_FALSE(gpus[2].compute_mode);
  CHECK_FALSE(gpus[2].sm_clock);
  CHECK(takt::runtime::detail::parse_gpus("").empty());
  CHECK(takt::runtime::detail::parse_gpus("No devices were found").empty());
  const auto processes =
      takt::runtime::detail::parse_gpu_processes("1234, python3\n[N/A], [Not Found]\n77, ./takt\n\n");
  REQUIRE(processes.size() == 2);
  CHECK(processes[0].id == 1234);
  CHECK(processes[0].name == "python3");
}

TEST_CASE("machine: fixed clocks, persistence mode and a single context are told apart from their opposites") {
  const std::string good = "0, GPU, Enabled, Exclusive_Process, 1410, 1593, 1410, 1593, 1980, 1593\n";
  const auto all_fine = check_machine(
      parts_used::cpus_and_gpus,
      answering({{takt::runtime::detail::gpu_query, good}, {takt::runtime::detail::gpu_process_query, "77, takt\n"}}));
  for (const char* what : {"GPU 0 persistence mode", "GPU 0 SM clock", "GPU 0 memory clock", "GPU 0 compute mode",
                           "processes on the GPUs"}) {
    CAPTURE(what);
    CHECK(find(all_fine, what).level == severity::fine);
  }
  const std::string bad = good + "1, GPU, Disabled, Default, 345, 405, 1410, 1593, 1980, 1593\n" +
                          "2, GPU, [N/A], Prohibited, 345, [N/A], [N/A], 1593, 1980, 1593\n";
  const auto found = takt::runtime::detail::check_gpus(
      answering({{takt::runtime::detail::gpu_query, bad},
                 {takt::runtime::detail::gpu_process_query, "77, takt\n4321, a.out\n"}}));
  CHECK(find(found, "GPU 0 SM clock").level == severity::fine);
  CHECK(find(found, "GPU 1 persistence mode").level == severity::warning);
  CHECK(find(found, "GPU 1 SM clock").level == severity::warning);
  CHECK(find(found, "GPU 1 SM clock").observed == "345 MHz now, set to 1410 MHz, at most 1980 MHz");
  CHECK(find(found, "GPU 1 compute mode").level == severity::warning);
  CHECK(find(found, "GPU 2 persistence mode").level == severity::unknown);
  CHECK(find(found, "GPU 2 SM clock").level == severity::unknown);
  CHECK(find(found, "GPU 2 memory clock").level == severity::unknown);
  CHECK(find(found, "GPU 2 compute mode").level == severity::serious);
  const auto others = find(found, "processes on the GPUs");
  CHECK(others.level == severity::serious);
  CHECK(others.observed == "4321 a.out");
}

TEST_CASE("machine: a missing tool or GPU leaves the GPUs unknown, and CPU runs do not ask") {
  const auto none = takt::runtime::detail::check_gpus(answering({}));
  REQUIRE(none.size() == 1);
  CHECK(none[0].level == severity::unknown);
  const auto empty =
      takt::runtime::detail::check_gpus(answering({{takt::runtime::detail::gpu_query, "No devices were found\n"}}));
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].observed == "nvidia-smi lists none");
  const auto unlisted = takt::runtime::detail::check_gpus(
      answering({{takt::runtime::detail::gpu_query, "0, GPU, Enabled, Default, 1, 1, 1, 1, 1, 1\n"}}));
  CHECK(find(unlisted, "processes on the GPUs").level == severity::unknown);
  machine_sources asked = answering({});
  int calls = 0;
  asked.run = [&calls](const std::string&) -> std::optional<std::string> {
    ++calls;
    return std::nullopt;
  };
  CHECK(check_machine(parts_used::cpus, asked).size() == 4);
  CHECK(calls == 0);
  CHECK(run_command("echo takt") == "takt\n");
  CHECK_FALSE(run_command("exit 3"));
  CHECK_FALSE(run_command("/nonexistent/nvidia-smi"));
}
