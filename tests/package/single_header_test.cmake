# cmake -DPYTHON=... -DCOMPILER=... -DSOURCE=... -DCONSUMER=... -DBOOST=... -DFOLDER=... -P single_header_test.cmake: the one header
# compiles without the others.
cmake_minimum_required(VERSION 3.25)
set(header ${FOLDER}/include/takt/takt.hpp)
execute_process(COMMAND ${PYTHON} ${SOURCE}/scripts/single_header ${header} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${header} text)
if(text MATCHES "#include <takt/[a-z_/]+\\.hpp>")
  message(FATAL_ERROR "${header} still has ${CMAKE_MATCH_0}")
endif()
# /usr/include is found without being named, and must not come before others.
list(REMOVE_ITEM BOOST /usr/include)
list(TRANSFORM BOOST PREPEND -isystem)
file(WRITE ${FOLDER}/other.cpp "#include <takt/takt.hpp>\n")
execute_process(COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Werror -I${FOLDER}/include ${BOOST} ${CONSUMER} ${FOLDER}/other.cpp
  -o ${FOLDER}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FOLDER}/consumer COMMAND_ERROR_IS_FATAL ANY)
