include(CMakeFindDependencyMacro)
find_dependency(Boost)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/takt-targets.cmake)
