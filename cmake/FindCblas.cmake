# OpenBLAS with its C interface, as the target Cblas::Cblas. Only to measure against: the library does without.
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu openblas-pthread)
find_library(CBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread openblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cblas REQUIRED_VARS CBLAS_LIBRARY CBLAS_INCLUDE_DIR)
if(Cblas_FOUND AND NOT TARGET Cblas::Cblas)
  add_library(Cblas::Cblas UNKNOWN IMPORTED)
  set_target_properties(Cblas::Cblas PROPERTIES
    IMPORTED_LOCATION ${CBLAS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${CBLAS_INCLUDE_DIR})
endif()
