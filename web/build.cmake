# Builds the pages: npm ci if the lock file is new, then build.mjs, which leaves page.cpp and dashboard.cpp in BINARY.
#   cmake -DNODE=... -DNPM=... -DSOURCE=web -DBINARY=build/.../web -P build.cmake
#
# If npm or esbuild fail (mostly: no network), the program must still build: the sources then hold no page but the reason,
# and are dated back, so that the next build tries again.

function(give_up reason)
  message(WARNING "The pages were not built: ${reason}\n"
                  "Everything else works; `paco report` and `paco serve` will say so. The next build tries again.")
  file(WRITE ${BINARY}/page.cpp "// Written by web/build.cmake in place of a page.\n#include \"report/page.hpp\"\n"
    "std::string_view paco::report::page_template() { return {}; }\n"
    "std::string_view paco::report::page_missing_reason() { return R\"~~~(${reason})~~~\"; }\n")
  file(WRITE ${BINARY}/dashboard.cpp "// Written by web/build.cmake in place of a page.\n#include \"server/page.hpp\"\n"
    "std::string_view paco::server::page_text() { return {}; }\n")
  execute_process(COMMAND touch -d 2000-01-01 ${BINARY}/page.cpp ${BINARY}/dashboard.cpp)
endfunction()

# Packages live in the build folder: the source tree stays as it was checked out.
file(SHA256 ${SOURCE}/package-lock.json lock)
set(stamp ${BINARY}/node_modules/.paco-lock)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL lock)
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${BINARY})
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${BINARY}
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE errors)
  if(failed)
    message(STATUS "${errors}")
    give_up("npm ci failed (is the network there?)")
    return()
  endif()
  file(WRITE ${stamp} ${lock})
endif()

execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${BINARY} ${BINARY} RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(STATUS "${errors}")
  give_up("esbuild failed")
endif()
