# Finds each MPI by its compiler wrapper and makes an imported target mpi::<flavour> that
# carries its include folders and its C library, and nothing else: the C++ bindings of the
# wrappers must not get into an injected library.
# Sets TRIBUTARY_MPIS to the flavours found; <FLAVOUR>_MPIEXEC is the launcher.
set(TRIBUTARY_MPIS "")

function(tributary_import_mpi FLAVOUR COMPILE_FLAG LINK_FLAG)
  string(TOUPPER ${FLAVOUR} UPPER)
  find_program(${UPPER}_MPICC mpicc.${FLAVOUR} DOC "C compiler wrapper of ${FLAVOUR}")
  find_program(${UPPER}_MPIFORT mpifort.${FLAVOUR} DOC "Fortran compiler wrapper of ${FLAVOUR}")
  find_program(${UPPER}_MPIEXEC mpirun.${FLAVOUR} DOC "Launcher of ${FLAVOUR}")
  if(NOT ${UPPER}_MPICC OR NOT ${UPPER}_MPIEXEC)
    message(STATUS "MPI ${FLAVOUR}: not found")
    return()
  endif()
  execute_process(COMMAND ${${UPPER}_MPICC} ${COMPILE_FLAG}
    OUTPUT_VARIABLE COMPILE_LINE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${${UPPER}_MPICC} ${LINK_FLAG}
    OUTPUT_VARIABLE LINK_LINE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "-I[^ ]+" INCLUDES "${COMPILE_LINE}")
  string(REGEX REPLACE "-I" "" INCLUDES "${INCLUDES}")
  string(REGEX MATCHALL "-L[^ ]+" FOLDERS "${LINK_LINE}")
  string(REGEX MATCH "-l(mpich|mpi)( |$)" LIBRARY "${LINK_LINE}")
  string(STRIP "${LIBRARY}" LIBRARY)
  add_library(mpi::${FLAVOUR} INTERFACE IMPORTED GLOBAL)
  set_target_properties(mpi::${FLAVOUR} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${INCLUDES}"
    INTERFACE_LINK_OPTIONS "${FOLDERS}"
    INTERFACE_LINK_LIBRARIES "${LIBRARY}"
    INTERFACE_COMPILE_DEFINITIONS "OMPI_SKIP_MPICXX=1;MPICH_SKIP_MPICXX=1")
  list(GET INCLUDES 0 FIRST_INCLUDE)
  set(${UPPER}_MPI_H ${FIRST_INCLUDE}/mpi.h CACHE INTERNAL "")
  message(STATUS "MPI ${FLAVOUR}: ${${UPPER}_MPICC}, ${${UPPER}_MPIEXEC}")
  set(TRIBUTARY_MPIS ${TRIBUTARY_MPIS} ${FLAVOUR} PARENT_SCOPE)
endfunction()

tributary_import_mpi(openmpi --showme:compile --showme:link)
tributary_import_mpi(mpich -compile_info -link_info)
if(NOT TRIBUTARY_MPIS)
  message(FATAL_ERROR "No MPI found: install openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev")
endif()
