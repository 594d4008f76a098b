# takt_add_library(<target> <link>...): a target of headers below include/. Users know takt_NAME, and takt_system_NAME of
# a published system, as takt::NAME.
function(takt_add_library target)
  string(REGEX REPLACE "^takt_(system_)?" "" name ${target})
  add_library(${target} INTERFACE)
  add_library(takt::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} INTERFACE ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TAKT_LIBRARIES ${target})
endfunction()

add_subdirectory(include/takt)
get_property(takt_libraries GLOBAL PROPERTY TAKT_LIBRARIES)
# What goes beyond takt::takt in the systems that are there.
set(takt_system_libraries ${takt_libraries})
list(FILTER takt_system_libraries INCLUDE REGEX "^takt_system_")
