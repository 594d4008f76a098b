// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <takt/cuda/driver_api.hpp>

namespace cuda_tests {

using namespace takt::cuda;

/// What the made-up machine looks like.
struct fake_machine {
  std::int32_t devices = 1;
  std::int32_t version = 12'080;
  std::int32_t compute_major = 9;
  std::int32_t sms = 32;
  std::int32_t least_partition = 8;
  std::int32_t alignment = 8;
  std::int32_t finest_group = 2;  ///< where coscheduling is ignored
  bool rounds_up = true;          ///< a split for fewer SMs than the least is not refused
  bool compiles = true;           ///< PTX
  std::int32_t copy_engines = 2;
  std::int32_t compute_mode = 0;
  std::int32_t greatest_priority = -5;
  bool peers = true;
  std::int32_t taken_device = -1;  ///< another process has it for itself
  std::uint64_t seed = 0;          ///< not 0: work takes random times, so streams overtake one another
};

/// What a kernel of the fake finds when it runs on the thread of its stream.
struct fake_launch {
  stream_handle stream{};
  green_handle green{};
  std::int32_t priority = 0;
  std::set<std::int32_t> sms{};  ///< that it may run on
  launch_shape shape{};
  std::vector<std::vector<std::byte>> arguments{};

  template <class T>
  [[nodiscard]] auto argument(std::size_t i) const -> T {
    T out{};
    std::memcpy(&out, arguments.at(i).data(), sizeof out);
    return out;
  }
};

struct fake_call {
  std::string name;
  stream_handle stream{};
  std::size_t bytes = 0;
};

/// A driver made of host threads, one for each stream. It records calls, fails one of them on demand, and can lose its
/// device, after which every call but those that give back fails and everybody who waits returns. As the real one it
/// makes things in the current context only, and marks streams of the mark's context only.
class fake_cuda_driver {
 public:
  using kernel_body = std::function<void(const fake_launch&)>;

  explicit fake_cuda_driver(const fake_machine& m = {}) : machine_{m}, random_{m.seed} {}
  fake_cuda_driver(const fake_cuda_driver&) = delete;
  auto operator=(const fake_cuda_driver&) -> fake_cuda_driver& = delete;
  ~fake_cuda_driver() {
    lose();
    for (auto& [h, s] : streams_) { s->worker.join(); }
  }

  /// The call of this number, from 0, answers with r and does nothing, unless it gives something back.
  void fail_call(std::int64_t number, result r) {
    const std::lock_guard lock{mutex_};
    failing_ = number;
    failure_ = r;
  }
  void fail_next(const std::string& name, result r) {
    const std::lock_guard lock{mutex_};
    failing_name_ = name;
    failure_ = r;
  }
  void lose(result why = result::ecc_uncorrectable) {
    const std::lock_guard lock{mutex_};
    if (lost_ == result::success) { lost_ = why; }
    changed_.notify_all();
  }
  [[nodiscard]] auto lost() const -> bool {
    const std::lock_guard lock{mutex_};
    return lost_ != result::success;
  }
  /// With the sizes of its arguments, which are copied when it is launched.
  void add_kernel(const std::string& name, std::vector<std::size_t> sizes, kernel_body body) {
    kernels_[name] = {std::move(sizes), std::move(body)};
  }
  /// Streams start nothing until they are let go.
  void hold_work(bool hold) {
    const std::lock_guard lock{mutex_};
    held_ = hold;
    changed_.notify_all();
  }

  /// Memory of the caller that the driver takes for managed.
  void add_managed(const void* p, std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    managed_.emplace_back(p, bytes);
  }

