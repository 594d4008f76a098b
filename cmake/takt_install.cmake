include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(takt_config_folder ${CMAKE_INSTALL_DATADIR}/cmake/takt)
# What needs another library is a component to be asked for.
set(takt_always ${takt_libraries})
list(REMOVE_ITEM takt_always takt_report takt_training)
install(TARGETS ${takt_always} EXPORT takt-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET device DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT takt-targets NAMESPACE takt:: DESTINATION ${takt_config_folder})
foreach(component IN ITEMS report training)
  if(TARGET takt_${component})
    install(TARGETS takt_${component} EXPORT takt-${component}-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT takt-${component}-targets NAMESPACE takt:: DESTINATION ${takt_config_folder})
  endif()
endforeach()
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/takt-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/takt-config-version.cmake
  DESTINATION ${takt_config_folder})
install(FILES modules/takt.cppm DESTINATION ${CMAKE_INSTALL_DATADIR}/takt)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The folders of pkg-config know only where they are themselves.
file(RELATIVE_PATH takt_headers_from_pc ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(name IN ITEMS takt takt-runtime)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()
