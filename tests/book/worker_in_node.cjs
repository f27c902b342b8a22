// Check answers by worker.js, the page's own, in Pyodide under node; test_live_judges.py runs it and feeds it answers:
// `node worker_in_node.cjs PYODIDE WORKER.js LIBRARY.zip PATH.py WARM TAR...`, each answer a line of JSON on stdin.
// Every check begins with the memory in which Python has imported WARM and nothing else: each gets a Python of its own.
"use strict";
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { resolve } = require("node:path");

// A worker's script sees `self` and `loadPyodide`; the files that a page sends along lie in a folder here.
function worker(script, folder, stdLibURL) {
  const { loadPyodide } = require(resolve(folder, "pyodide.js"));
  const { info } = JSON.parse(readFileSync(resolve(folder, "pyodide-lock.json"), "utf8"));
  const lockFileContents = JSON.stringify({ info, packages: {} });
  const load = (options) => loadPyodide({ ...options, indexURL: resolve(folder), stdLibURL, lockFileContents });
  const self = {};
  const python = new Function("self", "loadPyodide", `${readFileSync(script, "utf8")}\nreturn () => python;`)(self, load);
  return { self, python };
}

async function main([folder, script, library, path, warm, ...tars]) {
  const { self, python } = worker(script, folder, resolve(library));
  const ask = (data) => new Promise((done, fail) => {
    const told = { note: "", printed: "" };
    self.postMessage = (found) => {
      if (found.kind === "crashed") done({ crashed: found.text, told });
      else if (found.kind === "done") done(found);
      else if (found.kind in told) told[found.kind] += found.text;
      else if (found.kind === "judging") process.stdout.write("judging\n");
    };
    self.onmessage({ data });
  });
  const archives = tars.map((name) => new Uint8Array(readFileSync(name)));
  await ask({ do: "start", archives, path: readFileSync(path, "utf8") });
  python().runPython(warm);
  const memory = () => python()._module.HEAPU8;
  const began = memory().slice();
  for await (const line of createInterface({ input: process.stdin })) {
    memory().set(began);
    memory().fill(0, began.length);
    process.stdout.write(`${JSON.stringify(await ask(JSON.parse(line)))}\n`);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(String(error.stack || error));
  process.exit(1);
});
