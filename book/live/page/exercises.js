// An editor and Check at every exercise: the course's own judge grades, in a Python of its own that is ended
// with the answer. The text stays in this browser. The last script of the folder: it begins.
"use strict";
(() => {
  const { make, button, editor } = norchLive;
  const WORDS = { wrong: "not yet", todo: "nothing is written yet" };
  const kept = (id) => `norch-live-${id}`;
  const storage = (action) => { try { return action(localStorage); } catch { return null; } }; // private windows

  // Judge in a fresh Python; when that hung or crashed, another one reads what had been told by then.
  // An answer in C++ is compiled in between.
  async function judged(id, body, say) {
    const told = { note: "", printed: "" };
    const hear = ({ kind, text }) => { if (kind in told) told[kind] += text; };
    let one = await norchLive.python();
    const ask = (compiled) => one.ask({ do: "check", id, body, compiled }, hear, norchLive.limit);
    let problem = "";
    try {
      let found = await ask();
      if (found.verdict?.compile) found = await ask(await norchLive.compiled(...found.verdict.compile, say));
      if (!found.late) return found.verdict;
    } catch (error) {
      if (error.isOurs) throw error;
      problem = `ended Python (${error.message})`;
    } finally {
      one.end();
    }
    one = await norchLive.python();
    try {
      const was = { notes: told.note, printed: told.printed, problem };
      return (await one.ask({ do: "check", id, body, was, compiled: {} })).verdict;
    } finally {
      one.end();
    }
  }

  class Exercise {
    constructor(box, { id, title, before, hole }) {
      Object.assign(this, { box, id, hole, checking: false });
      const text = storage((shelf) => shelf.getItem(kept(id))) ?? hole;
      this.editor = editor(text, `Your answer to exercise ${id}, ${title}`, () => this.check(), (words) => this.keep(words));
      this.verdict = make("div", { class: "live-verdict", role: "status", "aria-live": "polite", "aria-atomic": "true" });
      this.status = make("span", { class: "live-status", role: "status" });
      this.checks = button("Check", `Check exercise ${id}`, () => this.check());
      const hint = button("Hint", `Next hint for exercise ${id}`, () => this.hint());
      const reset = button("Reset", `Reset exercise ${id}`, () => this.reset());
      const bar = make("div", { class: "live-bar" }, this.checks, hint, reset, this.status);
      const frame = make("pre", { class: "live-frame", role: "region", tabindex: "0", "aria-label": `What stands before your answer to exercise ${id}` }, before);
      const group = make("div", { class: "live-exercise", role: "group", "aria-label": `Exercise ${id} in this page` });
      group.append(frame, this.editor.area, bar, this.editor.note, this.verdict);
      box.insertBefore(group, box.querySelector("details"));
    }

    keep(words) {
      storage((shelf) => shelf.setItem(kept(this.id), words));
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
      const old = this.editor.area.value;
      if (old === this.hole) return;
      const restore = (words) => { this.editor.set(words); this.keep(words); this.verdict.replaceChildren(); };
      restore(this.hole);
      const back = button("bring my text back", `Bring my text of exercise ${this.id} back`, () => {
        restore(old);
        this.say();
        this.editor.area.focus();
      });
      this.say("begun again ", back);
    }

    async check() {
      if (this.checking) return;
      this.checking = true;
      this.verdict.replaceChildren();
      this.verdict.className = "live-verdict";
      this.say("checking in this page ...");
      this.checks.setAttribute("aria-disabled", "true");
      try {
        this.show(await judged(this.id, this.editor.area.value.replace(/\n*$/, "\n"), (...words) => this.say(...words)));
        this.say();
      } catch (error) {
        this.say(error.message);
      }
      this.checks.removeAttribute("aria-disabled");
      this.checking = false;
    }

    show({ status, cases, lines, line }) {
      this.verdict.classList.add(`live-${status}`);
      this.verdict.append(make("strong", {}, WORDS[status] ?? `right: ${cases} cases`));
      if (lines.length) this.verdict.append(make("pre", {}, lines.join("\n")));
      if (line) this.verdict.append(make("p", {}, `at line ${line} of your text`));
    }
  }

  norchLive.addCells();
  for (const one of norchLive.exercises) {
    const box = document.getElementById(`exercise-${one.id.replace(".", "-")}`);
    if (box) new Exercise(box, one);
  }
  document.documentElement.dataset.live = "ready";
})();
