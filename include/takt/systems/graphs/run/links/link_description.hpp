// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include <sys/types.h>

#include <takt/core/checked.hpp>
#include <takt/model/graph/pgm_table.hpp>
#include <takt/model/graph/topological_order.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Names what is wrong with a graph that processes share, or with a call on it.
enum class link_fault : std::uint8_t {
  none,
  name,
  folder,
  mode,
  number_of_nodes,
  number_of_edges,
  duplicate_name,
  unknown_name,
  amount,
  initial_data,
  cycle,
  threshold,
  capacity,
  message_size,
  exists,
  missing,
  unfinished,
  other_layout,
  other_monitor,
  other_namespace,
  claimed,
  not_claimed,
  not_an_end,
  not_bound,
  no_job,
  job_open,
  cut,
  wrong_kind,
  other_owner,
  peer_gone,
  overflow,
  time_limit,
  system,
};

/// Says what is wrong and what is allowed.
[[nodiscard]] constexpr auto describe(link_fault fault) noexcept -> std::string_view {
  switch (fault) {
    case link_fault::none: return "nothing is wrong";
    case link_fault::name: return "not a name; use 1 to 31 letters, digits, '_' and '-'";
    case link_fault::folder: return "FIFOs and sockets need a folder of 1 to 40 characters; no other transport has one";
    case link_fault::mode: return "not rights of files; use bits of 0666, with 0600 among them";
    case link_fault::number_of_nodes: return "the number of nodes; 1 to 64 are allowed";
    case link_fault::number_of_edges: return "the number of edges; at most 128 are allowed";
    case link_fault::duplicate_name: return "a name that is taken; nodes and edges have names of their own";
    case link_fault::unknown_name: return "no such node or edge in the graph; use one of the description's names";
    case link_fault::amount:
      return "tokens of an edge; produce and consume need at least 1, the threshold at least what is consumed, tokens "
             "1 to 2^20 bytes, and no product more than 2^30";
    case link_fault::initial_data: return "initial tokens without data; only event tokens may be there from the start";
    case link_fault::cycle: return "a cycle whose nodes wait for each other forever; give it initial tokens";
    case link_fault::threshold:
      return "a threshold above the consumption; only event tokens, rings and the fast variants of FIFOs and message "
             "queues can count what is there";
    case link_fault::capacity:
      return "a capacity that is too small; threshold - 1 + produce must fit, or it never moves";
    case link_fault::message_size: return "messages; use 1 to 2^16 of 1 to 2^20 bytes";
    case link_fault::exists: return "a graph of this name exists; open it or remove it";
    case link_fault::missing: return "no graph of this name; create it first";
    case link_fault::unfinished: return "the creator ended before the graph was complete; create it again";
    case link_fault::other_layout: return "not a graph of this version; remove it with the program that made it";
    case link_fault::other_monitor: return "a graph with other monitors; open it with the monitor of its creator";
    case link_fault::other_namespace: return "a graph of another PID namespace; claims could not be checked";
    case link_fault::claimed: return "somebody alive has claimed the node; one claimant at a time";
    case link_fault::not_claimed: return "a claim that is no more, or is of another process; claim the node first";
    case link_fault::not_an_end: return "an edge that does not begin or end at the node, or has no bytes there";
    case link_fault::not_bound: return "an edge of the node is not bound; bind all of them";
    case link_fault::no_job: return "no job has begun; begin one first";
    case link_fault::job_open: return "a job has begun; finish it first";
    case link_fault::cut:
      return "a process ended while it held bytes of the edge, and they are lost; remove the graph and create it again";
    case link_fault::wrong_kind: return "a file of another kind has the name; remove it";
    case link_fault::other_owner:
      return "memory or a channel of another user has the name; remove it, or say that you trust that user";
    case link_fault::peer_gone: return "the other end of the edge has gone; bind the edge again";
    case link_fault::overflow: return "more tokens than a count holds";
    case link_fault::time_limit: return "the time limit has passed";
    case link_fault::system: return "the system refused";
  }
  return "";
}

/// Says what came of a call: true when it did what it says.
struct link_status {
  link_fault fault = link_fault::none;
  int error = 0;              ///< the system's number (errno), or 0
  const char* call = "";      ///< the system's function that refused
  std::array<char, 48> at{};  ///< graph, node or edge

  [[nodiscard]] explicit operator bool() const noexcept { return fault == link_fault::none; }
  [[nodiscard]] auto sentence() const -> std::string {
    std::string out = "takt: ";
    if (at[0] != '\0') { out += std::string{at.data()} + ": "; }
    out += describe(fault);
    if (error != 0) { out += " (" + std::string{call} + ": " + std::generic_category().message(error) + ")"; }
    return out;
  }
};

