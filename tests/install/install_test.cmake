# Installs the built tree into an empty prefix, moves it, and uses it as a stranger would: find_package and pkg-config, from C++
# and C. tests/install/run_all has the projects that must compile the library again.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first_prefix)
# The copy must not lean on the place where it was put first.
file(RENAME ${WORK}/first_prefix ${prefix})

build(consumer consumer -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
run(${WORK}/consumer/consumer)
expect_output("greedy")
build(c_consumer c_consumer -DCMAKE_PREFIX_PATH=${prefix})
run(${WORK}/c_consumer/consumer ${WORK}/c.safetensors)
expect_output("mean .x - decoded")

if(EXISTS ${prefix}/bin/dualdict)
  run(${prefix}/bin/dualdict --version)
  expect_output("${VERSION}")
  foreach(page share/man/man1/dualdict.1 share/bash-completion/completions/dualdict share/zsh/site-functions/_dualdict
          share/fish/vendor_completions.d/dualdict.fish)
    file(READ ${prefix}/${page} text)
    if(NOT text MATCHES "inner.*tolerance")
      message(FATAL_ERROR "installed, but without options: ${page}")
    endif()
  endforeach()
endif()

# Only what belongs there: the tests built a Python module too, which comes when it is asked for.
file(GLOB_RECURSE files RELATIVE ${prefix} ${prefix}/*)
foreach(file ${files})
  if(NOT file MATCHES "^(include/dualdict\\.h|include/dualdict/[a-z_]+\\.h|bin/dualdict|share/.*dualdict.*|lib.*dualdict.*)$" OR
     file MATCHES "_core")
    message(FATAL_ERROR "installed, but no part of it: ${file}")
  endif()
endforeach()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/runtime --component runtime)
file(GLOB_RECURSE development ${WORK}/runtime/*.h ${WORK}/runtime/*.cmake ${WORK}/runtime/*.pc ${WORK}/runtime/*/libdualdict.so)
if(development)
  message(FATAL_ERROR "in the component runtime: ${development}")
endif()

file(GLOB_RECURSE pc ${prefix}/dualdict.pc)
if(NOT pc)
  message(FATAL_ERROR "no dualdict.pc under ${prefix}")
endif()
get_filename_component(pc_folder ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
run(pkg-config --modversion dualdict)
string(STRIP "${output}" found)
if(NOT found STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${found}, not ${VERSION}")
endif()
run(pkg-config --cflags --libs dualdict)
separate_arguments(flags UNIX_COMMAND "${output}")
get_filename_component(library_folder ${pc_folder} DIRECTORY)
run(${COMPILER} -std=c++20 ${SOURCE}/examples/learn_and_encode.cc ${flags} -Wl,-rpath,${library_folder} -o ${WORK}/by_pkg_config)
run(${WORK}/by_pkg_config)
run(${C_COMPILER} -std=c99 -pedantic -Wall -Wextra -Werror ${SOURCE}/examples/c/learn_and_encode.c ${flags}
    -Wl,-rpath,${library_folder} -o ${WORK}/c_by_pkg_config)
run(${WORK}/c_by_pkg_config ${WORK}/c.safetensors)
# Too old a standard is told in words.
execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only ${SOURCE}/examples/learn_and_encode.cc ${flags}
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "C++17 was accepted")
endif()
expect_output("needs C\\+\\+20")
