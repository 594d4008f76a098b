// SPDX-License-Identifier: Apache-2.0
// The library of <takt/takt.hpp> and the doors beside it as a module: `import takt;`. Standard and Boost headers belong to no module, so they come first.
module;

#include <array>
#include <boost/hana/for_each.hpp>
#include <boost/hana/front.hpp>
#include <boost/hana/tuple.hpp>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

export module takt;

// What these would include besides has come already.
#if defined(__clang__) && __clang_major__ >= 17
#pragma clang diagnostic ignored "-Winclude-angled-in-module-purview"
#endif

// With extern "C++", names stay those of the headers: units that import and units that include can be linked into one
// program. Clang 16 exports no namespaces from there.
#if defined(__clang__) && __clang_major__ < 17
export {
#else
export extern "C++" {
#endif
#include <takt/takt.hpp>

#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/tokens.hpp>
}
