# How files are compiled together: common headers once per target, and the files of a room a few at a
# time. Both only save time; with EPSFREE_PRECOMPILE=OFF and EPSFREE_UNITY=OFF every file is compiled alone
# and finds what it includes, as the build of the fuzzers does.

# epsfree_precompile(<target> <header>), or epsfree_precompile(<target> REUSE_FROM <other target>) where that
# one is compiled with the same flags
function(epsfree_precompile target)
  if(NOT EPSFREE_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
endfunction()

# epsfree_unity(<target> <prefix> <file>...): most of the time goes into templates that every file makes
# again, so files that are compiled together take a third of it. Only the files of one room are compiled
# together; their names in unnamed namespaces must differ (docs/decisions/0020).
function(epsfree_unity target prefix)
  if(NOT EPSFREE_UNITY)
    return()
  endif()
  set(files_at_once 16)
  list(LENGTH ARGN count)
  math(EXPR num_groups "(${count} + ${files_at_once} - 1) / ${files_at_once}")
  set(number 0)
  foreach(file IN LISTS ARGN)
    math(EXPR group "${number} % ${num_groups}")
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${prefix}_${group})
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
