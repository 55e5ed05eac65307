# Flags of our own targets. A host that adds the source tree asks for C++20 by it and nothing else.
function(medallion_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Else simdjson's types are others where a file is not optimized, as tests are.
  target_compile_definitions(${target} PRIVATE SIMDJSON_DEVELOPMENT_CHECKS=0)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${MEDALLION_WERROR}>:-Werror>
      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 sees it in std::string's own code, bug 105651
  endif()
  if(MEDALLION_SANITIZE)
    list(JOIN MEDALLION_SANITIZE , sanitizers)
    target_compile_options(${target} PRIVATE
      -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()

# Has files of this folder optimized so far where the build optimizes for speed, which multiplies the code of templates;
# whatever else CMAKE_CXX_FLAGS_RELEASE says.
function(medallion_optimize level)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
    "$<$<AND:$<CXX_COMPILER_ID:GNU,Clang,AppleClang>,$<CONFIG:Release,RelWithDebInfo>>:${level}>")
endfunction()

# A part of the library: medallion_core is medallion::core, built in or installed.
function(medallion_library target)
  string(REPLACE medallion_ "" name ${target})
  add_library(medallion::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  medallion_target(${target})
  if(NOT MEDALLION_INSTALL)  # a host builds what it links, and no more
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY MEDALLION_LIBRARIES ${target})
endfunction()
