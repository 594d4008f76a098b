// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

using priority_edge = std::int32_t;
inline constexpr priority_edge no_edge = -1;

namespace detail {

/// Heaps over a common stock of items, each of which is in at most one heap; the best priority is on top, and it
/// changes in both directions. Without recursion or allocation.
/// Cost: `best` and `insert` constant, `remove` and `update` amortized logarithmic in the size of the heap.
/// Source: Fredman, Sedgewick, Sleator and Tarjan 1986, pairing heaps.
template <std::size_t Heaps, std::size_t Items>
class priority_heaps {
 public:
  constexpr priority_heaps() noexcept {
    root_.fill(no_edge);
    child_.fill(no_edge);
    next_.fill(no_edge);
    previous_.fill(no_edge);
  }

  /// Returns the best item; `no_edge`: the heap is empty. Pre: 0 <= heap < Heaps.
  [[nodiscard]] constexpr auto best(std::int32_t heap) const noexcept -> priority_edge {
    TAKT_EXPECTS(is_heap(heap));
    return root_[to_index(heap)];
  }
  /// Pre: 0 <= e < Items.
  [[nodiscard]] constexpr auto key(priority_edge e) const noexcept -> const priority_point& {
    TAKT_EXPECTS(is_item(e));
    return key_[to_index(e)];
  }

  /// Pre: e is in no heap.
  constexpr void insert(std::int32_t heap, priority_edge e, const priority_point& key) noexcept {
    TAKT_EXPECTS(is_heap(heap) && is_item(e) && root_[to_index(heap)] != e && is_root(e));
    key_[to_index(e)] = key;
    root_[to_index(heap)] = meld(root_[to_index(heap)], e);
  }

  /// Pre: e is in this heap.
  constexpr void remove(std::int32_t heap, priority_edge e) noexcept {
    TAKT_EXPECTS(is_heap(heap) && is_item(e) && (root_[to_index(heap)] == e || !is_root(e)));
    const priority_edge below = meld_siblings(child_[to_index(e)]);
    child_[to_index(e)] = no_edge;
    if (root_[to_index(heap)] == e) {
      root_[to_index(heap)] = below;
    } else {
      cut(e);
      root_[to_index(heap)] = meld(root_[to_index(heap)], below);
    }
  }

  /// Pre: e is in this heap.
  constexpr void update(std::int32_t heap, priority_edge e, const priority_point& key) noexcept {
    TAKT_EXPECTS(is_heap(heap) && is_item(e) && (root_[to_index(heap)] == e || !is_root(e)));
    if (key == key_[to_index(e)]) { return; }
    if (key < key_[to_index(e)] && root_[to_index(heap)] != e) {
      cut(e);
      insert(heap, e, key);
    } else if (key < key_[to_index(e)]) {
      key_[to_index(e)] = key;
    } else {
      remove(heap, e);
      insert(heap, e, key);
    }
  }

 private:
  [[nodiscard]] static constexpr auto is_heap(std::int32_t heap) noexcept -> bool {
    return heap >= 0 && to_index(heap) < Heaps;
  }
  [[nodiscard]] static constexpr auto is_item(priority_edge e) noexcept -> bool {
    return e >= 0 && to_index(e) < Items;
  }
  /// Returns whether e is the root of a heap, or in no heap.
  [[nodiscard]] constexpr auto is_root(priority_edge e) const noexcept -> bool {
    return previous_[to_index(e)] == no_edge && next_[to_index(e)] == no_edge;
  }

  /// Pre: a and b are roots or `no_edge`.
  constexpr auto meld(priority_edge a, priority_edge b) noexcept -> priority_edge {
    TAKT_EXPECTS((a == no_edge || is_root(a)) && (b == no_edge || is_root(b)));
    if (a == no_edge) { return b; }
    if (b == no_edge) { return a; }
    const priority_edge top = key_[to_index(b)] < key_[to_index(a)] ? b : a;
    const priority_edge under = top == a ? b : a;
    const priority_edge first = child_[to_index(top)];
    next_[to_index(under)] = first;
    previous_[to_index(under)] = top;
    if (first != no_edge) { previous_[to_index(first)] = under; }
    child_[to_index(top)] = under;
    return top;
  }

  /// Takes e with all below it out of its place. Pre: e is not a root.
  constexpr void cut(priority_edge e) noexcept {
    TAKT_EXPECTS(!is_root(e));
    const priority_edge before = previous_[to_index(e)];  // the parent of a first child
    const priority_edge after = next_[to_index(e)];
    if (child_[to_index(before)] == e) {
      child_[to_index(before)] = after;
    } else {
      next_[to_index(before)] = after;
    }
    if (after != no_edge) { previous_[to_index(after)] = before; }
    next_[to_index(e)] = no_edge;
    previous_[to_index(e)] = no_edge;
  }

  /// Makes one heap out of siblings: pairs from the left, then all pairs from the right.
  constexpr auto meld_siblings(priority_edge first) noexcept -> priority_edge {
    priority_edge pairs = no_edge;  // the last one first, chained by `next_`
    while (first != no_edge) {
      const priority_edge second = next_[to_index(first)];
      const priority_edge rest = second == no_edge ? no_edge : next_[to_index(second)];
      detach(first);
      if (second != no_edge) { detach(second); }
      const priority_edge pair = meld(first, second);
      next_[to_index(pair)] = pairs;
      pairs = pair;
      first = rest;
    }
    priority_edge all = no_edge;
    while (pairs != no_edge) {
      const priority_edge rest = next_[to_index(pairs)];
      next_[to_index(pairs)] = no_edge;
      all = meld(all, pairs);
      pairs = rest;
    }
    return all;
  }
  constexpr void detach(priority_edge e) noexcept {
    next_[to_index(e)] = no_edge;
    previous_[to_index(e)] = no_edge;
  }

  std::array<priority_edge, Heaps> root_{};
  std::array<priority_edge, Items> child_{};
  std::array<priority_edge, Items> next_{};
  std::array<priority_edge, Items> previous_{};  ///< the sibling before, or the parent
  std::array<priority_point, Items> key_{};
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
