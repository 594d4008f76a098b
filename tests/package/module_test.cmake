# cmake -DCOMPILER=... -DMODULE=... -DCONSUMER=... -DFLAGS=... -DFOLDER=... -P module_test.cmake: builds the module by itself, then a
# program that imports it, and runs that.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${FOLDER})
# The consumer of the package, with an import for its include.
file(READ ${CONSUMER} text)
string(REPLACE "#include <takt/takt.hpp>\n\n#include <chrono>" "#include <chrono>\n\nimport takt;" text "${text}")
if(NOT text MATCHES "import takt;" OR text MATCHES "#include <takt")
  message(FATAL_ERROR "${CONSUMER} does not begin with the include that the import stands for")
endif()
file(WRITE ${FOLDER}/main.cpp "${text}")
foreach(step IN ITEMS
    "${COMPILER};-std=c++20;${FLAGS};--precompile;${MODULE};-o;${FOLDER}/takt.pcm"
    "${COMPILER};-std=c++20;${FLAGS};-fmodule-file=takt=${FOLDER}/takt.pcm;${FOLDER}/main.cpp;${FOLDER}/takt.pcm;-o;${FOLDER}/consumer"
    "${FOLDER}/consumer")
  execute_process(COMMAND ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
