// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tokens that grant parts of a GPU or links under k-FMLP, R2DGLP, CK-OMLP or in order of arrival, and their locks.
#include <takt/takt.hpp>

#include <takt/analysis/tokens/queue_bounds.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_orders.hpp>
