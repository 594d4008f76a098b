// SPDX-License-Identifier: Apache-2.0
// Includes what needs Eigen.
#include <takt/prediction/corun/fuzzy_fit.hpp>

#include <Eigen/Core>

auto main() -> int { return Eigen::Vector2d{1, 2}.sum() > 2 ? 0 : 1; }
