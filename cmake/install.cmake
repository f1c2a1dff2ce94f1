# What `cmake --install` puts in place: headers, library, program, man page, completion, and a package
# config, so that another project can find_package(epsfree) and link epsfree::epsfree.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/epsfree)

install(TARGETS epsfree EXPORT epsfreeTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/epsfree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
                                                                               PATTERN "*.h")
install(PROGRAMS python/epsfree_worker.py DESTINATION ${CMAKE_INSTALL_DATADIR}/epsfree)
# For simulators in plain C: they need nothing else.
install(FILES include/epsfree_plugin.h include/epsfree_worker.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT epsfreeTargets NAMESPACE epsfree:: DESTINATION ${package_dir})
# The same for who links a build directory (cmake/prebuilt.cmake).
export(EXPORT epsfreeTargets NAMESPACE epsfree:: FILE ${PROJECT_BINARY_DIR}/epsfreeTargets.cmake)
configure_package_config_file(cmake/epsfreeConfig.cmake.in ${PROJECT_BINARY_DIR}/epsfreeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/epsfreeConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/epsfreeConfig.cmake ${PROJECT_BINARY_DIR}/epsfreeConfigVersion.cmake
        DESTINATION ${package_dir})

if(TARGET epsfree_cli)
  install(TARGETS epsfree_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/man/epsfree.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES docs/completion/epsfree.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME epsfree)
  if(BUILD_SHARED_LIBS)
    # The installed program finds the library beside it, wherever the prefix is moved to.
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(epsfree_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  endif()
endif()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing what was installed" VERBATIM)
endif()
