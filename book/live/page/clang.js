// C++ in this page: `norchLive.compiled(file, text, say)` makes a module of an answer, or tells what clang said.
// The first call loads clang and shows how far that is; its worker then stays for the next. No exercise is known here.
"use strict";
(() => {
  const PATIENCE = 600; // seconds, as the course has it
  const mega = (bytes) => (bytes / 1e6).toFixed(1);

  function progress(say) {
    const bar = norchLive.make("progress", { "aria-label": "Loading the C++ compiler" });
    const words = document.createTextNode("");
    say("loading the C++ compiler, once ", bar, words);
    return (loaded, total) => {
      bar.max = total;
      bar.value = loaded;
      words.data = ` ${mega(loaded)} of ${mega(total)} MB`;
    };
  }

  class Compiler {
    constructor(files) {
      const code = [files["clang_worker.js"], "\n", files["clang.js"]];
      this.worker = new Worker(URL.createObjectURL(new Blob(code, { type: "text/javascript" })));
      this.started = this.ask({ do: "start", files }, Object.values(files).map((one) => one.buffer));
    }

    ask(message, moved = []) {
      return new Promise((resolve, reject) => {
        this.worker.onerror = (event) => reject(new Error(event.message || "the C++ compiler did not start"));
        this.worker.onmessage = ({ data }) => (data.failed ? reject(new Error(data.failed)) : resolve(data));
        this.worker.postMessage(message, moved);
      });
    }
  }

  let compiler = null;
  async function start(say) {
    const one = new Compiler(await norchLive.files("clang", progress(say)));
    await one.started;
    return one;
  }
  function end() {
    compiler?.then((one) => one.worker.terminate(), () => {});
    compiler = null;
  }

  async function compiled(source, text, say) {
    compiler ||= start(say);
    let timer = 0;
    try {
      const one = await compiler;
      say("compiling in this page ...");
      const late = new Promise((resolve) => { timer = setTimeout(() => resolve({ late: true }), PATIENCE * 1000); });
      const found = await Promise.race([one.ask({ do: "compile", source, text }), late]);
      if (found.late) end();
      say("checking in this page ...");
      return found;
    } catch (error) {
      end(); // the next check begins again
      throw Object.assign(error, { isOurs: true });
    } finally {
      clearTimeout(timer);
    }
  }

  let queue = Promise.resolve(); // one answer after the other
  norchLive.compiled = (...given) => {
    const next = queue.then(() => compiled(...given));
    queue = next.catch(() => {});
    return next;
  };
})();
