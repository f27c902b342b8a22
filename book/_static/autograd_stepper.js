// The autograd stepper of chapter 4: choose a prepared formula, or type one; player.js steps
// through it.
//
// Nothing is computed here. Prepared walks were recorded by norch when the page was made
// (figures/stepper.py); one that the reader types is recorded by norch in the page's Python, where
// the page has one (live/python/live_walk.py).
// Without JavaScript, and on paper, the last frame of the first walk is seen.
"use strict";

(() => {
  const LIMIT = 60000; // milliseconds after which a Python that does not answer is ended
  const OWN = "your own formula";
  const WITHOUT = "This page has no Python: the formulas of the menu were recorded when it was " +
    "made. Where make book finds what it needs, you can type your own here.";
  const WITH = "Statements stand apart by ; and the last one is the result. Enter runs it.";

  if (typeof document === "undefined") return;

  function define({ make }) {
    class AutogradStepper extends HTMLElement {
      connectedCallback() {
        if (this.walks) return; // moved, not made
        this.walks = [...this.querySelectorAll("[data-label]")].map((one) => ({
          label: one.dataset.label, formula: one.dataset.formula, html: one.innerHTML,
        }));
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", "Autograd stepper");
        this.isLive = Boolean(window.norchLive?.python && norchLive.needs);
        this.said = make("p", { className: "note" });
        this.said.setAttribute("role", "status");
        this.stage = make("div", { className: "walk" });
        this.stage.addEventListener("keydown", (event) => this.key(event));
        this.replaceChildren(this.form(), this.said, this.stage);
        this.choose();
      }

      disconnectedCallback() {
        this.leave();
      }

      form() {
        this.menu = make("select", { onchange: () => this.choose() });
        for (const { label } of this.walks) this.menu.append(make("option", {}, label));
        this.field = make("input", { type: "text", spellcheck: false, readOnly: !this.isLive });
        this.field.autocomplete = "off";
        this.runs = make("button", { type: "submit", hidden: !this.isLive }, "run it");
        this.stops = make("button", { type: "button", hidden: true }, "stop");
        this.stops.onclick = () => this.stop("stopped");
        const form = make("form", {});
        form.addEventListener("submit", (event) => { event.preventDefault(); this.record(); });
        form.append(make("label", {}, "prepared", this.menu));
        form.append(make("label", {}, "formula", this.field), this.runs, this.stops);
        return form;
      }

      choose() {
        const { formula, html } = this.walks[this.menu.selectedIndex];
        this.field.value = formula;
        this.tell(this.isLive ? WITH : WITHOUT);
        this.stage.innerHTML = html;
      }

      // Arrows step from the buttons too; on the slider they are the browser's.
      key(event) {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by || event.target.tagName !== "BUTTON") return;
        event.preventDefault();
        this.stage.querySelector("norch-player").step(by);
      }

      tell(words, isError = false) {
        this.said.textContent = words;
        this.said.classList.toggle("error", isError);
      }

      // Let norch record the formula of the field; the walk is added to the menu.
      async record() {
        if (!this.isLive || this.runs.disabled) return;
        const formula = this.field.value;
        const stopped = new Promise((_, reject) => {
          this.stop = (words) => reject(new Error(words));
        });
        this.setBusy(true);
        try {
          const { walk, told, problem } = await this.ask(formula, stopped);
          if (problem) this.tell(problem, true);
          else this.show(formula, walk, told);
        } catch (error) {
          this.leave();
          this.tell(error.message, true);
        }
        this.setBusy(false);
      }

      setBusy(isBusy) {
        if (!isBusy && document.activeElement === this.stops) this.field.focus();
        this.runs.disabled = isBusy;
        this.stops.hidden = !isBusy;
      }

      // The limit holds for the formula: how long Python takes to load is not its fault.
      async ask(formula, stopped) {
        await Promise.race([this.start(), stopped]);
        this.tell("norch computes it and walks back ...");
        const call = { do: "call", module: "live_walk", name: "record", given: { formula } };
        const late = setTimeout(() => this.stop("it takes too long, and was stopped"), LIMIT);
        try {
          return (await Promise.race([this.python.ask(call), stopped])).value;
        } finally {
          clearTimeout(late);
        }
      }

      async start() {
        if (this.python) return;
        this.tell("starting Python in this page ...");
        const isHeard = ({ kind }) => kind === "progress" && this.runs.disabled;
        const made = await norchLive.python((one) => isHeard(one) && this.tell(`${one.words} ...`));
        if (!this.isConnected || this.python) made.end(); // nobody waits for it
        else this.python = made;
        if (!this.python) throw new Error("the stepper has left the page");
      }

      leave() {
        this.python?.end();
        this.python = null;
      }

      show(formula, html, told) {
        const label = `${OWN}: ${formula}`;
        if (!this.walks.some((one) => one.label === label)) {
          this.walks.push({ label, formula, html });
          this.menu.append(make("option", {}, label));
        }
        this.menu.selectedIndex = this.walks.findIndex((one) => one.label === label);
        this.choose();
        this.tell(told);
      }
    }
    customElements.define("autograd-stepper", AutogradStepper);
  }

  document.addEventListener("DOMContentLoaded", () => define(globalThis.norchControls));
})();
