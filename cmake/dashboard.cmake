# SPDX-License-Identifier: MIT
# web/ is built by npm into build/web and from there into a source file of the target: api/page_files.hpp. Without npm the
# program has a page that says so; all else of it is the same.

option(TIDEMARK_DASHBOARD "build web/ into the program; needs npm and, the first time, its registry" ON)

function(tidemark_dashboard target)
  set(out ${CMAKE_BINARY_DIR}/web)
  find_program(TIDEMARK_NODE node)
  find_program(TIDEMARK_NPM npm)
  file(MAKE_DIRECTORY ${out})
  if(TIDEMARK_DASHBOARD AND TIDEMARK_NODE AND TIDEMARK_NPM)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
    foreach(file IN ITEMS index.html package.json package-lock.json tsconfig.json vite.config.ts embed.mjs)
      list(APPEND sources ${CMAKE_SOURCE_DIR}/web/${file})
    endforeach()
    add_custom_command(
      OUTPUT ${out}/page_files.cpp
      COMMAND ${TIDEMARK_NODE} ${CMAKE_SOURCE_DIR}/web/embed.mjs ${TIDEMARK_NPM} ${out}
      DEPENDS ${sources}
      COMMENT "the dashboard"
      VERBATIM)
  else()
    if(TIDEMARK_DASHBOARD)
      message(WARNING "there is no npm here: the program is built without its dashboard (scripts/install brings it)")
    endif()
    configure_file(${CMAKE_SOURCE_DIR}/web/no_page_files.cpp ${out}/page_files.cpp COPYONLY)
  endif()
  target_sources(${target} PRIVATE ${out}/page_files.cpp)
endfunction()
