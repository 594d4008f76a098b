# Bare-metal ARM with Debian's gcc-arm-none-eabi.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Boost's headers, and nothing else of the host's /usr/include.
set(takt_boost_only ${CMAKE_BINARY_DIR}/boost-only)
if(NOT EXISTS ${takt_boost_only}/boost)
  find_path(takt_host_boost boost/hana/version.hpp PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
    NO_CMAKE_FIND_ROOT_PATH)
  if(takt_host_boost)
    file(MAKE_DIRECTORY ${takt_boost_only})
    file(CREATE_LINK ${takt_host_boost}/boost ${takt_boost_only}/boost SYMBOLIC)
  endif()
endif()
set(Boost_NO_BOOST_CMAKE ON)
set(Boost_INCLUDE_DIR ${takt_boost_only} CACHE PATH "" FORCE)
