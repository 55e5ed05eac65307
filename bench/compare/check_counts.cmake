# Runs medallion_compare on a small feed: what medallion_feed says that it planted must be what is found.
# cmake -D FEED=… -D COMPARE=… -D FILE=… -P check_counts.cmake
execute_process(COMMAND ${FEED} --flat 3000 OUTPUT_FILE ${FILE} ERROR_VARIABLE planted COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPARE} ${FILE} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)

string(REGEX MATCH "([0-9]+) events: ([0-9]+) technical and ([0-9]+) business duplicates, ([0-9]+) conflicts, ([0-9]+) invalid; ([0-9]+) sessions"
  read "${planted}")
if(NOT read)
  message(FATAL_ERROR "medallion_feed said: ${planted}")
endif()
set(events ${CMAKE_MATCH_1})
set(technical_duplicates ${CMAKE_MATCH_2})
set(business_duplicates ${CMAKE_MATCH_3})
set(conflicts ${CMAKE_MATCH_4})
math(EXPR quarantined "${CMAKE_MATCH_4} + ${CMAKE_MATCH_5}")
math(EXPR silver "${events} - ${technical_duplicates} - ${business_duplicates} - ${quarantined}")
set(sessions ${CMAKE_MATCH_6})
foreach(name events silver technical_duplicates business_duplicates quarantined conflicts sessions)
  string(JSON value GET "${found}" answer ${name})
  if(NOT value EQUAL ${name})
    message(SEND_ERROR "${name}: planted ${${name}}, found ${value}")
  endif()
endforeach()
