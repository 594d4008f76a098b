// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/systems/shares/run/messages.hpp>

namespace {

using takt::runtime::decode;
using takt::runtime::deny_reason;
using takt::runtime::encode;
using takt::runtime::share_message;
using takt::runtime::share_message_buffer;
using takt::runtime::share_word;
using kind = takt::runtime::share_message_kind;

constexpr share_message full{.kind = kind::join,
                             .why = deny_reason::closing,
                             .application = 0x0201,
                             .job = 0x06050403,
                             .word = share_word{100, 0x070605},
                             .memory_units = 0xFFFFFFFF,
                             .priority = -2,
                             .deadline = std::numeric_limits<takt::ticks>::min(),
                             .period = 0x0102030405060708};

constexpr auto survives(const share_message& m) -> bool {
  share_message out;
  return decode(encode(m), out) == deny_reason::none && out == m;
}
static_assert(survives(full) && survives({}));

}  // namespace

TEST_CASE("a message has its documented bytes") {
  const share_message_buffer expected{1,    1,    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x05, 0x06, 0x07, 100, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 15,   0,    0,    0,    0,    0,   0,    0,
                                      0,    0,    0,    0x80, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
  CHECK(encode(full) == expected);
}

TEST_CASE("whatever bytes come, they are refused or read back as they are") {
  takt::random_stream random{5};
  int read = 0;
  for (int n = 0; n < 20'000; ++n) {
    share_message_buffer bytes = encode(full);
    const auto spoilt = random.between(0, 3);
    for (takt::ticks k = 0; k < spoilt; ++k) {
      bytes[static_cast<std::size_t>(random.below(40))] = static_cast<std::uint8_t>(random.below(256));
    }
    share_message out;
    if (decode(bytes, out) == deny_reason::none) {
      ++read;
      CHECK(encode(out) == bytes);
    }
  }
  CHECK(read > 0);
  for (std::size_t length = 0; length < 100; ++length) {
    share_message out;
    const std::vector<std::uint8_t> bytes(length, 1);
    CHECK((decode(bytes, out) == deny_reason::none) == false);
  }
  for (std::uint8_t why = 0; why <= static_cast<std::uint8_t>(takt::runtime::last_deny_reason); ++why) {
    CHECK_FALSE(to_string(static_cast<deny_reason>(why)).empty());
  }
}
