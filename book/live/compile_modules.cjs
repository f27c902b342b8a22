// Compile the Python that pages load, in Pyodide itself: `node compile_modules.cjs PYODIDE SOURCES.tar PYTHON OUT.tar`.
// packing.py calls it when the book is built. A page then loads what is compiled here, and compiles nothing of it.
"use strict";
const { readFileSync, writeFileSync } = require("node:fs");
const { resolve } = require("node:path");

async function main([folder, sources, own, out]) {
  const { loadPyodide } = require(resolve(folder, "pyodide.js"));
  const { info } = JSON.parse(readFileSync(resolve(folder, "pyodide-lock.json"), "utf8"));
  const python = await loadPyodide({
    indexURL: resolve(folder),
    lockFileContents: JSON.stringify({ info, packages: {} }),
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0", NORCH_NUM_THREADS: "1" }, // as worker.js has it
  });
  python.unpackArchive(new Uint8Array(readFileSync(sources)), "tar", { extractDir: "/norch" });
  for (const name of ["live_path.py", "live_compile.py"]) python.runPython(readFileSync(resolve(own, name), "utf8"));
  writeFileSync(out, python.FS.readFile("/compiled.tar"));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(String(error.message || error).trim());
  process.exit(1);
});
