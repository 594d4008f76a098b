# What the program takt is made of: read by program/CMakeLists.txt, and by playground/CMakeLists.txt for the program in
# a page of the web.
set(takt_program_folder ${CMAKE_CURRENT_LIST_DIR})

# What `takt schema` and `takt new` print is compiled in, byte by byte.
set(takt_schema ${PROJECT_SOURCE_DIR}/docs/schema/takt-1.schema.json)
set(takt_template ${takt_program_folder}/template.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${takt_schema} ${takt_template})
file(READ ${takt_schema} takt_schema_file)
file(READ ${takt_template} takt_template_file)
set(takt_embedded ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
configure_file(${takt_program_folder}/embedded.cpp.in ${takt_embedded} @ONLY)

# The reader and printer of files, which tests use by themselves.
file(GLOB takt_reader_sources CONFIGURE_DEPENDS ${takt_program_folder}/files/*.cpp ${takt_program_folder}/failure.cpp
  ${takt_program_folder}/fields.cpp ${takt_program_folder}/json_value.cpp)

# The commands that need files and nothing else, and those that need threads, processes, other libraries or hours.
file(GLOB_RECURSE takt_portable_sources CONFIGURE_DEPENDS ${takt_program_folder}/*.cpp)
list(REMOVE_ITEM takt_portable_sources ${takt_reader_sources})
set(takt_host_sources ${takt_portable_sources})
set(takt_host_parts "${takt_program_folder}/((generators|host|import|plan|sweep)/|generate\\.cpp$)")
list(FILTER takt_host_sources INCLUDE REGEX ${takt_host_parts})
list(FILTER takt_portable_sources EXCLUDE REGEX ${takt_host_parts})
