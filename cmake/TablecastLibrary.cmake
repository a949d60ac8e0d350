# Flags every target gets; nothing here is exported.
add_library(tablecast_flags INTERFACE)
set(TABLECAST_OPTIMISED $<NOT:$<CONFIG:Debug>>)
if(TABLECAST_SANITIZE)
  set(TABLECAST_OPTIMISED 1)
endif()
target_compile_options(tablecast_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${TABLECAST_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-ambiguous-reversed-operator -Wdangling>
  # Optimised builds of g++ 12 warn falsely in std::string and std::optional once it inlines them (GCC bugs 105651,
  # 105562 and their kin); the unoptimised builds and clang still see the real ones.
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,${TABLECAST_OPTIMISED}>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds;-Wno-dangling-pointer;-Wno-free-nonheap-object>")
if(TABLECAST_SANITIZE)
  target_compile_options(tablecast_flags INTERFACE -fsanitize=${TABLECAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tablecast_flags INTERFACE -fsanitize=${TABLECAST_SANITIZE})
endif()

# The only arrows allowed between folders. A folder missing here cannot link.
set(TABLECAST_ARROWS_base       "")
set(TABLECAST_ARROWS_item       base)
set(TABLECAST_ARROWS_formula    item base)
set(TABLECAST_ARROWS_qualifiers formula item base)
set(TABLECAST_ARROWS_store      item base)
set(TABLECAST_ARROWS_formats    store item base)
set(TABLECAST_ARROWS_connector  store qualifiers item base)
set(TABLECAST_ARROWS_odata      connector qualifiers item base)
set(TABLECAST_ARROWS_cli        odata connector formats store qualifiers formula item base)

# tablecast_library(<folder> SOURCES a.cc ... [DEPS base item] [PRIVATE_DEPS PkgConfig::lmdb])
function(tablecast_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT dep IN_LIST TABLECAST_ARROWS_${folder})
      message(FATAL_ERROR "${folder}/ may not depend on ${dep}/ (see cmake/TablecastLibrary.cmake)")
    endif()
  endforeach()
  add_library(tablecast_${folder} STATIC)
  add_library(tablecast::${folder} ALIAS tablecast_${folder})
  target_sources(tablecast_${folder} PRIVATE ${ARG_SOURCES})
  target_include_directories(tablecast_${folder} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ARG_DEPS PREPEND tablecast:: OUTPUT_VARIABLE deps)
  target_link_libraries(tablecast_${folder} PUBLIC ${deps} tl::expected PRIVATE tablecast_flags ${ARG_PRIVATE_DEPS})
endfunction()

# tablecast_test(<folder>/<unit>_test.cc DEPS base ... [PRIVATE_DEPS ...] [LABELS unit]):
# one executable and one ctest per file, path relative to tests/.
function(tablecast_test source)
  cmake_parse_arguments(ARG "" "TIMEOUT" "DEPS;PRIVATE_DEPS;LABELS" ${ARGN})
  string(REGEX REPLACE "[/.]" "_" name "${source}")
  string(REGEX REPLACE "_cc$" "" name "${name}")
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/${source})
  list(TRANSFORM ARG_DEPS PREPEND tablecast::)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} tablecast_flags ${ARG_PRIVATE_DEPS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE TABLECAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# tablecast_fuzz(<unit> DEPS ...): tests/fuzz/<unit>_fuzz.cc; without libFuzzer it replays its corpus.
function(tablecast_fuzz unit)
  cmake_parse_arguments(ARG "" "" "DEPS;PRIVATE_DEPS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND tablecast::)
  set(main ${PROJECT_SOURCE_DIR}/tests/fuzz/standalone_main.cc)
  add_executable(${unit}_fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/${unit}_fuzz.cc $<$<NOT:$<BOOL:${TABLECAST_BUILD_FUZZERS}>>:${main}>)
  target_link_libraries(${unit}_fuzz PRIVATE ${ARG_DEPS} tablecast_flags ${ARG_PRIVATE_DEPS})
  if(TABLECAST_BUILD_FUZZERS)
    target_link_options(${unit}_fuzz PRIVATE -fsanitize=fuzzer)
  else()
    add_test(NAME ${unit}_fuzz_corpus COMMAND ${unit}_fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${unit})
    set_tests_properties(${unit}_fuzz_corpus PROPERTIES LABELS fuzz TIMEOUT 120)
  endif()
endfunction()
