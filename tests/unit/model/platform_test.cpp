// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/model/platform.hpp>
#include <takt/rules/tags.hpp>

namespace {

using takt::max_units;

/// Whether a platform of one pool has a size that is allowed.
auto stands(const auto& resource, const auto& rule) -> bool {
  const takt::model_error error = takt::platform(takt::pool(resource, rule)).validate();
  CHECK((!error || error.fault == takt::model_fault::platform_size_out_of_range));
  CHECK((!error || error.pool == 0));
  return !error;
}

}  // namespace

TEST_CASE("the sizes of a platform are refused below the least and above the greatest, each for itself") {
  for (const std::int32_t good : {1, max_units}) {
    CHECK(stands(takt::processors(good), takt::edf));
    CHECK(stands(takt::virtual_sms(good, 1), takt::federated));
    CHECK(stands(takt::virtual_sms(1, good), takt::federated));
    CHECK(stands(takt::accelerator(good, 1), takt::edf));
    CHECK(stands(takt::accelerator(1, good), takt::edf));
  }
  for (const std::int32_t wrong : {0, -1, max_units + 1}) {
    CHECK_FALSE(stands(takt::processors(wrong), takt::edf));
    CHECK_FALSE(stands(takt::virtual_sms(wrong, 1), takt::federated));
    CHECK_FALSE(stands(takt::virtual_sms(1, wrong), takt::federated));
    CHECK_FALSE(stands(takt::accelerator(wrong, 1), takt::edf));
    CHECK_FALSE(stands(takt::accelerator(1, wrong), takt::edf));
  }
  CHECK_FALSE(stands(takt::virtual_sms(max_units / 2 + 1, 2), takt::federated));
  CHECK_FALSE(stands(takt::virtual_sms(1, 1, 0), takt::federated));
  CHECK(stands(takt::copy_engines(takt::max_copy_engines), takt::fifo));
  CHECK_FALSE(stands(takt::copy_engines(takt::max_copy_engines + 1), takt::fifo));
  CHECK_FALSE(stands(takt::copy_engines(0), takt::fifo));
}

TEST_CASE("the first pool that is wrong is named") {
  const auto board =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(0), takt::fifo),
                     takt::pool(takt::virtual_sms(0, 1), takt::federated));
  CHECK(board.validate().pool == 1);
}
