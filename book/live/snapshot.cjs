// Start Python as a page will, import the course, and keep its memory: `node snapshot.cjs PYODIDE SOURCES PATH OUT`.
// A page that begins from this memory starts in a fraction of the time. The two options with an underscore are
// Pyodide's own and undocumented; its version is pinned, and without a snapshot a page starts the plain way.
"use strict";
const { readFileSync, writeFileSync } = require("node:fs");
const { resolve } = require("node:path");

async function main([folder, sources, path, out]) {
  const { loadPyodide } = require(resolve(folder, "pyodide.js"));
  const { info } = JSON.parse(readFileSync(resolve(folder, "pyodide-lock.json"), "utf8"));
  const python = await loadPyodide({
    _makeSnapshot: true,
    indexURL: resolve(folder),
    lockFileContents: JSON.stringify({ info, packages: {} }),
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0" }, // as worker.js has it
  });
  python.unpackArchive(new Uint8Array(readFileSync(sources)), "zip", { extractDir: "/norch" });
  python.runPython(`${readFileSync(path, "utf8")}\nimport live_cells, live_check`);
  writeFileSync(out, python.makeMemorySnapshot());
}

main(process.argv.slice(2)).catch((error) => {
  console.error(String(error.message || error));
  process.exit(1);
});
