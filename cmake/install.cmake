include(CMakePackageConfigHelpers)

install(TARGETS dualdict EXPORT dualdictTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET dualdict_mpi)
  install(TARGETS dualdict_mpi EXPORT dualdictTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(DUALDICT_BUILD_COMMAND)
  install(TARGETS dualdict_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dualdict ${PROJECT_BINARY_DIR}/include/dualdict
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT dualdictTargets NAMESPACE dualdict:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dualdictConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/dualdictConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dualdictConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dualdictConfig.cmake ${PROJECT_BINARY_DIR}/dualdictConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict)

# Relative to the file itself, so that an installed tree may be moved and `cmake --install --prefix` may differ.
file(RELATIVE_PATH DUALDICT_PREFIX_FROM_LIBDIR /${CMAKE_INSTALL_LIBDIR} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/dualdict.pc.in ${PROJECT_BINARY_DIR}/dualdict.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dualdict.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
