# Every target of this project is compiled through epsfree_compile_options, so that warnings and
# sanitizers are the same everywhere and never leak into a project that links the library.
function(epsfree_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wno-sign-conversion -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # "GCC ivdep" in the kernels.
    target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Collect garbage only when the compiler holds 1 GB: a tenth less time.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong about std::string's operator= and operator+ in GCC 12 (GCC bug 105651), and where much is inlined.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  # AUTO does not depend on who builds, so that whoever builds next compiles nothing again.
  if(EPSFREE_WERROR STREQUAL "AUTO")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
      set(werror ON)
    endif()
  else()
    set(werror ${EPSFREE_WERROR})
  endif()
  if(werror)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(EPSFREE_SANITIZE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC's manual says so itself: with a sanitizer it takes initialised variables for uninitialised ones.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EPSFREE_SANITIZE MATCHES "address.*undefined")
      # Four checks of every pointer cost GCC a third of its time on Eigen's templates. Address
      # sanitizer finds most of what they find, and clang's build of the fuzzers has them all.
      set(unchecked -fno-sanitize=null,alignment,object-size,vptr)
    endif()
    target_compile_options(${target} PRIVATE -fsanitize=${EPSFREE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all ${unchecked})
    target_link_options(${target} PUBLIC -fsanitize=${EPSFREE_SANITIZE})
  endif()
endfunction()
