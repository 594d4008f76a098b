include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS takt takt_runtime takt_training takt_report EXPORT takt-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT takt-targets NAMESPACE takt:: DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/takt)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/takt-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/takt)
install(DIRECTORY include/takt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.cuh")
