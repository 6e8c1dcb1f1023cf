# The page in the repository is what the command prints.
execute_process(COMMAND ${COMMAND} options --markdown OUTPUT_VARIABLE printed RESULT_VARIABLE code)
file(READ ${PAGE} page)
if(NOT code EQUAL 0 OR NOT printed STREQUAL page)
  message(FATAL_ERROR "${PAGE} is out of date: write it with `dualdict options --markdown > docs/options.md`")
endif()
