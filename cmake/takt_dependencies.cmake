# takt_require(<package> <Debian package> <Conan/vcpkg name> [COMPONENTS ...] [target]): find a package, or stop with
# one sentence that says how to get it.
macro(takt_require package debian elsewhere)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "takt needs ${package}: install the Debian package ${debian}, or ${elsewhere} by Conan or vcpkg.")
  endif()
endmacro()

takt_require(Boost libboost-dev boost-hana)
# Bare metal has no threads, and no runtime/.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Generic")
  find_package(Threads REQUIRED)
  find_package(Eigen3 QUIET NO_MODULE)  # for takt::training only
  find_package(range-v3 QUIET)          # for takt::report only
endif()
