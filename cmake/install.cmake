include(CMakePackageConfigHelpers)

# Components: `runtime` is what running needs, `development` what compiling against it needs, and `python`
# (python/CMakeLists.txt) the package, which is installed only when asked for.
install(TARGETS dualdict EXPORT dualdictTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET dualdict_mpi)
  install(TARGETS dualdict_mpi EXPORT dualdictTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(DUALDICT_BUILD_COMMAND)
  install(TARGETS dualdict_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  if(DUALDICT_COMMAND_PAGES)  # made by the command itself: cli/CMakeLists.txt
    set(pages ${PROJECT_BINARY_DIR}/share)
    install(FILES ${pages}/dualdict.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
    install(FILES ${pages}/dualdict.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME dualdict COMPONENT runtime)
    install(FILES ${pages}/_dualdict DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
    install(FILES ${pages}/dualdict.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            COMPONENT runtime)
  endif()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
install(EXPORT dualdictTargets NAMESPACE dualdict:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict
        COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dualdictConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/dualdictConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dualdictConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dualdictConfig.cmake ${PROJECT_BINARY_DIR}/dualdictConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dualdict COMPONENT development)

# A static library leaves its own needs to whoever links it, also from C.
set(DUALDICT_PC_LIBS "")
set(DUALDICT_PC_CFLAGS "")
if(dualdict_type STREQUAL "STATIC_LIBRARY")
  set(DUALDICT_PC_LIBS "-lhwy -lz -lpng -ljpeg -lstdc++ -lm -pthread")
  set(DUALDICT_PC_CFLAGS "-DDUALDICT_STATIC")
endif()
# Relative to the file itself, so that an installed tree may be moved and `cmake --install --prefix` may differ.
file(RELATIVE_PATH DUALDICT_PREFIX_FROM_LIBDIR /${CMAKE_INSTALL_LIBDIR} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/dualdict.pc.in ${PROJECT_BINARY_DIR}/dualdict.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dualdict.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
