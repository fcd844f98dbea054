# Compiler settings and the two functions by which every target of the project is made.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(PACO_CCACHE ccache)
if(PACO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PACO_CCACHE})
endif()

add_library(paco_flags INTERFACE)
target_compile_options(paco_flags INTERFACE -Wall -Wextra -Wshadow -Wpedantic
  # A sum must have the same bits on every machine: no fused multiply-add unless it is written.
  -ffp-contract=off)
if(PACO_WERROR)
  # GCC 12 sees overlapping copies in std::string's own code where there are none.
  target_compile_options(paco_flags INTERFACE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=restrict>)
endif()
# For code that is slow to optimise and that nothing waits for: half the time to compile.
set(paco_little -O1)
if(PACO_SANITIZE)
  set(paco_little -O0)
  add_compile_options(-fsanitize=${PACO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PACO_SANITIZE})
endif()

# Most of the time to compile a file goes into the headers it includes, so a library's files are compiled as few texts that
# include them. Whoever edits one file over and over compiles less without.
option(PACO_UNITY "Compile the files of a library together" ON)

# paco_library(NAME SOURCES ... [APART ...] [PUBLIC libs...] [PRIVATE libs...]): one folder of src/. APART are sources that share
# no text with others: they use the same names for different things, are compiled again for every instruction set, or are
# where the time goes (in a long text the compiler puts less of what is called in place).
function(paco_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_APART})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PACO_UNITY} UNITY_BUILD_BATCH_SIZE 13)
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:paco_flags>)
  if(PACO_FUZZ)  # the fuzzer follows which ways an input takes
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# The tests' own code: what is tested stays optimised, and is what undefined behaviour is looked for in.
set(paco_test_options ${paco_little})
if(PACO_SANITIZE MATCHES undefined)
  list(APPEND paco_test_options -fno-sanitize=undefined)
endif()

# paco_test(NAME LABELS ... SOURCES ... [LIBRARIES ...] [THREADED FILTER...]): one GoogleTest program, its tests listed to ctest
# one by one. Those that a THREADED filter (as of --gtest_filter) names start threads: they have the label `threads` too, and
# run under the thread sanitizer. The target `threaded_tests` builds their programs.
add_custom_target(threaded_tests)
function(paco_test name)
  cmake_parse_arguments(ARG "" "" "LABELS;SOURCES;LIBRARIES;THREADED" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main fmt::fmt nlohmann_json::nlohmann_json
    paco_flags)
  target_compile_definitions(${name} PRIVATE
    PACO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PACO_PROGRAM="$<TARGET_FILE:paco>")
  target_compile_options(${name} PRIVATE ${paco_test_options})
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
