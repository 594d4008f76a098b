// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/locking/ck_omlp.hpp>

using takt::no_request;
using takt::request_id;

TEST_CASE("CK-OMLP: the lowest free replica (C2), else first come, first served (C3), without inheritance") {
  takt::ck_omlp<3, 5> lock{2};
  CHECK(lock.replicas() == 2);
  CHECK(lock.issue(4, {}) == 4);
  CHECK(lock.issue(3, {}) == 3);
  CHECK(lock.replica(4) == 0);
  CHECK(lock.replica(3) == 1);
  CHECK_FALSE(lock.contended(4));
  for (const request_id r : {0, 2, 1}) { CHECK(lock.issue(r, {}) == no_request); }
  CHECK(lock.inheritor(0) == no_request);
  CHECK(lock.contended(3));
  CHECK(lock.withdraw(2) == no_request);
  CHECK(lock.release(3) == 0);
  CHECK(lock.replica(0) == 1);
  CHECK(lock.replica(3) == takt::no_replica);
  CHECK(lock.release(4) == 1);
  CHECK(lock.replica(1) == 0);
  CHECK(lock.release(0) == no_request);
  CHECK(lock.release(1) == no_request);
  CHECK(lock.issue(2, {}) == 2);
  CHECK(lock.replica(2) == 0);
}
