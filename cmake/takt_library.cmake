# takt::takt: the library without operating system or heap. takt::runtime adds threads, takt::training linear algebra,
# takt::report traces and pictures, which ask by views of range-v3.
file(GLOB_RECURSE takt_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/takt/*.hpp)
set(takt_training_headers ${takt_headers})
list(FILTER takt_training_headers INCLUDE REGEX "/prediction/corun/(fuzzy_fit|training|training_csv|train_application)\\.hpp$")
list(REMOVE_ITEM takt_headers ${takt_training_headers})
set(takt_report_headers ${takt_headers})
list(FILTER takt_report_headers INCLUDE REGEX
  "/(report\\.hpp|report/(chrome_trace|comparison_door|draw|job_stretches|svg_gantt|svg_load|trace_queries|trace_rows)\\.hpp|generation/parameter_views\\.hpp)$")
list(REMOVE_ITEM takt_headers ${takt_report_headers})

add_library(takt INTERFACE)
add_library(takt::takt ALIAS takt)
target_sources(takt INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${takt_headers})
target_compile_features(takt INTERFACE cxx_std_20)
target_link_libraries(takt INTERFACE Boost::headers)

add_library(takt_runtime INTERFACE)
add_library(takt::runtime ALIAS takt_runtime)
set_target_properties(takt_runtime PROPERTIES EXPORT_NAME runtime)
target_link_libraries(takt_runtime INTERFACE takt $<TARGET_NAME_IF_EXISTS:Threads::Threads>)

if(TAKT_TRAINING)
  add_library(takt_training INTERFACE)
  add_library(takt::training ALIAS takt_training)
  set_target_properties(takt_training PROPERTIES EXPORT_NAME training)
  target_sources(takt_training INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${takt_training_headers})
  target_link_libraries(takt_training INTERFACE takt Eigen3::Eigen)
endif()

if(TAKT_REPORT)
  add_library(takt_report INTERFACE)
  add_library(takt::report ALIAS takt_report)
  set_target_properties(takt_report PROPERTIES EXPORT_NAME report)
  target_sources(takt_report INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${takt_report_headers})
  target_link_libraries(takt_report INTERFACE takt range-v3::range-v3)
endif()
