# Compiler settings and the two functions by which every target of the project is made.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)  # a library is built without waiting for those that it will be linked with

find_program(PACO_CCACHE ccache)
if(PACO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PACO_CCACHE})
endif()

add_library(paco_flags INTERFACE)
target_compile_options(paco_flags INTERFACE -Wall -Wextra -Wshadow -Wpedantic
  # A sum must have the same bits on every machine: no fused multiply-add unless it is written.
  -ffp-contract=off)
# Kernels are compiled again for every instruction set. One that only processors of 2006 have as their best is left out: they
# take what every processor has.
target_compile_definitions(paco_flags INTERFACE HWY_DISABLED_TARGETS=HWY_SSSE3)
if(PACO_WERROR)
  # GCC 12 sees overlapping copies in std::string's own code where there are none.
  target_compile_options(paco_flags INTERFACE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=restrict>)
endif()
# All code has -O2; kernels, the innermost loops that were measured, have -O3. A debug build has neither.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(paco_kernel_options $<$<CONFIG:Release>:-O3>)
if(PACO_SANITIZE)
  set(paco_kernel_options -O1)
  add_compile_options(-fsanitize=${PACO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PACO_SANITIZE})
  # There are many programs, and each is a large one.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld PACO_HAS_LLD)
  if(PACO_HAS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# Most of the time to compile a file goes into the headers it includes, so the files of a library, a program or a test are compiled as few
# texts that include them. While one file is edited over and over, less is compiled without.
option(PACO_UNITY "Compile the files of a library, program or test together" ON)
set(PACO_UNITY_FILES 13 CACHE STRING "How many files are compiled as one text at most")

set(paco_library_options "")
if(NOT PACO_SANITIZE)
  # What a mistake in memory may become: the stack is guarded, copies of the C library check their room, addresses of functions
  # are read-only once the program runs, and jumps land only where a function or a case begins.
  list(APPEND paco_library_options -fstack-protector-strong $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND paco_library_options -fcf-protection=full)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()
if(PACO_FUZZ)  # the fuzzer follows which ways an input takes
  list(APPEND paco_library_options -fsanitize=fuzzer-no-link)
endif()

# paco_compiled_together(TARGET): its files are compiled as few texts, with the headers that most of them include read once.
# Files still include what they use. For targets that use {fmt} and nlohmann-json; not torch, whose definitions would change the
# headers.
function(paco_compiled_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PACO_UNITY} UNITY_BUILD_BATCH_SIZE ${PACO_UNITY_FILES})
  target_compile_options(${target} PRIVATE ${paco_library_options})
  if(NOT TARGET paco_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/paco_headers.cpp CONTENT "")
    add_library(paco_headers OBJECT ${PROJECT_BINARY_DIR}/paco_headers.cpp)
    target_compile_options(paco_headers PRIVATE ${paco_library_options})
    target_link_libraries(paco_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json paco_flags)
    target_precompile_headers(paco_headers PRIVATE <nlohmann/json.hpp> <fmt/format.h> <algorithm> <atomic> <cmath>
      <condition_variable> <deque> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span>
      <sstream> <string> <thread> <unordered_map> <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM paco_headers)
endfunction()

# paco_library(NAME [SOURCES ...] [KERNELS ...] [PUBLIC libs...] [PRIVATE libs...]): one folder of src/. SOURCES are compiled
# together. KERNELS are what is compiled again for every instruction set and the innermost loops: one by one, for in a long text
# the compiler inlines less.
function(paco_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;KERNELS;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_KERNELS})
  set_source_files_properties(${ARG_KERNELS} PROPERTIES COMPILE_OPTIONS "${paco_kernel_options}"
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:paco_flags>)
  set(libraries ${ARG_PUBLIC} ${ARG_PRIVATE})
  if(nlohmann_json::nlohmann_json IN_LIST libraries AND NOT paco_torch IN_LIST libraries)
    paco_compiled_together(${name})
  else()
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${PACO_UNITY} UNITY_BUILD_BATCH_SIZE ${PACO_UNITY_FILES})
    target_compile_options(${name} PRIVATE ${paco_library_options})
  endif()
endfunction()

# The tests' own code: what is tested stays optimised, and is what undefined behaviour is looked for in.
set(paco_test_options $<$<CONFIG:Release>:-O0>)
if(PACO_SANITIZE)
  set(paco_test_options -O0)
endif()
if(PACO_SANITIZE MATCHES undefined)
  list(APPEND paco_test_options -fno-sanitize=undefined)
endif()

# paco_test(NAME LABELS ... SOURCES ... [LIBRARIES ...] [MEMORY] [THREADED FILTER...]): one GoogleTest program, its tests listed
# to ctest one by one. With MEMORY it tests what reads foreign bytes or walks raw memory: it has the label `memory` too, and
# ./test runs it again under the address sanitizer. Tests that a THREADED filter (as of --gtest_filter) names start threads: they
# have the label `threads` too, and ./test deep runs them under the thread sanitizer. The targets `memory_tests` (with most fuzz
# targets) and `threaded_tests` build the programs.
add_custom_target(memory_tests)
add_custom_target(threaded_tests)
function(paco_test name)
  cmake_parse_arguments(ARG "MEMORY" "" "LABELS;SOURCES;LIBRARIES;THREADED" ${ARGN})
  if(ARG_MEMORY)
    add_dependencies(memory_tests ${name})
    list(APPEND ARG_LABELS memory)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main fmt::fmt nlohmann_json::nlohmann_json
    paco_flags)
  target_compile_definitions(${name} PRIVATE
    PACO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PACO_PROGRAM="$<TARGET_FILE:paco>")
  target_compile_options(${name} PRIVATE ${paco_test_options})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PACO_UNITY} UNITY_BUILD_BATCH_SIZE ${PACO_UNITY_FILES})
  if(NOT paco_torch IN_LIST ARG_LIBRARIES)  # its definitions would change the headers
    target_precompile_headers(${name} REUSE_FROM paco_test_headers)
  endif()
  # Of several labels gtest_discover_tests keeps the first, so they are set when ctest has listed the tests.
  function(discover list labels)
    gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST TEST_LIST ${list} ${ARGN})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
foreach(test IN LISTS @list@)
  set_tests_properties("${test}" PROPERTIES LABELS "@labels@" TIMEOUT 600)
endforeach()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
  endfunction()
  if(ARG_THREADED)
    add_dependencies(threaded_tests ${name})
    list(JOIN ARG_THREADED ":" threaded)
    discover(${name}_threaded "${ARG_LABELS};threads" TEST_FILTER "${threaded}")
    discover(${name}_tests "${ARG_LABELS}" TEST_FILTER "-${threaded}")
  else()
    discover(${name}_tests "${ARG_LABELS}")
  endif()
endfunction()
