// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <takt/cuda/values.hpp>

namespace takt::cuda {

/// What the adapter knows of the machine's driver: the calls that initialize and ask.
template <class D>
concept CudaFacts =
    requires(D& d, std::int32_t device, std::int32_t& number, bool& flag, std::string& text, device_attribute a,
             sm_resource& sms, std::uint64_t address, pointer_facts& facts, result r) {
      { d.initialize() } -> std::same_as<result>;
      { d.driver_version(number) } -> std::same_as<result>;
      { d.device_count(number) } -> std::same_as<result>;
      { d.device_name(device, text) } -> std::same_as<result>;
      { d.attribute(a, device, number) } -> std::same_as<result>;
      { d.can_access_peer(device, device, flag) } -> std::same_as<result>;
      { d.priority_range(number, number) } -> std::same_as<result>;
      { d.device_sms(device, sms) } -> std::same_as<result>;
      { d.describe(address, facts) } -> std::same_as<result>;
      { d.name_of(r) } -> std::same_as<std::string>;
    };

/// Contexts, whole and partial, and what is made in the one that is current to the calling thread. A green context is
/// never current: its streams are used from the primary one.
template <class D>
concept CudaResources =
    requires(D& d, std::int32_t device, std::int32_t priority, std::int32_t& count, context_handle c,
             context_handle& new_context, green_handle g, green_handle& new_green, stream_handle s,
             stream_handle& new_stream, event_handle e, event_handle& new_event, const sm_resource& sms,
             std::span<sm_resource> groups, std::span<const sm_resource> chosen, std::size_t bytes, void* host,
             void*& new_host, device_address memory, device_address& new_memory, const void* image, module_handle m,
             module_handle& new_module, const char* name, function_handle& f, bool timed) {
      { d.retain_primary(device, new_context) } -> std::same_as<result>;
      { d.release_primary(device) } -> std::same_as<result>;
      { d.create_context(device, new_context) } -> std::same_as<result>;
      { d.destroy_context(c) } -> std::same_as<result>;
      { d.push_context(c) } -> std::same_as<result>;
      { d.pop_context() } -> std::same_as<result>;
      { d.split_sms(sms, priority, groups, count) } -> std::same_as<result>;
      { d.create_green(device, chosen, new_green) } -> std::same_as<result>;
      { d.destroy_green(g) } -> std::same_as<result>;
      { d.create_stream(priority, new_stream) } -> std::same_as<result>;
      { d.create_green_stream(g, priority, new_stream) } -> std::same_as<result>;
      { d.destroy_stream(s) } -> std::same_as<result>;
      { d.create_event(timed, new_event) } -> std::same_as<result>;
      { d.destroy_event(e) } -> std::same_as<result>;
      { d.allocate_pinned(bytes, new_host) } -> std::same_as<result>;
      { d.free_pinned(host) } -> std::same_as<result>;
      { d.address_of_pinned(host, new_memory) } -> std::same_as<result>;
      { d.allocate(bytes, new_memory) } -> std::same_as<result>;
      { d.free(memory) } -> std::same_as<result>;
      { d.load_module(image, new_module) } -> std::same_as<result>;
      { d.unload_module(m) } -> std::same_as<result>;
      { d.function(m, name, f) } -> std::same_as<result>;
      { d.enable_peer(c) } -> std::same_as<result>;
    };

/// Work in streams. Nothing here waits but the two that say so, and those suspend the calling thread.
template <class D>
concept CudaWork =
    requires(D& d, stream_handle s, event_handle e, float& milliseconds, function_handle f, const launch_shape& shape,
             void** arguments, device_address memory, const void* from, void* to, std::size_t bytes, context_handle c) {
      { d.launch(f, shape, s, arguments) } -> std::same_as<result>;
      { d.copy_to_device(memory, from, bytes, s) } -> std::same_as<result>;
      { d.copy_to_host(to, memory, bytes, s) } -> std::same_as<result>;
      { d.copy_peer(memory, c, memory, c, bytes, s) } -> std::same_as<result>;
      { d.record(e, s) } -> std::same_as<result>;
      { d.make_wait(s, e) } -> std::same_as<result>;
      { d.elapsed(e, e, milliseconds) } -> std::same_as<result>;
      { d.wait_for_event(e) } -> std::same_as<result>;
      { d.wait_for_stream(s) } -> std::same_as<result>;
    };

/// The CUDA driver interface as far as the adapter needs it, in takt's own values, so that the same code runs over the
/// machine's driver and over one that tests make up.
///
/// - Every stream is made without relation to the legacy default stream; the smaller its priority, the sooner its work.
/// - Every event is made for blocking waits; contexts wait blocking too.
/// - `wait_for_event` and `wait_for_stream` return with an error when the device is lost, whatever was recorded.
/// - `split_sms(all, unit, groups, count)`: disjoint groups of at least `unit` each, all that a device has room for.
/// - `enable_peer(c)`: the current context may read and write memory of c; success also when it already could.
/// - All calls from any thread.
template <class D>
concept CudaDriver = CudaFacts<D> && CudaResources<D> && CudaWork<D>;

}  // namespace takt::cuda
