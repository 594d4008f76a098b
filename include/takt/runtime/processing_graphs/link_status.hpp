// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace takt::runtime {

/// What is wrong with a graph that processes share, or with a call on it.
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
  peer_gone,
  overflow,
  time_limit,
  system,
};

/// What is wrong and what is allowed.
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
    case link_fault::peer_gone: return "the other end of the edge has gone; bind the edge again";
    case link_fault::overflow: return "more tokens than a count holds";
    case link_fault::time_limit: return "the time limit has passed";
    case link_fault::system: return "the system refused";
  }
  return "";
}

/// What came of a call: true when it did what it says.
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

[[nodiscard]] inline auto link_error(link_fault fault, std::string_view at, int error = 0,
                                     const char* call = "") noexcept -> link_status {
  link_status out{fault, error, call, {}};
  const std::size_t length = at.size() < out.at.size() - 1 ? at.size() : out.at.size() - 1;
  for (std::size_t i = 0; i < length; ++i) { out.at[i] = at[i]; }
  return out;
}
[[nodiscard]] inline auto system_error(const char* call, int error, std::string_view at) noexcept -> link_status {
  return link_error(link_fault::system, at, error, call);
}

}  // namespace detail

}  // namespace takt::runtime
