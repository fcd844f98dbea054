# What `cmake --install` puts in place: the program, the public headers, the libraries of the decision layer and a package
# file, so that another project writes
#   find_package(paco REQUIRED)
#   target_link_libraries(mine PRIVATE paco::paco)
# Torch is no part of it: the representation layer is used through the program.
include(CMakePackageConfigHelpers)

add_library(paco_package INTERFACE)
add_library(paco::paco ALIAS paco_package)
set_target_properties(paco_package PROPERTIES EXPORT_NAME paco)
set(package_libraries paco_package)
foreach(folder core math io methods records journal session evaluate)
  if(TARGET paco_${folder})
    set_target_properties(paco_${folder} PROPERTIES EXPORT_NAME ${folder})
    target_link_libraries(paco_package INTERFACE paco_${folder})
    list(APPEND package_libraries paco_${folder})
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/paco)
install(TARGETS ${package_libraries} EXPORT paco COMPONENT library)
install(EXPORT paco NAMESPACE paco:: FILE pacoTargets.cmake DESTINATION ${package_folder} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/paco DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pacoConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_SOURCE_DIR}/cmake/pacoConfig.cmake
  ${PROJECT_BINARY_DIR}/pacoConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT library)
