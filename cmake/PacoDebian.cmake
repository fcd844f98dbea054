# Debian packages: `cpack -G DEB` in a build folder makes
#   paco                    the program, its manual page, completion for three shells, a service of systemd
#   paco-torch              what needs libtorch: training and networks on a GPU (if the build has it)
#   libpaco-dev             the C++ library and its headers
#   python3-pacodiscovery   the Python package, for the interpreter of this system
# `make release` makes them from a tag, without tests and fault injection.
set(manual_folder ${PROJECT_BINARY_DIR}/manual)
set(manual_pages)
foreach(form "man;paco.1" "bash;paco.bash" "zsh;_paco" "fish;paco.fish")
  list(GET form 0 name)
  list(GET form 1 file)
  add_custom_command(OUTPUT ${manual_folder}/${file} DEPENDS paco
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual_folder}
    COMMAND $<TARGET_FILE:paco> manual ${name} > ${manual_folder}/${file})
  list(APPEND manual_pages ${manual_folder}/${file})
endforeach()
add_custom_command(OUTPUT ${manual_folder}/paco.1.gz DEPENDS ${manual_folder}/paco.1
  COMMAND gzip -9nkf ${manual_folder}/paco.1)
add_custom_command(OUTPUT ${manual_folder}/changelog.gz DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual_folder}
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${manual_folder}/changelog.gz)
# Debian's own changelog has a form of its own and names this version alone.
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
file(CONFIGURE OUTPUT ${manual_folder}/changelog.Debian @ONLY CONTENT
"paco (@PROJECT_VERSION@-1) stable; urgency=medium

  * What changed is in changelog.gz.

 -- the paco authors <paco@localhost>  @date@
")
add_custom_command(OUTPUT ${manual_folder}/changelog.Debian.gz DEPENDS ${manual_folder}/changelog.Debian
  COMMAND gzip -9nkf ${manual_folder}/changelog.Debian)
file(WRITE ${manual_folder}/paco-torch.1 ".so man1/paco.1\n")
add_custom_command(OUTPUT ${manual_folder}/paco-torch.1.gz COMMAND gzip -9nkf ${manual_folder}/paco-torch.1)
list(APPEND manual_pages ${manual_folder}/changelog.Debian.gz ${manual_folder}/paco-torch.1.gz)
add_custom_target(paco_manual ALL DEPENDS ${manual_pages} ${manual_folder}/paco.1.gz ${manual_folder}/changelog.gz)

install(FILES ${manual_folder}/paco.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${manual_folder}/paco-torch.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT torch)
install(FILES ${manual_folder}/paco.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME paco
  COMPONENT program)
install(FILES ${manual_folder}/_paco DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${manual_folder}/paco.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/paco.service DESTINATION lib/systemd/system COMPONENT program)

set(packages program=paco library=libpaco-dev)
if(PACO_HAS_TORCH)
  list(APPEND packages torch=paco-torch)
endif()
if(TARGET paco_python)
  list(APPEND packages python=python3-pacodiscovery)
endif()
set(CPACK_COMPONENTS_ALL)
foreach(entry ${packages})
  string(REPLACE "=" ";" entry ${entry})
  list(GET entry 0 component)
  list(GET entry 1 package)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component})
  install(FILES ${manual_folder}/changelog.gz ${manual_folder}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  # Whoever builds packages for others puts an address of their own into CPACK_PACKAGE_CONTACT.
  file(CONFIGURE OUTPUT ${manual_folder}/${package}.lintian CONTENT
"${package}: bogus-mail-host
${package}: bogus-mail-host-in-debian-changelog
${package}: initial-upload-closes-no-bugs
")
  install(FILES ${manual_folder}/${package}.lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
    RENAME ${package} COMPONENT ${component})
endforeach()

set(CPACK_PACKAGE_NAME paco)
set(CPACK_PACKAGE_VENDOR "the paco authors")
set(CPACK_PACKAGE_CONTACT "the paco authors <paco@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)

set(about "paco learns from a labelled support set and decides on every sample of a
stream at once: a known class, a category that appeared earlier in the
stream, or the start of a new one.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "on-the-fly category discovery
${about}
.
This package has the program, with a server and its page.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "paco-torch, python3-pacodiscovery, npm")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libcurl4 | libcurl3-gnutls")  # opened when something is downloaded
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/packaging/debian/postinst;${PROJECT_SOURCE_DIR}/packaging/debian/postrm")
set(CPACK_COMPONENT_TORCH_DESCRIPTION "on-the-fly category discovery, training with libtorch
${about}
.
This package has the part of the program that needs libtorch: it trains
networks and runs them on a GPU.")
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "paco (= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "on-the-fly category discovery, C++ library
${about}
.
This package has the headers and the static libraries.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libfmt-dev, nlohmann-json3-dev, libhwy-dev, zlib1g-dev, libsqlite3-dev, libxxhash-dev, libssl-dev")
if(TARGET paco_python)
  math(EXPR next "${PACO_PYTHON_MINOR} + 1")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "on-the-fly category discovery, Python package
${about}
.
This package has the module for Python, in the manners of scikit-learn.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${PACO_PYTHON_MINOR}~), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib, python3-sklearn")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst;${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm")
endif()
include(CPack)
