// Python in this page: packs beside it are read at the first Run, and run in workers. Nothing comes from elsewhere.
// Over http a pack is fetched as bytes; a page opened as a file may load classic scripts alone, so each pack lies
// there as a script too. The other scripts of this folder call `norchLive.python()`; this one knows no cell.
"use strict";
(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const isFile = here.startsWith("file:");
  norchLive.timings = {}; // milliseconds, for tests and the curious

  // The bytes of a pack as a script hands them over: spelled in base64.
  const spelled = {};
  norchLive.pack = (name, text) => { spelled[name] = text; };
  const script = (name) =>
    new Promise((resolve, reject) => {
      const one = document.createElement("script");
      one.onload = () => { one.remove(); resolve(); };
      one.onerror = () => reject(new Error(`${name} did not load: read this page from its book`));
      one.src = `${here}${name}?${norchLive.version}`;
      document.head.append(one);
    });

  async function fromScript(name) {
    await script(`${name}.js`);
    const binary = atob(spelled[name]);
    delete spelled[name];
    const found = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) found[i] = binary.charCodeAt(i);
    return found;
  }

  async function fromServer(name, size, told) {
    const answer = await fetch(`${here}${name}.pack?${norchLive.version}`);
    if (!answer.ok) throw new Error(`${name}.pack did not load: ${answer.status} ${answer.statusText}`);
    const found = new Uint8Array(size);
    let at = 0;
    for (const reader = answer.body.getReader(); ; told(at)) {
      const { done, value } = await reader.read();
      if (done) return found;
      found.set(value, at);
      at += value.length;
    }
  }

  const unpacked = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));

  // The parts of a pack by name, each still compressed.
  async function read(name, told) {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to run Python here");
    const parts = norchLive.packs[name];
    const size = parts.reduce((sum, [, count]) => sum + count, 0);
    const bytes = await (isFile ? fromScript(name) : fromServer(name, size, told));
    let at = 0;
    return Object.fromEntries(parts.map(([part, count]) => [part, bytes.subarray(at, (at += count))]));
  }

  Object.assign(norchLive, { read, unpacked }); // for clang.js

  async function runtime(told) {
    const parts = await read("runtime", told);
    const headers = { "Content-Type": "application/wasm" };
    const wasm = new Response(unpacked(parts["pyodide.asm.wasm"]).body, { headers });
    const module = await WebAssembly.compileStreaming(wasm);
    const code = [];
    for (const name of ["pyodide.asm.js", "pyodide.js", "worker.js"]) code.push(await unpacked(parts[name]).text(), "\n;\n");
    const library = new Uint8Array(await unpacked(parts["python_stdlib.zip"]).arrayBuffer());
    return { module, library, url: URL.createObjectURL(new Blob(code, { type: "text/javascript" })) };
  }

  const archive = async (name, told) =>
    new Uint8Array(await unpacked((await read(name, told))[`${name}.tar`]).arrayBuffer());

  // Each pack is read once; one that failed is asked for again.
  const reading = {};
  const pack = (name, told) => {
    reading[name] ||= (name === "runtime" ? runtime : (tell) => archive(name, tell))(told);
    reading[name].catch(() => { delete reading[name]; });
    return reading[name];
  };

  async function files(needs, heard) {
    const loaded = {};
    const sum = (sizes) => sizes.reduce((a, b) => a + b, 0);
    const total = sum(["runtime", ...needs].map((name) => sum(norchLive.packs[name].map(([, size]) => size))));
    const tell = (name) => (at) => { loaded[name] = at; heard({ kind: "progress", done: sum(Object.values(loaded)), total, words: "loading Python" }); };
    const [first, ...archives] = await Promise.all(["runtime", ...needs].map((name) => pack(name, tell(name))));
    return { ...first, archives };
  }

  // One Python. `ask` resolves with its answer, tells what comes before that to `heard`, and rejects when
  // Python crashed or was ended (`isOurs`: by a fault of the course, not of the reader). With a limit it resolves with {late: true} when no answer came in so many
  // seconds after the judging began: what comes before that is not the answer's time.
  class Python {
    constructor(url, needs) {
      this.worker = new Worker(url);
      this.needs = needs;
      this.ranks = []; // Pythons that a cell of this one has started
    }

    ask(message, heard = () => {}, limit = 0) {
      return new Promise((resolve, reject) => {
        let timer = 0;
        this.fail = (words, isOurs) => { clearTimeout(timer); reject(Object.assign(new Error(words), { isOurs })); };
        this.worker.onerror = (event) => this.fail(event.message || "Python did not start");
        this.worker.onmessage = ({ data }) => {
          if (data.kind === "crashed") return this.fail(data.text, data.isOurs);
          if (data.kind === "judging" && limit) timer = setTimeout(() => resolve({ late: true }), limit * 1000);
          if (data.kind === "ranks") return norchLive.ranks(this, data);
          if (data.kind !== "done") return heard(data);
          clearTimeout(timer);
          resolve(data);
        };
        this.worker.postMessage(message, (message.ports ?? []).filter((port) => port));
      });
    }

    end(words = "ended") {
      this.isOver = true;
      this.worker.terminate();
      for (const one of this.ranks) one.end(words);
      if (this.fail) this.fail(words);
    }
  }

  // A Python with these packs; `heard` gets messages {kind: "progress", done, total, words} while they load. The memory of
  // the page's first Python, as it is once the course is imported, is where all others begin.
  let snapshot = null;
  norchLive.python = async (heard = () => {}, needs = norchLive.needs) => {
    const began = performance.now();
    const { url, module, library, archives } = await files(needs, heard);
    norchLive.timings.read = performance.now() - began;
    const one = new Python(url, needs);
    const { info, path } = norchLive;
    const start = { do: "start", module, library, archives, snapshot, info, path };
    const kept = ({ kind, buffer }) => { if (kind === "snapshot") snapshot = new Uint8Array(buffer); };
    norchLive.versionOfPython = (await one.ask(start, kept)).version;
    norchLive.timings.started = performance.now() - began - norchLive.timings.read;
    return one;
  };
})();
