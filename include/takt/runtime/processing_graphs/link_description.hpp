// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sys/types.h>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/pgm_table.hpp>
#include <takt/runtime/processing_graphs/link_status.hpp>
#include <takt/runtime/processing_graphs/transports.hpp>

namespace takt::runtime {

/// One edge: every job of `from` sends `produce` tokens; a job of `to` begins when `threshold` are there, and takes
/// `consume` of them.
struct described_link {
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

/// A processing graph (PGM) for threads and processes that find it by its name.
struct graph_description {
  static constexpr std::size_t max_nodes = 64;
  static constexpr std::size_t max_edges = 128;
  static constexpr std::size_t max_name = 31;
  static constexpr std::size_t max_folder = 40;

  std::string name;
  std::vector<std::string> nodes{};
  std::vector<described_link> edges{};
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

/// Room that must be there: a producer goes on while the consumer lacks the last token of its threshold.
[[nodiscard]] inline auto room_of(const described_link& e) noexcept -> std::int64_t {
  return (e.needed() - 1 + e.produce) * e.token_bytes;
}

[[nodiscard]] inline auto amounts_fault(const described_link& e) noexcept -> link_fault {
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

/// What is wrong with the transport of an edge whose amounts are right.
struct transport_fault {
  const described_link& edge;

  [[nodiscard]] auto operator()(const event_tokens& /*none*/) const noexcept -> link_fault { return link_fault::none; }
  [[nodiscard]] auto operator()(const shared_ring& r) const noexcept -> link_fault {
    return r.capacity < room_of(edge) || r.capacity > max_link_bytes ? link_fault::capacity : link_fault::none;
  }
  [[nodiscard]] auto operator()(const named_fifo& /*sized by need*/) const noexcept -> link_fault {
    return link_fault::none;
  }
  [[nodiscard]] auto operator()(const message_queue& q) const noexcept -> link_fault {
    if (q.messages < 1 || q.messages > (1 << 16) || q.message_bytes < 1 || q.message_bytes > (1 << 20)) {
      return link_fault::message_size;
    }
    const std::int64_t jobs = (edge.needed() - 1) / edge.produce + 1;
    const std::int64_t each = ceil_divide(edge.produce * edge.token_bytes, q.message_bytes);
    return q.fast && jobs > q.messages / each ? link_fault::capacity : link_fault::none;
  }
  [[nodiscard]] auto operator()(const stream_socket& /*none*/) const noexcept -> link_fault { return link_fault::none; }
};

}  // namespace detail

/// The first thing that is wrong with a description.
[[nodiscard]] inline auto validate(const graph_description& d) -> link_status {
  const auto wrong = [](link_fault fault, std::string_view at) { return detail::link_error(fault, at); };
  if (!detail::is_link_name(d.name)) { return wrong(link_fault::name, d.name); }
  if ((d.mode & ~mode_t{0666}) != 0 || (d.mode & 0600) != 0600) { return wrong(link_fault::mode, d.name); }
  if (d.nodes.empty() || d.nodes.size() > d.max_nodes) { return wrong(link_fault::number_of_nodes, d.name); }
  if (d.edges.size() > d.max_edges) { return wrong(link_fault::number_of_edges, d.name); }
  const bool files = std::ranges::any_of(d.edges, [](const described_link& e) { return has_file(e.over); });
  if (files ? d.folder.empty() || d.folder.size() > d.max_folder : !d.folder.empty()) {
    return wrong(link_fault::folder, d.name);
  }
  pgm_table<ticks, graph_description::max_nodes, graph_description::max_edges> waits;
  for (std::size_t v = 0; v < d.nodes.size(); ++v) {
    if (!detail::is_link_name(d.nodes[v])) { return wrong(link_fault::name, d.nodes[v]); }
    if (std::ranges::count(d.nodes, d.nodes[v]) != 1) { return wrong(link_fault::duplicate_name, d.nodes[v]); }
    (void)waits.nodes.push_back({.name = d.nodes[v]});
  }
  for (const described_link& e : d.edges) {
    if (!detail::is_link_name(e.name)) { return wrong(link_fault::name, e.name); }
    if (std::ranges::count(d.edges, e.name, &described_link::name) != 1) {
      return wrong(link_fault::duplicate_name, e.name);
    }
    const auto from = std::ranges::find(d.nodes, e.from);
    const auto to = std::ranges::find(d.nodes, e.to);
    if (from == d.nodes.end() || to == d.nodes.end()) {
      return wrong(link_fault::unknown_name, from == d.nodes.end() ? e.from : e.to);
    }
    if (const auto f = detail::amounts_fault(e); f != link_fault::none) { return wrong(f, e.name); }
    if (const auto f = std::visit(detail::transport_fault{e}, e.over); f != link_fault::none) {
      return wrong(f, e.name);
    }
    if (e.initial < e.needed()) {
      (void)waits.edges.push_back({.from = static_cast<std::uint32_t>(from - d.nodes.begin()),
                                   .to = static_cast<std::uint32_t>(to - d.nodes.begin())});
    }
  }
  // Along edges without enough tokens somebody else has to begin.
  return topological_order(waits).size() == d.nodes.size() ? link_status{} : wrong(link_fault::cycle, d.name);
}

}  // namespace takt::runtime
