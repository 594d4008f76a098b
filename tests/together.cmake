# SPDX-License-Identifier: Apache-2.0
# cmake -DUNIT=unit.cpp "-DSOURCES=a.cpp|b.cpp" -P together.cmake: one unit of translation from several files of tests.
# What they share is compiled once. Each is included in a namespace of its own, after everything that any of them
# includes.
string(REPLACE "|" ";" SOURCES "${SOURCES}")
set(headers "")
set(bodies "")
set(number 0)
foreach(source IN LISTS SOURCES)
  get_filename_component(folder ${source} DIRECTORY)
  file(STRINGS ${source} lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.+)\"$" "${folder}/\\1" beside "${line}")
    if(EXISTS ${beside})
      set(line "#include \"${beside}\"")
    endif()
    list(APPEND headers "${line}")
  endforeach()
  math(EXPR number "${number} + 1")
  string(APPEND bodies "namespace file_${number} {\n#include \"${source}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(CONFIGURE OUTPUT ${UNIT} CONTENT "${headers}\n${bodies}" @ONLY)
