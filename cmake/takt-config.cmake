include(CMakeFindDependencyMacro)
find_dependency(Boost)
find_dependency(Threads)
find_package(Eigen3 QUIET NO_MODULE)  # for takt::training only
find_package(range-v3 QUIET)          # for takt::report only
include(${CMAKE_CURRENT_LIST_DIR}/takt-targets.cmake)
