include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(takt_config_folder ${CMAKE_INSTALL_DATADIR}/cmake/takt)
install(TARGETS takt takt_runtime EXPORT takt-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT takt-targets NAMESPACE takt:: DESTINATION ${takt_config_folder})
if(TARGET takt_report)
  install(TARGETS takt_report EXPORT takt-report-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT takt-report-targets NAMESPACE takt:: DESTINATION ${takt_config_folder})
endif()
if(TARGET takt_training)
  install(TARGETS takt_training EXPORT takt-training-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT takt-training-targets NAMESPACE takt:: DESTINATION ${takt_config_folder})
endif()
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/takt-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  DESTINATION ${takt_config_folder})
install(DIRECTORY include/takt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.cuh")
install(FILES modules/takt.cppm DESTINATION ${CMAKE_INSTALL_DATADIR}/takt)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The folders of pkg-config know only where they are themselves.
file(RELATIVE_PATH takt_headers_from_pc ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(name IN ITEMS takt takt-runtime)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()
