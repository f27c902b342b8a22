// Run, Stop and Edit below every cell, and Run all above them. All cells share one Python, as a notebook's do;
// those above that have not run yet run first, and what is asked for meanwhile waits for its turn.
"use strict";
(() => {
  const { make, button, editor, Clock, Progress, showIn } = norchLive;
  const LONG = 10; // seconds after which a cell is said to run still
  const FORGOTTEN = "stopped: all names are forgotten, and come back with the next run";
  const WANTS = { // by the end of a tag that begins with `wants-`; ranks are there
    compiler: "it compiles C++ on the way, and a page has no compiler beside Python",
    data: "it reads a large file that is not in the book",
    time: "it would take a page minutes",
    weights: "it reads the weights of a trained GPT, which this Python has not",
  };
  const HELP = "Tab indents. To leave with the keyboard: Esc, then Tab. Ctrl+Enter runs, Shift+Enter runs and goes on.";
  const cells = [];
  const all = []; // and those that no page can run
  let kernel = null; // the Python of all cells
  let turn = Promise.resolve(); // ends when all that was asked for has run
  let halt = () => {}; // ends the wait for what runs now
  let stops = 0; // how often Stop was pressed: what was asked for before does not run any more

  function stop(words) {
    stops += 1;
    const old = kernel;
    kernel = null;
    for (const one of all) one.ran = false;
    halt(new Error(words));
    if (old) old.end(words);
  }

  class Cell {
    constructor(box, input, number) {
      Object.assign(this, { box, input, number, ran: false, waiting: false });
      this.original = input.querySelector("pre").textContent.replace(/\n$/, "");
      this.status = make("span", { class: "live-status", role: "status" });
      this.clock = new Clock();
      this.progress = new Progress(`Progress of cell ${number}`);
      this.runs = button("Run", `Run cell ${number}`, () => this.run());
      this.stops = button("Stop", `Stop cell ${number}`, () => stop(FORGOTTEN));
      this.stops.hidden = true;
      this.edits = button("Edit", `Edit cell ${number}`, () => (this.editor ? this.close() : this.open()));
      this.bar = make("div", { class: "live-bar" }, this.runs, this.stops, this.edits, this.status, this.clock.element);
      input.after(this.bar, this.progress.element);
      box.addEventListener("keydown", (event) => this.key(event));
      input.addEventListener("dblclick", () => this.open());
    }

    // Keys on the buttons of a cell; its editor has its own.
    key(event) {
      const { key, shiftKey, ctrlKey, metaKey } = event;
      if (key !== "Enter" || event.defaultPrevented || !(shiftKey || ctrlKey || metaKey)) return;
      event.preventDefault();
      this.go(shiftKey);
    }

    go(onwards) {
      this.run();
      const next = onwards && cells[cells.indexOf(this) + 1];
      if (next) (next.editor?.area ?? next.edits).focus();
    }

    say(words) {
      this.status.textContent = words;
    }

    name(words) {
      this.edits.textContent = words;
      this.edits.setAttribute("aria-label", `${words} cell ${this.number}`);
    }

    open() {
      const label = `Code of cell ${this.number}`;
      this.editor = editor(this.original, label, (onwards) => this.go(onwards), () => { this.ran = false; }, HELP);
      this.input.hidden = true;
      this.bar.before(this.editor.box, this.editor.note);
      this.name("Reset");
      this.editor.area.focus();
    }

    close() {
      this.editor.box.remove();
      this.editor.note.remove();
      this.editor = null;
      this.ran = false;
      this.input.hidden = false;
      this.name("Edit");
    }

    // The place of what the cell shows now; the output that the book was built with goes.
    shown() {
      if (!this.output) {
        this.output = make("div", { class: "live-output", role: "region", "aria-label": `Output of cell ${this.number}` });
        const built = this.box.querySelector(".cell_output");
        const replaced = built && (built.closest("details") || built);
        if (replaced) replaced.classList.add("live-replaced");
        (replaced || this.progress.element).after(this.output);
      }
      this.output.replaceChildren();
      return this.output;
    }

    // Run this cell alone; `heard` gets what it tells on its way.
    async evaluate(heard) {
      const code = this.editor ? this.editor.area.value : this.original;
      const stored = this.editor ? "" : this.box.querySelector(".cell_output .stream pre")?.textContent;
      const asked = { do: "cell", code, stored, name: `<cell ${this.number}>`, page: norchLive.page };
      const found = await kernel.ask(asked, heard);
      this.ran = !found.error;
      return found;
    }

    async start() {
      this.say("starting Python in this page ...");
      const mine = stops;
      const started = await norchLive.python((message) => this.progress.show(message));
      if (mine !== stops) return started.end();
      kernel = started;
      this.progress.end();
    }

    // A cell above is run for its names; what it shows stays as it is, unless it fails.
    async runAbove(one) {
      this.say(`running cell ${one.number}, which comes before ...`);
      const found = await one.evaluate((message) => message.kind === "progress" && this.progress.show(message));
      this.progress.end();
      if (!found.error) return;
      showIn(one.shown(), found);
      one.say("an error");
    }

    async evaluateAll() {
      if (!kernel) await this.start();
      for (const one of all.slice(0, all.indexOf(this)).filter((other) => !other.ran)) await this.runAbove(one);
      this.say("running ...");
      const output = this.shown();
      const found = await this.evaluate((message) => {
        if (message.kind === "progress") this.progress.show(message);
        else showIn(output, message);
      });
      showIn(output, found);
      this.say(found.error ? "an error" : output.childNodes.length ? "done" : "done: it printed nothing");
    }

    async take() {
      const mine = stops;
      this.stops.hidden = false;
      this.clock.start();
      const warn = () => this.progress.element.hidden && this.say("still running: is there a loop that never ends? Stop ends it");
      const watch = setTimeout(warn, LONG * 1000);
      try {
        await Promise.race([this.evaluateAll(), new Promise((_, reject) => { halt = reject; })]);
      } catch (error) {
        if (mine === stops) stop();
        this.say(error.message);
      }
      clearTimeout(watch);
      this.clock.stop();
      this.progress.end();
      this.stops.hidden = true;
    }

    // Resolves when the cell has had its turn. What waits when Stop is pressed does not run.
    run() {
      if (this.waiting) return turn;
      this.waiting = true;
      this.runs.disabled = true;
      this.box.setAttribute("aria-busy", "true");
      const [before, mine] = [turn, stops];
      this.say("waits for its turn");
      turn = (async () => {
        await before;
        if (mine === stops) await this.take();
        else this.say("");
        this.waiting = this.runs.disabled = false;
        this.box.removeAttribute("aria-busy");
      })();
      return turn;
    }
  }

  async function runAll(say) {
    const mine = stops;
    for (const [k, one] of cells.entries()) {
      say(`cell ${k + 1} of ${cells.length}`);
      await one.run();
      if (mine !== stops) return say("stopped");
      if (!one.ran) return say(`cell ${one.number} ended in an error`);
    }
    say("done");
  }

  function addRunAll(panel) {
    const status = make("span", { class: "live-status", role: "status" });
    const runs = button("Run all", "Run all cells", async () => {
      [runs.disabled, stopping.hidden] = [true, false];
      await runAll((words) => { status.textContent = words; });
      [runs.disabled, stopping.hidden] = [false, true];
    });
    const stopping = button("Stop", "Stop all cells", () => stop(FORGOTTEN));
    stopping.hidden = true;
    panel.append(make("div", { class: "live-bar" }, runs, stopping, status));
  }

  // A cell that no page can run: what the book was built with stays, and later cells may draw it.
  class Elsewhere {
    constructor(box, input, number, why) {
      Object.assign(this, { number, ran: false });
      this.stored = [...box.querySelectorAll(".cell_output .stream pre")].map((one) => one.textContent).join("");
      input.after(make("p", { class: "live-not-here" }, `This cell does not run in the page: ${why}.`));
    }

    async evaluate() {
      this.ran = true;
      return kernel.ask({ do: "cell", name: `<cell ${this.number}>`, page: norchLive.page, stored: this.stored });
    }
  }

  // Why a cell does not run in a page: its tags say so; nothing where it runs.
  function reason(box) {
    const tag = [...box.classList].find((name) => name.startsWith("tag_wants-"));
    return tag && WANTS[tag.slice("tag_wants-".length)];
  }

  // Cells are numbered as they stand in the page, those that do not run too.
  norchLive.addCells = (panel) => {
    let number = 0;
    for (const box of document.querySelectorAll(".cell")) {
      const input = box.querySelector(".cell_input");
      const text = input?.querySelector("pre")?.textContent;
      if (!text) continue;
      number += 1;
      const why = reason(box);
      if (why) all.push(new Elsewhere(box, input, number, why));
      else all.push(cells[cells.push(new Cell(box, input, number)) - 1]);
    }
    if (cells.length) addRunAll(panel);
  };
})();
