# cmake -DPROGRAM=... -DSAYS=... -P run_example.cmake: the program must end well and say something that matches.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE complained)
message("${said}${complained}")
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${code}")
endif()
if(NOT said MATCHES "${SAYS}")
  message(FATAL_ERROR "${PROGRAM} does not say: ${SAYS}")
endif()
