# cmake -DPRESET=... -DSOURCE=... -DFOLDER=... -DCTEST=... [-DOPTION=...] -P run_preset.cmake: configures, builds and tests a
# preset in a folder.
foreach(step IN ITEMS "${CMAKE_COMMAND};--preset;${PRESET};-B;${FOLDER};${OPTION}" "${CMAKE_COMMAND};--build;${FOLDER}"
    "${CTEST};--test-dir;${FOLDER};--output-on-failure;--no-tests=error")
  execute_process(COMMAND ${step} WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
