// `%%ranks N` in a page: a script in N Pythons, each in a worker of its own, joined by a port to every other.
// live_ranks.py asks for them; what they say to each other goes from worker to worker and not through here.
"use strict";
(() => {
  const LONGEST = 300; // seconds; ends only a hang

  // ports[i][k] leads from rank i to rank k.
  function joined(size) {
    const ports = Array.from({ length: size }, () => []);
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < i; k++) {
        const { port1, port2 } = new MessageChannel();
        [ports[i][k], ports[k][i]] = [port1, port2];
      }
    }
    return ports;
  }

  // Run a script in `size` Pythons and end them; resolves with what they printed, one after the other, and the
  // files that they left.
  // The first that fails ends all.
  async function run(kernel, { size, script, given }) {
    const said = Array(size).fill("");
    const left = [];
    const begin = async (ports, rank) => {
      const one = await norchLive.python(undefined, kernel.needs);
      if (kernel.isOver) return one.end();
      kernel.ranks.push(one);
      const message = { do: "rank", script, given, rank, size, ports };
      const { error, files } = await one.ask(message, ({ line, end }) => { said[rank] += line + end; });
      if (error) throw new Error(error);
      left[rank] = files;
    };
    let timer = 0;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no end after ${LONGEST} seconds`)), LONGEST * 1000);
    });
    try {
      await Promise.race([late, Promise.all(joined(size).map(begin))]);
      return { failed: false, text: said.join(""), left };
    } catch (error) {
      return { failed: true, text: [...said, error.message].join("") };
    } finally {
      clearTimeout(timer);
      kernel.ranks.splice(0).forEach((one) => one.end());
    }
  }

  norchLive.ranks = async (kernel, job) => {
    const found = await run(kernel, job);
    kernel.worker.postMessage({ do: "said", ...found });
  };
})();
