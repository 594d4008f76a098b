// SPDX-License-Identifier: Apache-2.0
auto control_step(int measured) -> int;

auto control_step(int measured) -> int { return measured / 2; }
