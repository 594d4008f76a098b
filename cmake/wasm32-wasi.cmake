# WebAssembly for hosts with the system interface WASI, with Debian's clang-19, wasi-libc and libc++-19-dev-wasm32.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)

# clang would look into /usr/include last, and find the host's where WASI has no header of a name.
set(wasi_headers /usr/include/wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-nostdlibinc -isystem ${wasi_headers}/c++/v1 -idirafter ${wasi_headers}")

include(${CMAKE_CURRENT_LIST_DIR}/header_links.cmake)
set(takt_host_headers ${CMAKE_BINARY_DIR}/host-headers)
# range-v3 has concepts, meta, range and std.
takt_link_headers(${takt_host_headers} boost nlohmann CLI fmt concepts meta range std)
set(Boost_NO_BOOST_CMAKE ON)
set(Boost_INCLUDE_DIR ${takt_host_headers} CACHE PATH "" FORCE)
