// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

#include "ending.hpp"
#include "exit_code.hpp"
#include "failure.hpp"

// This target has no exceptions: the compiler drops what catches them, and a `throw` is a call of the functions below.
// They end the instance as main.cpp ends the program.

namespace {

using namespace takt::program;

/// A type with one base that is public and not virtual, as the C++ ABI lays it out.
struct derived_type {
  const void* functions;
  const char* name;
  const std::type_info* base;
};

[[nodiscard]] auto base_of(const std::type_info& type) -> const std::type_info* {
  const bool has_one = std::strcmp(typeid(type).name(), "N10__cxxabiv120__si_class_type_infoE") == 0;
  return has_one ? reinterpret_cast<const derived_type*>(&type)->base : nullptr;
}

/// Ends the call by what was thrown, if it is a `T` or derives from it.
template <class T>
void end_if(const void* object, const std::type_info* type) {
  while (type != nullptr && *type != typeid(T)) { type = base_of(*type); }
  if (type != nullptr) { std::exit(static_cast<int>(ended_by(*static_cast<const T*>(object)))); }
}

[[noreturn]] void end_without_memory() {
  std::fputs("takt: there is not enough memory\n", stderr);
  std::_Exit(static_cast<int>(exit_code::environment));
}

/// The C++ library of this target aborts where it finds none.
const std::new_handler before = std::set_new_handler(end_without_memory);

}  // namespace

extern "C" {

auto __cxa_allocate_exception(std::size_t bytes) noexcept -> void* {
  void* const out = std::malloc(bytes);
  if (out == nullptr) { end_without_memory(); }
  return out;
}

void __cxa_free_exception(void* object) noexcept { std::free(object); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void (* /*destroy*/)(void*)) {
  end_if<input_error>(object, type);
  end_if<nothing_to_run>(object, type);
  end_if<environment_error>(object, type);
  end_if<CLI::Success>(object, type);
  end_if<CLI::ParseError>(object, type);
  end_if<std::exception>(object, type);
  std::exit(static_cast<int>(exit_code::environment));
}

}  // extern "C"
