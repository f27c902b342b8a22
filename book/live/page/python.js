// Python in this page: two scripts beside it are read at the first Run, and run in workers.
// Both are classic scripts, because a page opened as a file may not fetch; nothing comes from elsewhere.
// The other scripts of this folder call `norchLive.python()`; this one knows no cell and no exercise.
"use strict";
(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const parts = {}; // what the two scripts hand over: files, packed and spelled in base64
  norchLive.part = (name, text) => { parts[name] = text; };
  norchLive.timings = {}; // milliseconds, for tests and the curious

  const script = (name) =>
    new Promise((resolve, reject) => {
      const one = document.createElement("script");
      one.onload = () => { one.remove(); resolve(); };
      one.onerror = () => reject(new Error(`${name} did not load: read this page from its book`));
      one.src = `${here}${name}?${norchLive.version}`;
      document.head.append(one);
    });

  function unpacked(name) {
    const binary = atob(parts[name]);
    delete parts[name];
    const found = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) found[i] = binary.charCodeAt(i);
    return new Response(new Blob([found]).stream().pipeThrough(new DecompressionStream("gzip")));
  }
  const bytes = async (name) => (name in parts ? new Uint8Array(await unpacked(name).arrayBuffer()) : null);

  async function read() {
    const began = performance.now();
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to run Python here");
    await Promise.all([script("runtime.js"), script("sources.js")]);
    const wasm = new Response(unpacked("pyodide.asm.wasm").body, { headers: { "Content-Type": "application/wasm" } });
    const module = await WebAssembly.compileStreaming(wasm);
    const code = [];
    for (const name of ["pyodide.asm.js", "pyodide.js", "worker.js"]) code.push(await unpacked(name).text(), "\n;\n");
    const [library, snapshot, sources] = await Promise.all(["python_stdlib.zip", "snapshot", "sources.zip"].map(bytes));
    norchLive.timings.read = performance.now() - began;
    const { info, path } = norchLive.runtime;
    const url = URL.createObjectURL(new Blob(code, { type: "text/javascript" }));
    return { url, start: { do: "start", module, library, snapshot, sources, info, path } };
  }
  let reading = null;
  function files() {
    reading ||= read();
    reading.catch(() => { reading = null; });
    return reading;
  }

  // One Python. `ask` resolves with its answer, tells what comes before that to `heard`, and rejects when
  // Python crashed or was ended (`isOurs`: by a fault of the course, not of the reader). With a limit it resolves with {late: true} when no answer came in so many
  // seconds after the judging began: what comes before that is not the answer's time.
  class Python {
    constructor(url) {
      this.worker = new Worker(url);
    }

    ask(message, heard = () => {}, limit = 0) {
      return new Promise((resolve, reject) => {
        let timer = 0;
        this.fail = (words, isOurs) => { clearTimeout(timer); reject(Object.assign(new Error(words), { isOurs })); };
        this.worker.onerror = (event) => this.fail(event.message || "Python did not start");
        this.worker.onmessage = ({ data }) => {
          if (data.kind === "crashed") return this.fail(data.text, data.isOurs);
          if (data.kind === "judging" && limit) timer = setTimeout(() => resolve({ late: true }), limit * 1000);
          if (data.kind !== "done") return heard(data);
          clearTimeout(timer);
          resolve(data);
        };
        this.worker.postMessage(message);
      });
    }

    end(words = "ended") {
      this.worker.terminate();
      if (this.fail) this.fail(words);
    }
  }

  norchLive.python = async () => {
    const { url, start } = await files();
    const began = performance.now();
    const one = new Python(url);
    norchLive.versionOfPython = (await one.ask(start)).version;
    norchLive.timings.started = performance.now() - began;
    return one;
  };
})();
