# Compile for the Pyodide of the pages with zig's clang: `cmake -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake`. What is
# compiled, and with which flags, stages 2 and 4 say themselves; here stands only what differs in a browser.
# make_wasm.py sets NORCH_ZIG (the folder of the package ziglang) and finds Python's headers. No Emscripten is run.
set(CMAKE_SYSTEM_NAME Emscripten)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NORCH_ZIG)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # a program for a browser cannot be linked here

set(lib ${NORCH_ZIG}/lib)
set(CMAKE_CXX_COMPILER ${NORCH_ZIG}/zig clang)
set(CMAKE_CXX_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_CXX_CREATE_STATIC_LIBRARY "${NORCH_ZIG}/zig ar qcs <TARGET> <OBJECTS>")

# musl's headers for a machine of 32 bits with times of 64: Emscripten's own C library is that musl.
set(include -nostdinc -nostdinc++ -include ${CMAKE_CURRENT_LIST_DIR}/include/libcxx.h)
list(APPEND include -isystem ${CMAKE_CURRENT_LIST_DIR}/include)
foreach(folder libcxx/include libcxxabi/include include libc/include/riscv32-linux-musl libc/include/generic-musl)
  list(APPEND include -isystem ${lib}/${folder})
endforeach()

# Exceptions as Pyodide 0.29 has them, and the instructions that every browser which runs it has.
set(machine -fwasm-exceptions -mllvm -wasm-use-legacy-eh=true
  -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext -mmutable-globals)
list(JOIN include " " include)
list(JOIN machine " " machine)
set(CMAKE_CXX_FLAGS_INIT "${machine} ${include} -DNDEBUG -Werror -Wshorten-64-to-32 -Wno-pass-failed")

# A side module: all that it does not define is Pyodide's, and unresolved.py holds it to that.
set(CMAKE_CXX_CREATE_SHARED_MODULE "${NORCH_ZIG}/zig wasm-ld -shared --experimental-pic --no-entry \
--unresolved-symbols=import-dynamic --import-memory -mllvm -wasm-enable-eh -mllvm -wasm-use-legacy-eh=true \
--export-if-defined=PyInit__cpu --export-if-defined=PyInit__core --export-if-defined=__wasm_apply_data_relocs \
--export-if-defined=__wasm_call_ctors --strip-all -O2 <OBJECTS> -o <TARGET>")
