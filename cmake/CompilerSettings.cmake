# The interface target `tributary_settings` carries warnings and sanitizers to every target.
add_library(tributary_settings INTERFACE)
target_include_directories(tributary_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(tributary_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough)
if(TRIBUTARY_WERROR)
  target_compile_options(tributary_settings INTERFACE -Werror)
endif()
if(TRIBUTARY_FAULTS)
  target_compile_definitions(tributary_settings INTERFACE TRIBUTARY_FAULTS=1)
endif()
if(TRIBUTARY_SANITIZE)
  target_compile_options(tributary_settings INTERFACE
    -fsanitize=${TRIBUTARY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tributary_settings INTERFACE -fsanitize=${TRIBUTARY_SANITIZE})
endif()

# tributary_part(NAME files...): one folder of src/ that knows nothing of MPI.
function(tributary_part NAME)
  add_library(tributary_${NAME} STATIC ${ARGN})
  target_link_libraries(tributary_${NAME} PUBLIC tributary_settings)
endfunction()