  [[nodiscard]] auto calls() const -> std::vector<fake_call> {
    const std::lock_guard lock{mutex_};
    return calls_;
  }
  [[nodiscard]] auto call_count() const -> std::int64_t {
    const std::lock_guard lock{mutex_};
    return count_;
  }
  [[nodiscard]] auto count_of(const std::string& name) const -> std::int64_t {
    const std::lock_guard lock{mutex_};
    return std::ranges::count(calls_, name, &fake_call::name);
  }
  /// Streams, events, memory, libraries, contexts and contexts left on a thread's stack: 0 when all was given back.
  [[nodiscard]] auto live() const -> std::int64_t {
    const std::lock_guard lock{mutex_};
    std::size_t entered = 0;
    for (const auto& [thread, stack] : stacks_) { entered += stack.size(); }
    return static_cast<std::int64_t>(
        std::ranges::count_if(streams_, [](const auto& s) { return !s.second->gone; }) +
        static_cast<std::int64_t>(entered + events_.size() + memory_.size() + greens_.size()) + libraries_ +
        contexts());
  }
  [[nodiscard]] auto default_stream_uses() const -> std::int64_t {
    const std::lock_guard lock{mutex_};
    return default_uses_;
  }
  /// Green contexts that were given back before their streams.
  [[nodiscard]] auto orphans() const -> std::int64_t {
    const std::lock_guard lock{mutex_};
    return orphans_;
  }
  /// Copies in one direction of one device that ran at the same time at most.
  [[nodiscard]] auto most_copies_at_once() const -> int { return most_copies_; }

  auto initialize() -> result { return enter("initialize", {}); }
  auto driver_version(std::int32_t& out) -> result {
    return query("driver_version", [&] { out = machine_.version; });
  }
  auto device_count(std::int32_t& out) -> result {
    return query("device_count", [&] { out = machine_.devices; });
  }
  auto device_name(std::int32_t d, std::string& out) -> result {
    return query("device_name", [&] { out = "made up " + std::to_string(d); });
  }
  auto attribute(device_attribute a, std::int32_t d, std::int32_t& out) -> result {
    if (d < 0 || d >= machine_.devices) { return result::invalid_device; }
    return query("attribute", [&] {
      switch (a) {
        case device_attribute::compute_major: out = machine_.compute_major; break;
        case device_attribute::compute_minor: out = 0; break;
        case device_attribute::multiprocessors: out = machine_.sms; break;
        case device_attribute::threads_per_multiprocessor: out = 2'048; break;
        case device_attribute::copy_engines: out = machine_.copy_engines; break;
        case device_attribute::compute_mode: out = machine_.compute_mode; break;
        default: out = 1; break;
      }
    });
  }
  auto can_access_peer(std::int32_t a, std::int32_t b, bool& out) -> result {
    return query("can_access_peer", [&] { out = machine_.peers && a != b; });
  }
  auto priority_range(std::int32_t& least, std::int32_t& greatest) -> result {
    return query("priority_range", [&] {
      least = 0;
      greatest = machine_.greatest_priority;
    });
  }
  auto describe(std::uint64_t address, pointer_facts& out) -> result {
    return query("describe", [&] {
      for (const auto& [begin, block] : memory_) {
        const auto first = reinterpret_cast<std::uintptr_t>(begin);
        if (address >= first && address < first + block.bytes.size()) { out = block.facts; }
      }
      for (const auto& [begin, bytes] : managed_) {
        const auto first = reinterpret_cast<std::uintptr_t>(begin);
        if (address >= first && address < first + bytes) { out = {.kind = memory_kind::managed, .device = 0}; }
      }
    });
  }
  [[nodiscard]] static auto name_of(result r) -> std::string {
    return "FAKE_" + std::to_string(static_cast<std::int32_t>(r));
  }

  auto primary_is_active(std::int32_t d, bool& out) -> result {
    return query("primary_is_active", [&] { out = primaries_[d] > 0; });
  }
  auto let_primary_block(std::int32_t) -> result { return enter("let_primary_block", {}); }
  auto retain_primary(std::int32_t d, context_handle& out) -> result {
    if (d == machine_.taken_device) { return result::device_unavailable; }
    return query("retain_primary", [&] {
      ++primaries_[d];
      out = primary_of(d);
    });
  }
  auto release_primary(std::int32_t d) -> result {
    return give_back("release_primary", [&] { --primaries_[d]; });
  }
  auto push_context(context_handle c) -> result {
    return query("push_context", [&] { stacks_[std::this_thread::get_id()].push_back(c); });
  }
  auto pop_context() -> result {
    return give_back("pop_context", [&] {
      auto& stack = stacks_[std::this_thread::get_id()];
      if (!stack.empty()) { stack.pop_back(); }
    });
  }
  auto enable_peer(context_handle to) -> result {
    return make("enable_peer", [&](std::int32_t from) { peers_.emplace(from, device_of(to)); });
  }
  [[nodiscard]] auto reaches(std::int32_t from, std::int32_t to) const -> bool {
    const std::lock_guard lock{mutex_};
    return peers_.contains({from, to});
  }

