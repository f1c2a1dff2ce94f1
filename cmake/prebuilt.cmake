# The library of another build directory of the same sources, with the flags of the release preset: the
# Python package of `make test` need not compile it a second time. `pip install .` compiles its own.
include(${EPSFREE_PREBUILT}/epsfreeTargets.cmake)
get_target_property(type epsfree::epsfree TYPE)
if(NOT type STREQUAL "STATIC_LIBRARY")
  message(FATAL_ERROR "EPSFREE_PREBUILT: the library in ${EPSFREE_PREBUILT} is shared; a package needs a static one")
endif()
# The package has no MPI: python/CMakeLists.txt brings no_mpi.cpp, so the linker leaves the archive's MPI out.
get_target_property(libraries epsfree::epsfree INTERFACE_LINK_LIBRARIES)
list(FILTER libraries EXCLUDE REGEX "/libmpi\\.")
set_target_properties(epsfree::epsfree PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
