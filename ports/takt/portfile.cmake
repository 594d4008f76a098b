# Placeholders until the first release: OWNER, and the hash 0, in place of which vcpkg prints the right one.
vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO OWNER/takt
  REF "v${VERSION}"
  SHA512 0
  HEAD_REF main)

set(VCPKG_BUILD_TYPE release)  # headers only
vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES report TAKT_REPORT training TAKT_TRAINING)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DTAKT_BUILD_TESTS=OFF
    -DTAKT_BUILD_EXAMPLES=OFF
    -DTAKT_BUILD_PROGRAM=OFF
    -DTAKT_BUILD_BENCHMARKS=OFF
    ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/takt)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/share/doc")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
