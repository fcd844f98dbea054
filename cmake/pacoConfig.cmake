# Read by find_package(paco): the libraries are static, so what they use has to be found again.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(hwy)
find_dependency(ZLIB)
find_dependency(SQLite3)
include(${CMAKE_CURRENT_LIST_DIR}/pacoTargets.cmake)
