# What the two install tests share. SOURCE, WORK and GENERATOR are set by the caller.

# run(command...): fails with what it printed; leaves that in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "status ${status} from: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_output text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "not in the output: ${text}\n${output}")
  endif()
endfunction()

# build(project folder, name, definition...): configures and builds a little project of tests/install.
function(build project name)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/tests/install/${project} -B ${WORK}/${name} -DCMAKE_BUILD_TYPE=Release
      -DEXAMPLES=${SOURCE}/examples ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name} -j 2)
endfunction()
