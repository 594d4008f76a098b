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
endif()
if(TAKT_REPORT)
  takt_require(range-v3 librange-v3-dev range-v3)
endif()
if(TAKT_TRAINING)
  takt_require(Eigen3 libeigen3-dev eigen NO_MODULE)
endif()
