// One Python in one worker. The page sends what it needs: nothing is fetched, not even over http.
// Started from a Blob, because a page opened as a file may not start a worker from another file.
"use strict";
let python = null;
const LARGEST = 200000; // characters of a cell's output that are shown
const MEMORY = 512 * 2 ** 20; // bytes: a list without end meets a MemoryError before a phone gives up
const say = (kind, rest = {}) => self.postMessage({ kind, ...rest });

// Pyodide asks for three files by name, and what is needed of them was sent along.
function answerFetches({ module, library, info }) {
  self.fetch = async (url) => {
    const name = String(url.url || url).split("/").pop();
    const wasm = { headers: { "Content-Type": "application/wasm" } };
    if (name === "pyodide.asm.wasm") return new Response(new Uint8Array(8), wasm); // the module is here
    if (name === "python_stdlib.zip") return new Response(library);
    if (name === "pyodide-lock.json") return new Response(JSON.stringify({ info, packages: {} }));
    throw new TypeError(`there is no network here: ${url}`);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
}

function limitMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > MEMORY) throw new RangeError("this page's memory is used up");
    return grow.call(this, pages);
  };
}

// A snapshot is the memory of a Python that has started and imported the course: it was made when the
// book was built. Without one Python starts from the beginning, which takes some seconds more.
async function start(given) {
  answerFetches(given);
  limitMemory();
  const options = {
    indexURL: "http://live.invalid/", // never asked
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0" },
  };
  python = await loadPyodide(given.snapshot ? { ...options, _loadSnapshot: given.snapshot } : options);
  python.setStdin({ error: false, stdin: () => null }); // input() meets the end of the file
  python.unpackArchive(given.sources, "zip", { extractDir: "/norch" });
  python.runPython(given.path);
  say("done", { version: python.runPython("import sys; sys.version.split()[0]") });
}

function cell({ code, name }) {
  let told = 0;
  const out = (stream) => ({
    batched: (line) => {
      told += line.length + 1;
      if (told < LARGEST) say("line", { stream, line });
    },
  });
  python.setStdout(out("out"));
  python.setStderr(out("err"));
  const found = python.pyimport("live_cells").run(code, name).toJs({ dict_converter: Object.fromEntries });
  if (told >= LARGEST) say("line", { stream: "err", line: "... and more that is not shown" });
  say("done", found);
}

function check({ id, body, was }) {
  const live = python.pyimport("live_check");
  const judging = was ? live.was(was.notes, was.printed, was.problem) : live.here((kind, text) => say(kind, { text }));
  say("done", { verdict: JSON.parse(live.check(id, body, judging)) });
}

let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  queue = queue.then(() => ({ start, cell, check })[data.do](data)).catch((error) => {
    const text = String((error && error.message) || error).trim();
    // The course catches what an answer raises: an error of Python's that comes to here is the course's own.
    const isOurs = error?.constructor?.name === "PythonError";
    say("crashed", { isOurs, text: isOurs ? text.split("\n").at(-1) : text.split("\n")[0] });
  });
};
