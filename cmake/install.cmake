# The package: headers, libraries, and what find_package(medallion) needs. The tool is a component of its own, installed
# on request: cmake --install build/release --component tool
include(CMakePackageConfigHelpers)

get_property(fetched GLOBAL PROPERTY MEDALLION_FETCHED)
if(fetched)
  # The package would name libraries that are nowhere installed.
  message(STATUS "medallion: no install rules, since libraries were downloaded")
  return()
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/medallion)
get_property(libraries GLOBAL PROPERTY MEDALLION_LIBRARIES)
install(TARGETS ${libraries} medallion_all EXPORT medallion)
install(EXPORT medallion NAMESPACE medallion:: DESTINATION ${package} FILE medallion-targets.cmake)
install(DIRECTORY include/ TYPE INCLUDE)

configure_package_config_file(cmake/medallion-config.cmake.in medallion-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(medallion-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/medallion-config.cmake ${PROJECT_BINARY_DIR}/medallion-config-version.cmake
  DESTINATION ${package})