namespace detail {

template <std::size_t Size>
using text_field = std::array<char, Size>;

template <std::size_t Size>
void put_text(text_field<Size>& to, std::string_view from) noexcept {
  to = {};
  if (!from.empty()) { std::memcpy(to.data(), from.data(), std::min(from.size(), Size - 1)); }
}
template <std::size_t Size>
[[nodiscard]] auto text_of(const text_field<Size>& from) noexcept -> std::string_view {
  return {from.data(), strnlen(from.data(), Size)};
}

[[nodiscard]] inline auto link_error(link_fault fault, std::string_view at, int error = 0,
                                     const char* call = "") noexcept -> link_status {
  link_status out{fault, error, call, {}};
  put_text(out.at, at);
  return out;
}
[[nodiscard]] inline auto system_error(const char* call, int error, std::string_view at) noexcept -> link_status {
  return link_error(link_fault::system, at, error, call);
}

}  // namespace detail

/// Counts tokens that carry nothing.
struct event_tokens {
  static constexpr bool fast = true, carries_bytes = false, has_file = false;
};

/// Keeps bytes in the memory of the graph. What a consumer had not finished when it was killed is there for the next.
struct shared_ring {
  std::int64_t capacity = 0;  ///< in bytes

  static constexpr bool fast = true, carries_bytes = true, has_file = false;
};

/// Describes a FIFO (mkfifo) in the folder of the graph.
struct named_fifo {
  bool fast = false;  ///< bytes are counted in shared memory, and buffered by the consumer

  static constexpr bool carries_bytes = true, has_file = true;
};

/// Describes a POSIX message queue; the system limits both numbers (/proc/sys/fs/mqueue).
struct message_queue {
  std::int64_t messages = 8;
  std::int64_t message_bytes = 1024;
  bool fast = false;  ///< bytes are counted in shared memory, and buffered by the consumer

  static constexpr bool carries_bytes = true, has_file = false;
};

/// Describes a stream socket (AF_UNIX) in the folder of the graph. Elliott 2015 has no fast variant of sockets.
struct stream_socket {
  static constexpr bool fast = false, carries_bytes = true, has_file = true;
};

/// Says how the tokens of an edge travel.
using transport = std::variant<event_tokens, shared_ring, named_fifo, message_queue, stream_socket>;

namespace detail {

/// Returns whether tokens are counted in shared memory, so that a consumer waits for its threshold in one sleep.
[[nodiscard]] constexpr auto counts_tokens(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.fast; }, t);
}

}  // namespace detail
[[nodiscard]] constexpr auto carries_bytes(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.carries_bytes; }, t);
}
namespace detail {

[[nodiscard]] constexpr auto has_file(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.has_file; }, t);
}

}  // namespace detail

/// Is one edge: every job of `from` sends `produce` tokens; a job of `to` begins when `threshold` are there, and takes
/// `consume` of them.
struct link_description {
  std::string name;
  std::string from;
  std::string to;
  std::int64_t produce = 1;
  std::int64_t consume = 1;
  std::int64_t threshold = 0;  ///< 0: what is consumed
  std::int64_t initial = 0;
  std::int64_t token_bytes = 1;  ///< of one token, where tokens carry bytes
  transport over = event_tokens{};

  [[nodiscard]] auto needed() const noexcept -> std::int64_t { return threshold == 0 ? consume : threshold; }
};

/// Describes a processing graph (PGM) for threads and processes that find it by its name.
struct graph_description {
  static constexpr std::size_t max_nodes = 64;
  static constexpr std::size_t max_edges = 128;
  static constexpr std::size_t max_name = 31;
  static constexpr std::size_t max_folder = 40;

  std::string name;
  std::vector<std::string> nodes{};
  std::vector<link_description> edges{};
  std::string folder{};  ///< of FIFOs and sockets, where there are any
  mode_t mode = 0600;    ///< who may open the graph. Whoever may can also spoil it.
};