  auto device_sms(std::int32_t, sm_resource& out) -> result {
    return query("device_sms", [&] { out = sms_from(0, machine_.sms); });
  }
  auto split_sms(const sm_resource& all, const sm_split& how, std::span<sm_resource> groups, std::int32_t& count,
                 sm_resource& rest) -> result {
    const bool fine = how.ignore_coscheduling;
    const std::int32_t step = fine ? machine_.finest_group : std::max(machine_.alignment, 1);
    const std::int32_t least = fine ? machine_.finest_group : machine_.least_partition;
    const std::int32_t each = std::max((how.unit + step - 1) / step * step, least);
    const bool refused = !machine_.rounds_up && each != how.unit;
    return query("split_sms", refused ? result::invalid_value : result::success, [&] {
      count = all.sms / each;
      if (groups.empty()) { return; }
      count = std::min(static_cast<std::int32_t>(groups.size()), count);
      for (std::int32_t i = 0; i < count; ++i) { groups[static_cast<std::size_t>(i)] = sms_from(i * each, each); }
      rest = sms_from(count * each, all.sms - count * each);
    });
  }
  auto create_green(std::int32_t d, std::span<const sm_resource> chosen, green_handle& out) -> result {
    return query("create_green", [&] {
      out = green_handle{3'000 + next_++};
      for (const sm_resource& c : chosen) {
        std::int32_t first = 0;
        std::memcpy(&first, c.record.data(), sizeof first);
        for (std::int32_t i = 0; i < c.sms; ++i) { greens_[out].insert(first + i); }
      }
      green_devices_[out] = d;
    });
  }
  auto destroy_green(green_handle g) -> result {
    return give_back("destroy_green", [&] {
      orphans_ +=
          std::ranges::count_if(streams_, [g](const auto& s) { return s.second->green == g && !s.second->gone; });
      greens_.erase(g);
    });
  }
  /// Those of the device for a stream of no green context.
  [[nodiscard]] auto sms_of(stream_handle s) const -> std::set<std::int32_t> {
    const std::lock_guard lock{mutex_};
    return streams_.contains(s) ? sms_of(*streams_.at(s)) : std::set<std::int32_t>{};
  }

  auto create_stream(std::int32_t priority, stream_handle& out) -> result {
    return make_stream("create_stream", {}, priority, out);
  }
  auto create_green_stream(green_handle g, std::int32_t priority, stream_handle& out) -> result {
    return make_stream("create_green_stream", g, priority, out);
  }
  auto destroy_stream(stream_handle s) -> result {
    return give_back("destroy_stream", [&] {
      if (streams_.contains(s)) { streams_.at(s)->gone = true; }
      changed_.notify_all();
    });
  }
  [[nodiscard]] auto priority_of(stream_handle s) const -> std::int32_t {
    const std::lock_guard lock{mutex_};
    return streams_.at(s)->priority;
  }
  auto create_event(bool, event_handle& out) -> result {
    return make("create_event", [&](std::int32_t) {
      out = event_handle{4'000 + next_++};
      events_[out] = {.context = stacks_[std::this_thread::get_id()].back()};
    });
  }
  auto destroy_event(event_handle e) -> result {
    return give_back("destroy_event", [&] { events_.erase(e); });
  }

  auto allocate_pinned(std::size_t bytes, void*& out) -> result {
    return make("allocate_pinned",
                [&](std::int32_t) { out = make_memory(bytes, {.kind = memory_kind::pinned, .device = -1}); });
  }
  auto free_pinned(void* p) -> result {
    return give_back("free_pinned", [&] { erase_memory(p); });
  }
  auto address_of_pinned(void* p, device_address& out) -> result {
    return query("address_of_pinned", [&] { out = device_address{reinterpret_cast<std::uintptr_t>(p)}; });
  }
  auto allocate(std::size_t bytes, device_address& out) -> result {
    return make("allocate", [&](std::int32_t device) {
      out = device_address{
          reinterpret_cast<std::uintptr_t>(make_memory(bytes, {.kind = memory_kind::device, .device = device}))};
    });
  }
  auto free(device_address a) -> result {
    return give_back("free", [&] { erase_memory(pointer(a)); });
  }
  /// PTX is told by its first directive.
  auto load_library(const void* image, library_handle& out) -> result {
    const bool is_ptx = std::string_view{static_cast<const char*>(image)}.find(".version") != std::string_view::npos;
    return query("load_library", is_ptx && !machine_.compiles ? result::jit_compiler_not_found : result::success, [&] {
      ++libraries_;
      out = library_handle{5'000 + next_++};
    });
  }
  auto unload_library(library_handle) -> result {
    return give_back("unload_library", [&] { --libraries_; });
  }
  auto kernel(library_handle, const char* name, function_handle& out) -> result {
    return query("kernel", kernels_.contains(name) ? result::success : result::not_found,
                 [&] { out = handle_of(name); });
  }
  auto load_kernel(function_handle) -> result {
    return make("load_kernel", [](std::int32_t) {});
  }
  /// As of a kernel that the program was compiled with.
  [[nodiscard]] auto compiled(const std::string& name) -> function_handle {
    const std::lock_guard lock{mutex_};
    return handle_of(name);
  }

  auto launch(function_handle f, const launch_shape& shape, stream_handle s, void** arguments) -> result {
    if (const result r = enter("launch", s, static_cast<std::size_t>(shape.blocks())); r != result::success) {
      return r;
    }
    const std::lock_guard lock{mutex_};
    if (!functions_.contains(f)) { return result::invalid_handle; }
    const fake_kernel& kernel = *functions_.at(f);
    std::vector<std::vector<std::byte>> copied;
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
      const auto* from = static_cast<const std::byte*>(arguments[i]);
      copied.emplace_back(from, from + kernel.sizes[i]);
    }
    if (!streams_.contains(s)) { return result::invalid_handle; }
    const fake_stream& own = *streams_.at(s);
    return enqueue(s, [=, &kernel, green = own.green, priority = own.priority, sms = sms_of(own)] {
      kernel.body({s, green, priority, sms, shape, copied});
    });
  }
  /// Work of a kernel that was started past the driver's own kernels.
  auto run_in(stream_handle s, std::function<void()> work) -> result {
    if (const result r = enter("run_in", s); r != result::success) { return r; }
    const std::lock_guard lock{mutex_};
    return enqueue(s, std::move(work));
  }
  auto copy_to_device(device_address to, const void* from, std::size_t bytes, stream_handle s) -> result {
    return copy("copy_to_device", pointer(to), from, bytes, s, 0);
  }
  auto copy_to_host(void* to, device_address from, std::size_t bytes, stream_handle s) -> result {
    return copy("copy_to_host", to, pointer(from), bytes, s, 1);
  }
  auto copy_peer(device_address to, context_handle, device_address from, context_handle, std::size_t bytes,
                 stream_handle s) -> result {
    return copy("copy_peer", pointer(to), pointer(from), bytes, s, 2);
  }
  auto record(event_handle e, stream_handle s) -> result {
    if (const result r = enter("record", s); r != result::success) { return r; }
    const std::lock_guard lock{mutex_};
    if (!events_.contains(e) || !streams_.contains(s) || events_.at(e).context != streams_.at(s)->context) {
      return result::invalid_handle;
    }
    const std::uint64_t number = ++events_.at(e).recorded;
    return enqueue(s, [this, e, number] {
      const std::lock_guard inner{mutex_};
      if (!events_.contains(e)) { return; }
      events_.at(e).done = std::max(events_.at(e).done, number);
      events_.at(e).time = ++clock_;
      changed_.notify_all();
    });
  }
  auto make_wait(stream_handle s, event_handle e) -> result {
    if (const result r = enter("make_wait", s); r != result::success) { return r; }
    const std::lock_guard lock{mutex_};
    return enqueue(s, [this, e] {
      std::unique_lock inner{mutex_};
      changed_.wait(inner, [&] { return over() || is_done(e); });
    });
  }
  auto elapsed(event_handle from, event_handle to, float& out) -> result {
    return query("elapsed", [&] { out = static_cast<float>(events_.at(to).time - events_.at(from).time); });
  }
  auto wait_for_event(event_handle e) -> result {
    if (const result r = enter("wait_for_event", {}, 0, false); r != result::success) { return r; }
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return over() || is_done(e); });
    return lost_;
  }
  auto wait_for_stream(stream_handle s) -> result {
    if (const result r = enter("wait_for_stream", s, 0, false); r != result::success) { return r; }
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return over() || !streams_.contains(s) || streams_.at(s)->idle(); });
    return lost_;
  }

 private:
  struct fake_event {
    context_handle context{};
    std::uint64_t recorded = 0;
    std::uint64_t done = 0;
    std::uint64_t time = 0;
  };
  struct fake_kernel {
    std::vector<std::size_t> sizes;
    kernel_body body;
  };
  struct fake_memory {
    std::vector<std::byte> bytes;
    pointer_facts facts{};
  };
  struct fake_stream {
    green_handle green{};
    context_handle context{};
    std::int32_t priority = 0;
    std::deque<std::function<void()>> work;
    bool busy = false;
    bool gone = false;
    std::thread worker;
    [[nodiscard]] auto idle() const -> bool { return work.empty() && !busy; }
  };

  [[nodiscard]] static auto pointer(device_address a) -> std::byte* {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(a));
  }
  [[nodiscard]] static auto sms_from(std::int32_t first, std::int32_t count) -> sm_resource {
    sm_resource out{.sms = count};
    std::memcpy(out.record.data(), &first, sizeof first);
    return out;
  }
  [[nodiscard]] auto sms_of(const fake_stream& s) const -> std::set<std::int32_t> {
    if (greens_.contains(s.green)) { return greens_.at(s.green); }
    std::set<std::int32_t> all;
    for (std::int32_t i = 0; i < machine_.sms; ++i) { all.insert(i); }
    return all;
  }
  [[nodiscard]] auto handle_of(const std::string& name) -> function_handle {
    const function_handle out{6'000 + next_++};
    functions_[out] = &kernels_.at(name);
    return out;
  }
  /// Primary ones, each as often as it is retained.
  [[nodiscard]] auto contexts() const -> std::int64_t {
    std::int64_t out = 0;
    for (const auto& [device, retained] : primaries_) { out += retained; }
    return out;
  }
  [[nodiscard]] auto over() const -> bool { return lost_ != result::success; }
  [[nodiscard]] auto is_done(event_handle e) const -> bool {
    return !events_.contains(e) || events_.at(e).done == events_.at(e).recorded;
  }

  auto enter(const char* name, stream_handle s, std::size_t bytes = 0, bool on_stream = true) -> result {
    const std::lock_guard lock{mutex_};
    return note(name, s, bytes, on_stream);
  }
  auto note(const char* name, stream_handle s, std::size_t bytes, bool on_stream) -> result {
    calls_.push_back({name, s, bytes});
    const std::int64_t number = count_++;
    const bool by_name = failing_name_ && *failing_name_ == name;
    if (number == failing_ || by_name) {
      if (by_name) { failing_name_.reset(); }
      return failure_;
    }
    static const std::set<std::string> of_streams{"launch",    "run_in", "copy_to_device", "copy_to_host",
                                                  "copy_peer", "record", "make_wait",      "wait_for_stream"};
    if (on_stream && of_streams.contains(name) && s == stream_handle{}) { ++default_uses_; }
    return lost_;
  }
  template <class Act>
  auto query(const char* name, Act act) -> result {
    return query(name, result::success, act);
  }
  /// The answer where nothing else is wrong.
  template <class Act>
  auto query(const char* name, result answer, Act act) -> result {
    const std::lock_guard lock{mutex_};
    const result r = note(name, {}, 0, false);
    if (r != result::success) { return r; }
    if (answer == result::success) { act(); }
    return answer;
  }
  /// In the current context, whose device is told.
  template <class Act>
  auto make(const char* name, Act act) -> result {
    const std::lock_guard lock{mutex_};
    const result r = note(name, {}, 0, false);
    if (r != result::success) { return r; }
    const auto& stack = stacks_[std::this_thread::get_id()];
    if (stack.empty()) { return result::invalid_context; }
    act(device_of(stack.back()));
    return result::success;
  }
  [[nodiscard]] static auto primary_of(std::int32_t d) -> context_handle {
    return context_handle{static_cast<std::uintptr_t>(1'000 + d)};
  }
  [[nodiscard]] static auto device_of(context_handle c) -> std::int32_t {
    return static_cast<std::int32_t>(static_cast<std::uintptr_t>(c) % 10);
  }
  template <class Act>
  auto give_back(const char* name, Act act) -> result {
    const std::lock_guard lock{mutex_};
    const result r = note(name, {}, 0, false);
    act();
    return r;
  }
  /// Kernels of a lost device are over for whoever waits for them; the threads that play them may not have noticed yet.
  /// Pre: the mutex is held.
  void erase_memory(void* p) {
    std::unique_lock lock{mutex_, std::adopt_lock};
    if (lost_ != result::success) {
      changed_.wait_for(lock, std::chrono::seconds{10},
                        [&] { return std::ranges::none_of(streams_, [](const auto& s) { return s.second->busy; }); });
    }
    memory_.erase(p);
    lock.release();
  }
  auto make_memory(std::size_t bytes, pointer_facts facts) -> void* {
    std::vector<std::byte> block(std::max<std::size_t>(bytes, 1));
    void* p = block.data();
    memory_[p] = {std::move(block), facts};
    return p;
  }
  auto make_stream(const char* name, green_handle g, std::int32_t priority, stream_handle& out) -> result {
    return make(name, [&](std::int32_t) {
      out = stream_handle{7'000 + next_++};
      auto s = std::make_unique<fake_stream>();
      s->green = g;
      s->context = g == green_handle{} ? stacks_[std::this_thread::get_id()].back() : primary_of(green_devices_.at(g));
      s->priority = std::clamp(priority, machine_.greatest_priority, 0);
      fake_stream* own = s.get();
      streams_[out] = std::move(s);
      own->worker = std::thread{[this, own] { serve(*own); }};
    });
  }
  auto enqueue(stream_handle s, std::function<void()> work) -> result {
    if (!streams_.contains(s) || streams_.at(s)->gone) { return result::invalid_handle; }
    streams_.at(s)->work.push_back(std::move(work));
    changed_.notify_all();
    return result::success;
  }
  auto copy(const char* name, void* to, const void* from, std::size_t bytes, stream_handle s, std::size_t engine)
      -> result {
    if (const result r = enter(name, s, bytes); r != result::success) { return r; }
    const std::lock_guard lock{mutex_};
    return enqueue(s, [=, this] {
      most_copies_ = std::max(most_copies_.load(), ++copying_[engine]);
      std::this_thread::yield();
      std::memcpy(to, from, bytes);
      --copying_[engine];
    });
  }
  void serve(fake_stream& s) {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return over() || (!s.work.empty() && !held_) || (s.gone && s.work.empty()); });
      if (over()) { s.work.clear(); }
      if (s.work.empty()) {
        changed_.notify_all();
        if (over() || s.gone) { return; }
        continue;
      }
      const auto next = std::move(s.work.front());
      s.work.pop_front();
      s.busy = true;
      const auto pause = machine_.seed == 0 ? std::uint64_t{0} : random_() % 200;
      lock.unlock();
      if (pause > 0) { std::this_thread::sleep_for(std::chrono::microseconds{pause}); }
      next();
      lock.lock();
      s.busy = false;
      changed_.notify_all();
    }
  }

  fake_machine machine_;
  std::mt19937_64 random_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<fake_call> calls_;
  std::int64_t count_ = 0;
  std::int64_t failing_ = -1;
  std::optional<std::string> failing_name_;
  result failure_ = result::unknown;
  result lost_ = result::success;
  bool held_ = false;
  std::uintptr_t next_ = 1;
  std::map<std::int32_t, std::int64_t> primaries_;
  std::int64_t libraries_ = 0;
  std::int64_t default_uses_ = 0;
  std::int64_t orphans_ = 0;
  std::uint64_t clock_ = 0;
  std::atomic<int> most_copies_{0};
  std::array<std::atomic<int>, 3> copying_{};
  std::map<std::string, fake_kernel> kernels_;
  std::map<function_handle, const fake_kernel*> functions_;
  std::map<event_handle, fake_event> events_;
  std::map<void*, fake_memory> memory_;
  std::vector<std::pair<const void*, std::size_t>> managed_;
  std::map<green_handle, std::set<std::int32_t>> greens_;
  std::map<green_handle, std::int32_t> green_devices_;
  std::set<std::pair<std::int32_t, std::int32_t>> peers_;
  std::map<std::thread::id, std::vector<context_handle>> stacks_;
  std::map<stream_handle, std::unique_ptr<fake_stream>> streams_;
};

static_assert(CudaDriver<fake_cuda_driver>);

}  // namespace cuda_tests
