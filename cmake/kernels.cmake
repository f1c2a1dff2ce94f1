# Hot kernels are compiled once per instruction set and chosen at run time (src/base/cpu.hpp), so
# that one package runs on any x86-64 CPU and is fast on a new one.
#
# A kernel file puts everything it defines into namespace epsfree::EPSFREE_ISA and includes neither
# Eigen nor any standard header with templates: an inline function compiled twice under one name
# would let the linker pick the AVX-512 one for an old CPU.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(EPSFREE_ISAS baseline avx2 avx512)
  set(EPSFREE_ISA_FLAGS_baseline "")
  set(EPSFREE_ISA_FLAGS_avx2 -march=x86-64-v3)
  set(EPSFREE_ISA_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
else()
  set(EPSFREE_ISAS baseline)
  set(EPSFREE_ISA_FLAGS_baseline "")
endif()

# epsfree_add_kernels(<name> <file>...): adds the files, once per instruction set, to the library.
function(epsfree_add_kernels name)
  epsfree_add_kernels_to(epsfree ${name} ${ARGN})
endfunction()

# epsfree_add_kernels_to(<target> <name> <file>...): the same for another target, a test program.
function(epsfree_add_kernels_to target name)
  foreach(isa IN LISTS EPSFREE_ISAS)
    set(object epsfree_${name}_${isa})
    add_library(${object} OBJECT ${ARGN})
    epsfree_compile_options(${object})
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(${object} SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR})
    target_compile_definitions(${object} PRIVATE EPSFREE_ISA=${isa})
    # Vectorising exp and sqrt needs -fno-math-errno and -fno-trapping-math; neither changes a value.
    target_compile_options(${object} PRIVATE ${EPSFREE_ISA_FLAGS_${isa}} -O3 -fno-math-errno
                                             -fno-trapping-math)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
