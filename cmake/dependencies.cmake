# The libraries we stand on: the system's package if there is one, else upstream's sources. These are pinned to the
# versions of Debian 12, which the tests run with.
include(FetchContent)

# Provides `target` by `package`; what else FetchContent must know of its sources follows.
function(medallion_need package target url sha256)
  if(NOT TARGET ${target})  # the host may have brought its own
    find_package(${package} QUIET GLOBAL)
  endif()
  if(TARGET ${target})
    return()
  endif()
  if(NOT MEDALLION_FETCH)
    message(FATAL_ERROR "medallion needs ${package}: install it, or let MEDALLION_FETCH=ON download ${url}")
  endif()
  message(STATUS "medallion: no ${package} on this system, taking ${url}")
  set(BUILD_TESTING OFF)
  set(ABSL_PROPAGATE_CXX_STD ON)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(CMAKE_CXX_STANDARD 20)  # Abseil's types follow the standard that it is compiled for
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # the options above are seen by old scripts too
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # and CMake 4 reads these
  set(ZSTD_BUILD_PROGRAMS OFF)
  FetchContent_Declare(${package} SYSTEM URL ${url} URL_HASH SHA256=${sha256} ${ARGN})
  FetchContent_MakeAvailable(${package})
  if(package STREQUAL SQLite3)  # its sources have no build of their own
    add_library(medallion_sqlite3 STATIC ${sqlite3_SOURCE_DIR}/sqlite3.c)
    target_include_directories(medallion_sqlite3 SYSTEM PUBLIC ${sqlite3_SOURCE_DIR})
    target_link_libraries(medallion_sqlite3 PRIVATE ${CMAKE_DL_LIBS} $<$<PLATFORM_ID:Linux>:m>)
    add_library(SQLite::SQLite3 ALIAS medallion_sqlite3)
  endif()
  if(package STREQUAL zstd)  # upstream's names are without namespace
    target_include_directories(libzstd_shared SYSTEM INTERFACE ${zstd_SOURCE_DIR}/lib)
    add_library(zstd::libzstd_shared ALIAS libzstd_shared)
  endif()
  set_property(GLOBAL PROPERTY MEDALLION_FETCHED ON)
endfunction()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED GLOBAL COMPONENTS Crypto)  # has no CMake build, so the system's it is
medallion_need(absl absl::flat_hash_map
  https://github.com/abseil/abseil-cpp/archive/refs/tags/20220623.1.tar.gz
  91ac87d30cc6d79f9ab974c51874a704de9c2647c40f6932597329a282217ba8)
medallion_need(simdjson simdjson::simdjson
  https://github.com/simdjson/simdjson/archive/refs/tags/v3.0.1.tar.gz
  156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed)
medallion_need(nlohmann_json nlohmann_json::nlohmann_json
  https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
  d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
medallion_need(zstd zstd::libzstd_shared
  https://github.com/facebook/zstd/releases/download/v1.5.4/zstd-1.5.4.tar.gz
  0f470992aedad543126d06efab344dc5f3e171893810455787d38347343a4424
  SOURCE_SUBDIR build/cmake)
if(MEDALLION_SQLITE)
  medallion_need(SQLite3 SQLite::SQLite3
    https://www.sqlite.org/2022/sqlite-amalgamation-3400100.zip
    49112cc7328392aa4e3e5dae0b2f6736d0153430143d21f69327788ff4efe734)
endif()
if(MEDALLION_TESTS)
  medallion_need(Catch2 Catch2::Catch2
    https://github.com/catchorg/Catch2/archive/refs/tags/v2.13.10.tar.gz
    d54a712b7b1d7708bc7a819a8e6e47b2fde9536f487b89ccbca295072a7d9943)
endif()
if(MEDALLION_BENCH)
  medallion_need(benchmark benchmark::benchmark
    https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
    6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7)
endif()
