// An editor and Check at every exercise: the course's own judge grades, in a Python of its own that is ended
// with the answer. store.js keeps the text. The last script of the folder: it begins.
"use strict";
(() => {
  const { make, button, editor, store, Clock, Progress } = norchLive;
  const WORDS = { wrong: "not yet", todo: "nothing is written yet", "not judged": "not judged" };

  // One Python that `use` asks things, and then ended. `run.end` ends it from outside.
  async function withPython(run, heard, use) {
    const one = await norchLive.python(heard);
    run.end = () => one.end("stopped");
    try {
      if (run.isStopped) throw new Error("stopped");
      return await use(one);
    } finally {
      one.end();
    }
  }

  // Judge in a fresh Python; when that hung or crashed, another one reads what had been told by then.
  // An answer in C++ is compiled in between.
  async function judged(run, id, body, say) {
    const told = { note: "", printed: "" };
    const hear = (message) => {
      if (message.kind in told) told[message.kind] += message.text;
      if (message.kind === "progress") run.progress.show(message);
    };
    const judge = async (one) => {
      const ask = (compiled) => one.ask({ do: "check", id, body, compiled }, hear, norchLive.limit);
      const found = await ask();
      const source = found.verdict?.compile;
      return source ? ask(await norchLive.compiled(...source, say)) : found;
    };
    let problem = "";
    try {
      const found = await withPython(run, hear, judge);
      if (!found.late) return found.verdict;
    } catch (error) {
      if (error.isOurs || run.isStopped) throw error;
      problem = `ended Python (${error.message})`;
    }
    const was = { notes: told.note, printed: told.printed, problem };
    const repeat = (one) => one.ask({ do: "check", id, body, was, compiled: {} }, hear);
    return (await withPython(run, hear, repeat)).verdict;
  }

  class Exercise {
    constructor(box, { id, title, before, hole, after }) {
      Object.assign(this, { box, id, hole, run: null });
      const label = `Your answer to exercise ${id}, ${title}`;
      this.editor = editor(store.text(id) ?? hole, label, () => this.check(), (words) => this.keep(words));
      this.verdict = make("div", { class: "live-verdict", role: "status", "aria-live": "polite", "aria-atomic": "true" });
      this.status = make("span", { class: "live-status", role: "status" });
      this.clock = new Clock();
      this.progress = new Progress(`Progress of exercise ${id}`);
      this.checks = button("Check", `Check exercise ${id}`, () => this.check());
      this.stops = button("Stop", `Stop checking exercise ${id}`, () => this.stop());
      this.stops.hidden = true;
      const hint = button("Hint", `Next hint for exercise ${id}`, () => this.hint());
      const reset = button("Reset", `Reset exercise ${id}`, () => this.reset());
      this.backs = button("Bring my text back", `Bring my text of exercise ${id} back`, () => this.bringBack());
      const bar = make("div", { class: "live-bar" }, this.checks, this.stops, hint, reset, this.backs, this.status, this.clock.element);
      this.place(before, after, bar);
      this.show();
    }

    // The editor stands before the hints; the mark beside the title.
    place(before, after, bar) {
      const { box, id } = this;
      const frame = make("pre", { class: "live-frame", role: "region", tabindex: "0", "aria-label": `What stands before your answer to exercise ${id}` }, before);
      const rest = make("pre", { class: "live-frame" }, after);
      rest.hidden = !after;
      const group = make("div", { class: "live-exercise", role: "group", "aria-label": `Exercise ${id} in this page` });
      group.append(frame, this.editor.box, rest, bar, this.progress.element, this.editor.note, this.verdict);
      box.insertBefore(group, box.querySelector("details"));
      this.mark = make("span", { class: "live-mark" });
      box.querySelector("p").append(" ", this.mark);
    }

    keep(words) {
      store.keep(this.id, words);
      this.show();
    }

    // The mark of an exercise that passed, and the way to an older text where there is one.
    show() {
      const [passed, text] = [store.passed(this.id), this.editor.area.value];
      this.mark.hidden = passed === null;
      this.mark.textContent = store.same(passed, text) ? "\u2713 passed" : "\u2713 passed, changed since";
      this.backs.hidden = !this.older().length;
    }

    // Another copy of this page has written.
    refresh() {
      const text = store.text(this.id);
      if (text !== null && text !== this.editor.area.value) this.editor.set(text);
      this.show();
      norchLive.countPassed();
    }

    older() {
      return store.older(this.id).filter((one) => !store.same(one, this.editor.area.value));
    }

    // Another text takes the place of this one, which is kept.
    replace(words, isLeft) {
      const old = this.editor.area.value;
      if (![words, this.hole].some((one) => store.same(one, old))) store.keepOlder(this.id, old, isLeft);
      this.editor.set(words);
      this.keep(words);
      this.verdict.replaceChildren();
    }

    say(...words) {
      this.status.replaceChildren(...words);
    }

    hint() {
      const all = [...this.box.querySelectorAll("details")];
      const hints = all.filter((one) => one.querySelector("summary").textContent.trim().startsWith("Hint"));
      const next = hints.find((one) => !one.open) ?? hints.at(-1);
      next.open = true;
      next.querySelector("summary").focus();
    }

    reset() {
      this.replace(this.hole);
      this.say("begun again");
    }

    // The newest of the older texts; pressed again, the one before.
    bringBack() {
      this.replace(this.older().at(-1), true);
      this.say();
      this.editor.area.focus();
    }

    stop() {
      this.run.isStopped = true;
      this.say("stopping ...");
      this.run.end();
    }

    async check() {
      if (this.run) return;
      this.run = { isStopped: false, progress: this.progress, end: () => {} };
      this.verdict.replaceChildren();
      this.verdict.className = "live-verdict";
      this.say("checking in this page ...");
      this.checks.setAttribute("aria-disabled", "true");
      this.stops.hidden = false;
      this.clock.start();
      const text = this.editor.area.value.replace(/\n*$/, "\n");
      try {
        this.tell(await judged(this.run, this.id, text, (...words) => this.say(...words)), text);
        this.say();
      } catch (error) {
        this.say(error.message);
      }
      this.clock.stop();
      this.progress.end();
      this.stops.hidden = true;
      this.checks.removeAttribute("aria-disabled");
      this.run = null;
    }

    tell({ status, cases, lines, line }, text) {
      this.verdict.classList.add(`live-${status.replaceAll(" ", "-")}`);
      this.verdict.append(make("strong", {}, WORDS[status] ?? `right: ${cases} cases`));
      if (lines.length) this.verdict.append(make("pre", {}, lines.join("\n")));
      if (line) this.verdict.append(make("p", {}, `at line ${line} of your text`));
      if (status !== "ok") return;
      store.pass(this.id, text);
      this.show();
      norchLive.countPassed();
    }
  }

  const panel = document.querySelector(".live-note");
  norchLive.addCells(panel);
  const exercises = {};
  for (const one of norchLive.exercises) {
    const box = document.getElementById(`exercise-${one.id.replace(".", "-")}`);
    if (box) exercises[one.id] = new Exercise(box, one);
  }
  norchLive.addAnswers(panel, exercises);
  store.changed = (id) => exercises[id]?.refresh();
  document.documentElement.dataset.live = "ready";
})();
