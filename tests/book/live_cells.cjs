// Run the cells of one page in Pyodide as the page's worker does: `node live_cells.cjs JOB`. Tells a line of JSON for
// each cell: what it showed in its order, its value or error, the seconds of processor time, the bytes of memory.
"use strict";
const { readFileSync } = require("node:fs");
const { resolve } = require("node:path");
const MEMORY = 512 * 2 ** 20; // as worker.js has it

function limitMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > MEMORY) throw new RangeError("this page's memory is used up");
    return grow.call(this, pages);
  };
}

async function main(job) {
  const { loadPyodide } = require(resolve(job.pyodide, "pyodide.js"));
  const { info } = JSON.parse(readFileSync(resolve(job.pyodide, "pyodide-lock.json"), "utf8"));
  limitMemory();
  const python = await loadPyodide({
    indexURL: resolve(job.pyodide),
    lockFileContents: JSON.stringify({ info, packages: {} }),
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0" },
  });
  for (const archive of job.archives) python.unpackArchive(new Uint8Array(readFileSync(archive)), "tar", { extractDir: "/norch" });
  python.runPython(job.path);
  const live = python.pyimport("live_cells");
  const plain = (proxy) => proxy.toJs({ dict_converter: Object.fromEntries });
  for (const { code, name, stored } of job.cells) {
    const shown = [];
    const began = process.cpuUsage();
    let found = {};
    if (stored === undefined) found = plain(live.run(code, name, (message) => shown.push(plain(message)), job.page));
    else live.replay(stored);
    const { user, system } = process.cpuUsage(began);
    const [seconds, memory] = [(user + system) / 1e6, python._module.HEAPU8.length];
    console.log(JSON.stringify({ shown, found, seconds, memory }));
  }
}

main(JSON.parse(readFileSync(process.argv[2], "utf8"))).catch((error) => {
  console.error(String(error.stack || error).slice(0, 3000));
  process.exit(1);
});
