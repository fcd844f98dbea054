# What paco needs, in the oldest versions that it is built and tested with: those of Debian 12. A version that is too old is named
# here, at configure time, and not by an error in the middle of the build. tools/packages.txt has the packages; torch, NATS, node
# and pybind11 are looked for where they are used, and what needs them is left out if they are missing.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12) OR
   (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old for paco, which is C++20: "
    "use GCC 12 or clang 14 or newer, e.g. with -DCMAKE_CXX_COMPILER=g++-12")
endif()

# paco_needs(PACKAGE VERSION DEBIAN-PACKAGE [CONFIG]): fails with what is missing and how to get it.
macro(paco_needs package version debian)
  find_package(${package} ${version} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} ${version} or newer is not installed: install ${debian}, or run tools/setup")
  endif()
endmacro()
find_package(Threads REQUIRED)
paco_needs(Boost 1.74 libboost-dev)
paco_needs(CURL 7.85 libcurl4-openssl-dev)
paco_needs(CLI11 2.1 libcli11-dev CONFIG)
paco_needs(fmt 9 libfmt-dev CONFIG)
paco_needs(hwy 1.0.3 libhwy-dev CONFIG)
paco_needs(nlohmann_json 3.11 nlohmann-json3-dev CONFIG)
paco_needs(OpenSSL 3.0 libssl-dev)
paco_needs(SQLite3 3.40 libsqlite3-dev)
if(PACO_BENCH)
  find_package(Cblas REQUIRED)
endif()
