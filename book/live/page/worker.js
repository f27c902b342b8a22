// One Python in one worker. The page sends what it needs: nothing is fetched, not even over http.
// Started from a Blob, because a page opened as a file may not start a worker from another file.
"use strict";
let python = null;
const LARGEST = 200000; // characters of a cell's output that are shown
const MEMORY = 512 * 2 ** 20; // bytes: a list without end meets a MemoryError before a phone gives up
const BLOCK = 512; // bytes: what a tar counts in
const say = (kind, rest = {}, given = []) => self.postMessage({ kind, ...rest }, given);

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

// Write the files of a tar below /norch. Their bytes stay where they are until one is written to.
function unpack(tar) {
  const text = new TextDecoder();
  const { FS } = python;
  for (let at = 0; tar[at]; ) {
    const field = (from, size) => text.decode(tar.subarray(at + from, at + from + size)).split("\0")[0];
    const path = ["/norch", field(345, 155), field(0, 100)].filter((one) => one).join("/");
    const size = parseInt(field(124, 12), 8);
    at += BLOCK;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, tar.subarray(at, at + size), { canOwn: true });
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

// A snapshot is the memory of a Python that has started and imported the course. The first Python of a page
// makes it, and all after that begin with it. It cannot hold compiled stages, which therefore come after it.
async function start(given) {
  answerFetches(given);
  limitMemory();
  const options = {
    indexURL: "http://live.invalid/", // never asked
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0", NORCH_NUM_THREADS: "1" },
  };
  const how = given.snapshot ? { _loadSnapshot: given.snapshot } : { _makeSnapshot: true };
  python = await loadPyodide({ ...options, ...how });
  const [course, ...rest] = given.archives;
  unpack(course);
  python.runPython(given.path);
  if (!given.snapshot) {
    python.runPython("import live_cells, live_check");
    const { buffer } = python.makeMemorySnapshot();
    say("snapshot", { buffer }, [buffer]);
  }
  rest.forEach(unpack);
  python.runPython(given.path);
  python.registerJsModule("live_page", asked);
  python.setStdin({ error: false, stdin: () => null }); // input() meets the end of the file
  say("done", { version: python.runPython("import sys; sys.version.split()[0]") });
}

const plain = (proxy) => proxy.toJs({ dict_converter: Object.fromEntries });

// What a cell prints and displays is told as it comes: `line`s, things `shown`, `clear`, `progress`. A cell without
// code is one that no page can run: its stored output stands for it. One that begins with a command may have to
// wait for other Pythons: it may stand still, where the browser can do that.
async function cell({ code, name, page, stored = "" }) {
  let told = 0;
  const tell = (proxy) => {
    const message = plain(proxy);
    told += message.line?.length ?? 0;
    if (told < LARGEST) self.postMessage(message);
  };
  const live = python.pyimport("live_cells");
  let found = {};
  if (code === undefined) live.replay(stored);
  else if (code.startsWith("%%")) {
    const { command } = python.pyimport("live_ranks");
    found = plain(await suspending(command)(code, name, tell, page, stored));
  } else found = plain(live.run(code, name, tell, page));
  if (told >= LARGEST) say("line", { stream: "err", line: "... and more that is not shown", end: "\n" });
  say("done", found);
}

const suspending = (run) => (WebAssembly.Suspending ? (...given) => run.callPromising(...given) : run);

// What a cell asks of the page: a script in several Pythons. The page answers with {do: "said"}.
let answered = null;
const asked = {
  ranks: (size, script, given) =>
    new Promise((resolve) => { answered = resolve; say("ranks", { size, script, given }); }),
};

// One of several Pythons that run a script; ports[k] leads to rank k. A message is heard while Python stands still.
async function rank({ script, given, rank, size, ports }) {
  const came = [];
  let wake = () => {};
  for (const port of ports.filter((one) => one)) port.onmessage = ({ data }) => { came.push(data); wake(); };
  const pause = (moment) => new Promise((resolve) => { wake = resolve; setTimeout(resolve, moment); });
  const send = (to, context, source, tag, data) => ports[to].postMessage([context, source, tag, data], [data.buffer]);
  python.registerJsModule("live_ports", { rank, size, send, pause, take: () => came.shift() });
  const tell = (proxy) => self.postMessage(plain(proxy));
  say("done", plain(await suspending(python.pyimport("live_ranks").run)(script, given, rank, size, tell)));
}

// An answer in C++ is told back to be compiled; the page asks again with what came of that.
function check({ id, body, was, compiled }) {
  const live = python.pyimport("live_check");
  const judging = was ? live.was(was.notes, was.printed, was.problem) : live.here((kind, text) => say(kind, { text }));
  const { module = new Uint8Array(), said, late } = compiled ?? {};
  const made = compiled && live.Compiled(python.toPy(module), said, Boolean(late));
  say("done", { verdict: JSON.parse(live.check(id, body, judging, made)) });
}

// Call a function of a module of ours; what it tells on its way comes as messages, JSON both ways.
function call({ module, name, given }) {
  const tell = (kind, value) => say(kind, { value: JSON.parse(value) });
  say("done", { value: JSON.parse(python.pyimport(module)[name](JSON.stringify(given ?? {}), tell)) });
}

// The reader's answers as a folder, and a folder's answers: a name of live_answers.py and what it takes.
function answers({ call, given }) {
  const found = python.pyimport("live_answers")[call](python.toPy(given));
  say("done", { found: found.toJs ? found.toJs() : JSON.parse(found) });
}

let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  if (data.do === "said") return answered(data);
  queue = queue.then(() => ({ start, cell, rank, check, call, answers })[data.do](data)).catch((error) => {
    const text = String((error && error.message) || error).trim();
    // The course catches what an answer raises: an error of Python's that comes to here is the course's own.
    const isOurs = error?.constructor?.name === "PythonError";
    say("crashed", { isOurs, text: isOurs ? text.split("\n").at(-1) : text.split("\n")[0] });
  });
};
