// "Open it live" at the program as of a section: its files in an editor, and lines that run on them
// in the page's Python. The files are read from the listings of the page; those of the chapters
// before are loaded when a step is opened. Without live pages: nothing.
"use strict";
(() => {
  const told = document.getElementById(location.hash.slice(1));
  if (told?.matches("details.step")) told.open = true; // a link from the page of all steps
  const live = window.norchLive;
  if (!live?.python) return;
  const { make, button, editor, Clock, Progress, showIn } = live;
  const FILES_HELP = "What you change here runs with the next Run. Tab indents. "
    + "To leave with the keyboard: Esc, then Tab.";
  const HERE = document.currentScript.src; // the files of the chapters before lie beside it

  // One Python for the steps of a page: each Run puts its own program there, so one runs at a time.
  let python = null; // the promise of it, from the first Run on
  let running = null; // the opened step that runs
  const opened = [];

  // End the Python, also one that is only starting.
  function endPython(words) {
    python?.then((kernel) => kernel.end(words), () => {});
    python = null;
  }

  // Say which step runs now; null when none does.
  function setRunning(step) {
    running = step;
    for (const one of opened) one.runs.disabled = step !== null;
  }

  // The program of each step: its own listings over those of the steps above it in the page.
  const programs = new Map();
  let files = {};
  for (const box of document.querySelectorAll("details.step")) {
    files = { ...files };
    for (const pre of box.querySelectorAll("pre[data-path]")) {
      files[pre.dataset.path] = pre.textContent;
    }
    programs.set(box, files);
  }

  // The files of the chapters before, which the first step of a page names. A failed try is made
  // again.
  let earlier = null;
  function filesBefore() {
    const name = JSON.parse(document.querySelector("details.step script").textContent).before;
    earlier ??= !name ? Promise.resolve({}) : new Promise((done, fail) => {
      window.norchSteps.before = done;
      const script = document.createElement("script");
      script.onerror = () => fail(new Error("the files of the chapters before did not load"));
      script.src = new URL(name, HERE).href;
      document.head.append(script);
    });
    earlier.catch(() => { earlier = null; });
    return earlier;
  }

  // A listing gets its colours when it is unfolded; its marks stay.
  function colour(pre) {
    for (const part of [...pre.childNodes]) {
      const nodes = live.coloured(part.textContent);
      if (part.nodeType === Node.TEXT_NODE) part.replaceWith(...nodes);
      else part.replaceChildren(...nodes);
    }
  }
  for (const one of document.querySelectorAll(".step-file")) {
    const colours = () => one.querySelectorAll("pre").forEach(colour);
    one.addEventListener("toggle", colours, { once: true });
  }

  class Opened {
    constructor(box, files) {
      const { id, file, run } = JSON.parse(box.querySelector("script").textContent);
      Object.assign(this, { id, original: files, files: { ...files }, lines: run });
      const paths = Object.keys(files).sort();
      const options = paths.map((path) => make("option", { value: path }, path));
      this.choice = make("select", { "aria-label": `File of program ${id}` }, ...options);
      this.choice.value = file;
      this.choice.addEventListener("change", () => this.show());
      const edited = (text) => this.edited(text);
      const fileName = `File of program ${id}, as text`;
      this.file = editor("", fileName, () => this.run(), edited, FILES_HELP);
      this.code = editor(run, `Lines to run on program ${id}`, () => this.run(), () => {});
      this.status = make("span", { class: "live-status", role: "status" });
      this.clock = new Clock();
      this.progress = new Progress(`Progress of program ${id}`);
      this.runs = button("Run", `Run program ${id}`, () => this.run());
      this.stops = button("Stop", `Stop program ${id}`, () => this.stop());
      this.stops.hidden = true;
      this.resets = button("Reset", `Reset program ${id}`, () => this.reset());
      const bar = [this.runs, this.stops, this.resets, this.status, this.clock.element];
      const label = `Output of program ${id}`;
      this.output = make("div", { class: "live-output", role: "region", "aria-label": label });
      this.element = make("div", { class: "step-open" },
        make("label", {}, "File", this.choice), this.file.box, this.file.note,
        make("p", { class: "step-say" }, "Lines to run on it:"), this.code.box, this.code.note,
        make("div", { class: "live-bar" }, ...bar), this.progress.element, this.output);
      this.show();
      opened.push(this);
      this.runs.disabled = running !== null;
    }

    show() {
      this.file.set(this.files[this.choice.value]);
    }

    edited(text) {
      this.files[this.choice.value] = text;
      const paths = Object.keys(this.files);
      const changed = paths.filter((path) => this.files[path] !== this.original[path]);
      this.status.textContent = changed.length ? `changed: ${changed.join(", ")}` : "";
    }

    reset() {
      this.files = { ...this.original };
      this.code.set(this.lines);
      this.show();
      this.status.textContent = "as it was";
    }

    // The Run itself ends: what waits for an answer is told so.
    stop() {
      this.halt(new Error("stopped"));
    }

    // Put the files in norch's place, then run the lines: two questions to one Python.
    async ask() {
      if (!python) this.status.textContent = "starting Python in this page ...";
      const heard = (message) => running === this && this.progress.show(message);
      python ??= live.python(heard, ["course"]);
      const mine = python;
      const kernel = await mine;
      if (mine !== python) throw new Error("stopped"); // while it started
      this.progress.end();
      this.status.textContent = "running ...";
      const hear = (message) => showIn(this.output, message);
      const given = { do: "cell", name: `<program ${this.id}>`, page: live.page };
      const files = JSON.stringify(JSON.stringify(this.files));
      const code = `files = ${files}\n${window.norchSteps.here}`;
      const ready = await kernel.ask({ ...given, code }, hear);
      return ready.error ? ready : kernel.ask({ ...given, code: this.code.area.value }, hear);
    }

    async run() {
      if (running) return;
      setRunning(this);
      this.stops.hidden = false;
      this.output.replaceChildren();
      this.clock.start();
      const halted = new Promise((_, fail) => { this.halt = fail; });
      try {
        const found = await Promise.race([this.ask(), halted]);
        showIn(this.output, found);
        this.status.textContent = found.error ? "an error" : "done";
      } catch (error) {
        endPython(error.message);
        this.status.textContent = error.message;
      }
      this.clock.stop();
      this.progress.end();
      this.stops.hidden = true;
      setRunning(null);
    }
  }

  for (const [box, program] of programs) {
    const { id } = JSON.parse(box.querySelector("script").textContent);
    const status = make("span", { class: "live-status", role: "status" });
    const opens = button("Open it live", `Open it live: program ${id}`, async () => {
      opens.disabled = true; // one editor, however often it is pressed
      status.textContent = "loading ...";
      try {
        const step = new Opened(box, { ...(await filesBefore()), ...program });
        bar.replaceWith(step.element);
        step.choice.focus();
      } catch (error) {
        opens.disabled = false;
        status.textContent = error.message;
      }
    });
    const bar = make("div", { class: "live-bar" }, opens, status);
    box.querySelector("p").after(bar);
  }
})();
