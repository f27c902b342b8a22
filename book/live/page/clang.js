// C++ in this page: `norchLive.compiled(file, text, say)` makes a module of an answer, or tells what clang said.
// The first call loads clang and shows how far that is; its worker then stays for the next. No exercise is known here.
"use strict";
(() => {
  const PATIENCE = 600; // seconds, as the course has it
  const mega = (bytes) => (bytes / 1e6).toFixed(1);

  // A page opened as a file hears nothing on the way: its bar then moves without a number.
  function progress(say) {
    const total = norchLive.packs.compiler.reduce((sum, [, count]) => sum + count, 0);
    const bar = norchLive.make("progress", { "aria-label": "Loading the C++ compiler", max: total });
    const words = document.createTextNode(` ${mega(total)} MB`);
    say("loading the C++ compiler, once ", bar, words);
    return (loaded) => {
      bar.value = loaded;
      words.data = ` ${mega(loaded)} of ${mega(total)} MB`;
    };
  }

  class Compiler {
    constructor(code) {
      this.worker = new Worker(URL.createObjectURL(new Blob(code, { type: "text/javascript" })));
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
    if (!norchLive.packs.compiler) throw new Error("this copy of the book was built without a C++ compiler: make check does it");
    const files = await norchLive.read("compiler", progress(say));
    const code = ["clang_worker.js", "clang.js"].map((name) => norchLive.unpacked(files[name]).text());
    const one = new Compiler(await Promise.all(code));
    await one.ask({ do: "start", files }, [files.cpp.buffer]); // one buffer holds them all
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
