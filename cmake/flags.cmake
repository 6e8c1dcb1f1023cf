# Flags of every target. A product and a sum are fused only where the kernels say so: -ffp-contract=off keeps the same
# source giving the same bits under every compiler and instruction set.
add_library(dualdict_flags INTERFACE)
target_compile_options(dualdict_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off)
if(CMAKE_UNITY_BUILD)
  # In one large unit a name of a source looks like one of a header to this warning.
  target_compile_options(dualdict_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(DUALDICT_WARNINGS_AS_ERRORS)
  target_compile_options(dualdict_flags INTERFACE -Werror)
endif()

set(DUALDICT_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(DUALDICT_SANITIZE)
  target_compile_options(dualdict_flags INTERFACE -fsanitize=${DUALDICT_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(dualdict_flags INTERFACE -fsanitize=${DUALDICT_SANITIZE})
  # Between the calls of a sanitizer g++ 12 sees strings that are longer than their buffers where there are none.
  foreach(warning array-bounds stringop-overflow stringop-overread)
    target_compile_options(dualdict_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=${warning}>)
  endforeach()
endif()