namespace detail {

[[nodiscard]] constexpr auto is_link_name(std::string_view name) noexcept -> bool {
  return !name.empty() && name.size() <= graph_description::max_name && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

inline constexpr std::int64_t max_link_bytes = std::int64_t{1} << 30;

/// Returns room that must be there: a producer goes on while the consumer lacks the last token of its threshold.
[[nodiscard]] inline auto needed_capacity(const link_description& e) noexcept -> std::int64_t {
  return (e.needed() - 1 + e.produce) * e.token_bytes;
}

[[nodiscard]] inline auto amounts_fault(const link_description& e) noexcept -> link_fault {
  std::int64_t room = 0;
  if (e.produce < 1 || e.consume < 1 || e.threshold < 0 || e.needed() < e.consume || e.initial < 0 ||
      e.token_bytes < 1 || e.token_bytes > (1 << 20) || (!carries_bytes(e.over) && e.token_bytes != 1) ||
      e.initial > max_link_bytes || !checked_add(e.needed(), e.produce, room) ||
      !checked_multiply(room, e.token_bytes, room) || room > max_link_bytes) {
    return link_fault::amount;
  }
  if (carries_bytes(e.over) && e.initial != 0) { return link_fault::initial_data; }
  return !counts_tokens(e.over) && e.needed() != e.consume ? link_fault::threshold : link_fault::none;
}

/// Returns what is wrong with the transport of an edge whose amounts are right. Only rings and queues have sizes.
[[nodiscard]] inline auto transport_fault(const link_description& e) noexcept -> link_fault {
  if (const auto* r = std::get_if<shared_ring>(&e.over)) {
    return r->capacity < needed_capacity(e) || r->capacity > max_link_bytes ? link_fault::capacity : link_fault::none;
  }
  const auto* q = std::get_if<message_queue>(&e.over);
  if (q == nullptr) { return link_fault::none; }
  if (q->messages < 1 || q->messages > (1 << 16) || q->message_bytes < 1 || q->message_bytes > (1 << 20)) {
    return link_fault::message_size;
  }
  const std::int64_t jobs = (e.needed() - 1) / e.produce + 1;
  const std::int64_t each = ceil_divide(e.produce * e.token_bytes, q->message_bytes);
  return q->fast && jobs > q->messages / each ? link_fault::capacity : link_fault::none;
}

}  // namespace detail

/// Returns the first thing that is wrong with a description.
[[nodiscard]] inline auto validate(const graph_description& d) -> link_status {
  const auto wrong = [](link_fault fault, std::string_view at) { return detail::link_error(fault, at); };
  if (!detail::is_link_name(d.name)) { return wrong(link_fault::name, d.name); }
  if ((d.mode & ~mode_t{0666}) != 0 || (d.mode & 0600) != 0600) { return wrong(link_fault::mode, d.name); }
  if (d.nodes.empty() || d.nodes.size() > d.max_nodes) { return wrong(link_fault::number_of_nodes, d.name); }
  if (d.edges.size() > d.max_edges) { return wrong(link_fault::number_of_edges, d.name); }
  const bool files = std::ranges::any_of(d.edges, [](const link_description& e) { return detail::has_file(e.over); });
  if (files ? d.folder.empty() || d.folder.size() > d.max_folder : !d.folder.empty()) {
    return wrong(link_fault::folder, d.name);
  }
  for (const std::string& node : d.nodes) {
    if (!detail::is_link_name(node)) { return wrong(link_fault::name, node); }
    if (std::ranges::count(d.nodes, node) != 1) { return wrong(link_fault::duplicate_name, node); }
  }
  std::vector<token_edge> waits;
  for (const link_description& e : d.edges) {
    if (!detail::is_link_name(e.name)) { return wrong(link_fault::name, e.name); }
    if (std::ranges::count(d.edges, e.name, &link_description::name) != 1) {
      return wrong(link_fault::duplicate_name, e.name);
    }
    const auto from = std::ranges::find(d.nodes, e.from);
    const auto to = std::ranges::find(d.nodes, e.to);
    if (from == d.nodes.end() || to == d.nodes.end()) {
      return wrong(link_fault::unknown_name, from == d.nodes.end() ? e.from : e.to);
    }
    if (const auto f = detail::amounts_fault(e); f != link_fault::none) { return wrong(f, e.name); }
    if (const auto f = detail::transport_fault(e); f != link_fault::none) { return wrong(f, e.name); }
    if (e.initial < e.needed()) {
      waits.push_back({.from = static_cast<std::uint32_t>(from - d.nodes.begin()),
                       .to = static_cast<std::uint32_t>(to - d.nodes.begin())});
    }
  }
  // Along edges without enough tokens somebody else has to begin.
  const auto order = topological_order<graph_description::max_nodes>(
      0, d.nodes.size(), std::span<const token_edge>(waits), [](const token_edge&) { return true; });
  return order.size() == d.nodes.size() ? link_status{} : wrong(link_fault::cycle, d.name);
}

}  // namespace takt::inline TAKT_ABI::runtime
