// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/inline_vector.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Names the copy at whose end a blocking chain stands: out of a GPU, into it, or from another GPU into it.
enum class chain_root : std::uint8_t { out, in, migration };

namespace detail {

[[nodiscard]] constexpr auto is_out(chain_root e) noexcept -> bool {
  switch (e) {
    case chain_root::in:
    case chain_root::migration: return false;
    case chain_root::out: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto is_migration(chain_root e) noexcept -> bool {
  switch (e) {
    case chain_root::out:
    case chain_root::in: return false;
    case chain_root::migration: return true;
  }
  return false;
}

/// Says how many copies of each kind precede a copy, directly or because they precede those that do.
struct blocking_chain {
  std::int32_t out = 0;
  std::int32_t in = 0;
  std::int32_t peer = 0;

  [[nodiscard]] constexpr auto length() const noexcept -> std::int32_t { return out + in + peer; }
  [[nodiscard]] friend constexpr auto operator==(const blocking_chain&, const blocking_chain&) noexcept
      -> bool = default;
};

}  // namespace detail

/// Bounds the chain that is looked at: one copy of each other token holder of a GPU cluster.
inline constexpr std::int32_t max_chain_length = 31;
namespace detail {

/// As many copies as there are other token holders.
inline constexpr std::int32_t unlimited_chain_length = std::numeric_limits<std::int32_t>::max();

/// Holds all chains that can stand before a root, by what they are made of. With so many peer copies and copies out,
/// any number of copies in up to `most_in` is possible, and fewer copies out are.
class chain_set {
 public:
  constexpr chain_set() noexcept { most_in_.fill(none); }

  constexpr void include(std::int32_t peer, std::int32_t out, std::int32_t in) noexcept {
    std::int8_t& most = most_in_[index(peer, out)];
    most = most < in ? static_cast<std::int8_t>(in) : most;
    most_peer_ = most_peer_ < peer ? peer : most_peer_;
    most_out_ = most_out_ < out ? out : most_out_;
  }
  /// -1 where there is no such chain.
  [[nodiscard]] constexpr auto most_in(std::int32_t peer, std::int32_t out) const noexcept -> std::int32_t {
    return peer > most_peer_ || out > most_out_ ? none : most_in_[index(peer, out)];
  }
  [[nodiscard]] constexpr auto most_peer() const noexcept -> std::int32_t { return most_peer_; }
  [[nodiscard]] constexpr auto most_out() const noexcept -> std::int32_t { return most_out_; }
  /// Returns how many chains are not empty.
  [[nodiscard]] constexpr auto size() const noexcept -> std::int32_t {
    std::int32_t count = -1;
    for (std::int32_t m = 0; m <= most_peer_; ++m) {
      for (std::int32_t o = 0; o <= most_out_; ++o) { count += most_in(m, o) + 1; }
    }
    return count;
  }

 private:
  static constexpr std::int32_t none = -1;
  static constexpr std::size_t stride = max_chain_length + 1;

  [[nodiscard]] static constexpr auto index(std::int32_t peer, std::int32_t out) noexcept -> std::size_t {
    return static_cast<std::size_t>(peer) * stride + static_cast<std::size_t>(out);
  }

  std::array<std::int8_t, stride * stride> most_in_{};
  std::int32_t most_peer_ = 0;
  std::int32_t most_out_ = 0;
};

/// Which engines of a cluster are reached, GPU 0 being the root's own and, for a migration, GPU 1 the one
/// it comes from.
struct reached_engines {
  std::int32_t tokens = 1;
  std::int32_t length = 0;  ///< copies of the longest chain that is looked for
  chain_root root = chain_root::out;
  bool in0 = false;
  bool out0 = false;
  bool in1 = false;       ///< of a migration only; out1 is reached then
  std::int32_t in = 0;    ///< others with only the engine in
  std::int32_t out = 0;   ///< others with only the engine out
  std::int32_t both = 0;  ///< others with both
};

/// A spanning tree of the reached engines has an edge for each peer copy that reaches one more. The copies of GPU b are
/// at least its degree, at most its token holders; the degree is at most the number of sources other than b itself.
/// Tree edges that go to GPUs of which only one engine is reached leave most freedom to the others.
constexpr void include_chains(chain_set& set, const reached_engines& r) noexcept {
  const bool migration = is_migration(r.root);
  const std::int32_t ins = (r.in0 ? 1 : 0) + (r.in1 ? 1 : 0) + r.in + r.both;
  const std::int32_t outs = (r.out0 ? 1 : 0) + (migration ? 1 : 0) + r.out + r.both;
  const std::int32_t edges = ins + outs - (migration ? 2 : 1);
  std::int32_t least_both = 0;
  std::int32_t most_both = 0;
  std::int32_t least_in = 0;
  std::int32_t most_in = 0;
  std::int32_t holders_both = 0;
  std::int32_t holders_in = 0;
  std::int32_t holders_out = 0;
  bool possible = true;
  const auto gpu = [&](bool in, bool out, std::int32_t count, std::int32_t holders, std::int32_t least,
                       std::int32_t sources) {
    if (count == 0) { return; }
    if (!in) {
      holders_out += out ? count * holders : 0;
      return;
    }
    const std::int32_t most = sources < holders ? sources : holders;
    possible = possible && least <= most;
    (out ? least_both : least_in) += count * least;
    (out ? most_both : most_in) += count * most;
    (out ? holders_both : holders_in) += count * holders;
  };
  const bool alone = ins + outs == 1;
  gpu(r.in0, r.out0, 1, r.tokens - 1, migration || alone ? 0 : 1, outs - (r.out0 ? 1 : 0) - (migration ? 1 : 0));
  if (migration) { gpu(r.in1, true, 1, r.tokens, 1, outs - 1); }
  gpu(true, false, r.in, r.tokens, 1, outs);
  gpu(false, true, r.out, r.tokens, 0, 0);
  gpu(true, true, r.both, r.tokens, 1, outs - 1);
  if (!possible || edges < least_both + least_in || edges > most_both + most_in) { return; }
  const std::int32_t at_both = edges - most_in > least_both ? edges - most_in : least_both;
  const std::int32_t room_both = holders_both - at_both;
  const std::int32_t room = holders_both + holders_in - edges;
  for (std::int32_t more = 0; more <= room && edges + more <= r.length; ++more) {
    const std::int32_t left = r.length - edges - more;
    for (std::int32_t o = 0; o <= holders_out + room_both && o <= left; ++o) {
      const std::int32_t taken = o > holders_out ? o - holders_out : 0;
      const std::int32_t in = room - more - taken;
      if (in >= 0) { set.include(edges + more, o, in < left - o ? in : left - o); }
    }
  }
}

/// Returns the chains of a root in a GPU cluster with state that is copied from GPU to GPU and two copy engines per
/// GPU. Each token holder but the root's has at most one earlier copy, and at most `length` of them have one. Only the
/// empty chain where tokens < 1, where both length and gpus * tokens - 1 are above `max_chain_length`, and for a
/// migration in a cluster of one GPU.
///
/// It is a superset of the true set, since only necessary conditions are asked for. It is equal to that for up to four
/// GPUs, where an exhaustive search has been compared. Cost: gpus^3 combinations * (copies of the longest chain)^2.
/// Source: Elliott 2015, Figure 4.12 and Table 4.2, whose search over all scenarios this replaces.
[[nodiscard]] constexpr auto blocking_chains(chain_root root, std::int32_t gpus, std::int32_t tokens,
                                             std::int32_t length = unlimited_chain_length) noexcept -> chain_set {
  chain_set set;
  set.include(0, 0, 0);
  const std::int32_t special = is_migration(root) ? 2 : 1;
  if (gpus < special || gpus > max_chain_length + 1 || tokens < 1) { return set; }
  const std::int64_t holders = static_cast<std::int64_t>(gpus) * tokens - 1;
  const std::int64_t longest = holders < length ? holders : length;
  if (longest > max_chain_length) { return set; }
  length = static_cast<std::int32_t>(longest);
  tokens = tokens < length + 1 ? tokens : length + 1;  // more of them are never told apart
  const std::int32_t others = gpus - special;
  const bool flips[2] = {false, true};
  for (const bool own : flips) {
    for (const bool source : flips) {
      if (source && special == 1) { continue; }
      detail::reached_engines r{.tokens = tokens, .length = length, .root = root};
      r.in0 = is_out(root) ? own : true;
      r.out0 = is_out(root) ? true : own;
      r.in1 = source;
      for (r.in = 0; r.in <= others; ++r.in) {
        for (r.out = 0; r.in + r.out <= others; ++r.out) {
          for (r.both = 0; r.in + r.out + r.both <= others; ++r.both) { detail::include_chains(set, r); }
        }
      }
    }
  }
  return set;
}

/// Holds the chains of all roots.
struct blocking_chain_table {
  chain_set out;
  chain_set in;
  chain_set migration;

  [[nodiscard]] constexpr auto of(chain_root root) const noexcept -> const chain_set& {
    switch (root) {
      case chain_root::out: return out;
      case chain_root::in: return in;
      case chain_root::migration: break;
    }
    return migration;
  }
};

[[nodiscard]] constexpr auto blocking_chains(std::int32_t gpus, std::int32_t tokens,
                                             std::int32_t length = unlimited_chain_length) noexcept
    -> blocking_chain_table {
  return {blocking_chains(chain_root::out, gpus, tokens, length), blocking_chains(chain_root::in, gpus, tokens, length),
          blocking_chains(chain_root::migration, gpus, tokens, length)};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
