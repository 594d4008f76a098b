// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "../fields.hpp"

namespace takt::program::words {

/// An object of the format and its keys.
struct object {
  std::string_view what;
  std::span<const std::string_view> keys;
};

extern const object top;
extern const object platform;
extern const object cpus;
extern const object core;
extern const object copy_engines;
extern const object gpu;
extern const object resource;
extern const object transfers;
extern const object transfer;
extern const object slots;
extern const object slot;
extern const object overheads;
extern const object task;
extern const object node;
extern const object edge;
extern const object segment;
extern const object copy;
extern const object kernel;
extern const object scaling_row;
extern const object token_section;
extern const object chain;

/// What may stand under a key that chooses.
struct choice {
  std::string_view what;
  std::span<const std::string_view> words;
};

extern const choice sharing;
extern const choice cpu_policy;
extern const choice engine_policy;
extern const choice job_order;
extern const choice protocol;
extern const choice cost_model;
extern const choice gang_order;
extern const choice engine_order;
extern const choice migration;
extern const choice uncontended;
extern const choice share_rules;
extern const choice share_triggers;
extern const choice kernel_width;
extern const choice direction;
extern const choice chain_semantics;

/// The members of an object; `own` are names of resources that stand as keys beside the object's own. Throws where it
/// has a key that is none of them, and names the nearest of all keys of the format.
[[nodiscard]] auto members(const located& v, const object& of, std::span<const std::string_view> own = {}) -> fields;

/// One of the words of a choice. Throws at any other, and says where a word of another choice belongs.
[[nodiscard]] auto read(const located& v, const choice& of) -> std::string_view;

/// All words of a choice, as messages list them.
[[nodiscard]] auto listed(const choice& of) -> std::string;

}  // namespace takt::program::words
