find_program(valgrind valgrind)
if(NOT valgrind)
  message("skipped: valgrind is not installed")
  return()
endif()
# Threads of a pool end with the process, so that a thread's own block may still be there: only what is lost counts.
execute_process(COMMAND ${valgrind} -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible
                        ${PROGRAM} ${FILE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status} under valgrind:\n${output}")
endif()
