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


  if (typeof customElements === "undefined") return;

  const make = (tag, given, ...children) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...children);
    return made;
  };

  class AutogradStepper extends HTMLElement {
    connectedCallback() {
      const isParsed = document.readyState !== "loading"; // before that, nothing is inside yet
      if (isParsed) this.begin();
      else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
    }

    disconnectedCallback() {
      this.python?.end();
      this.python = null;
    }

    begin() {
      if (this.walks) return; // moved, not made
      this.walks = [...this.querySelectorAll("[data-label]")].map((one) => ({
        label: one.dataset.label, formula: one.dataset.formula, html: one.innerHTML,
      }));
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", "Autograd stepper");
      this.isLive = Boolean(window.norchLive?.python && norchLive.needs);
      this.menu = make("select", { onchange: () => this.choose() });
      for (const { label } of this.walks) this.menu.append(make("option", {}, label));
      this.field = make("input", { type: "text", spellcheck: false, readOnly: !this.isLive });
      this.field.autocomplete = "off";
      this.runs = make("button", { type: "submit", hidden: !this.isLive }, "run it");
      this.said = make("p", { className: "note" }, this.isLive ? WITH : WITHOUT);
      this.said.setAttribute("role", "status");
      this.stage = make("div", { className: "walk" });
      this.stage.addEventListener("keydown", (event) => this.key(event));
      const form = make("form", {});
      form.addEventListener("submit", (event) => { event.preventDefault(); this.record(); });
      form.append(make("label", {}, "prepared", this.menu));
      form.append(make("label", {}, "formula", this.field), this.runs);
      this.replaceChildren(form, this.said, this.stage);
      this.choose();
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
      this.runs.disabled = true;
      const formula = this.field.value;
      const late = setTimeout(() => this.python?.end("it takes too long, and was stopped"), LIMIT);
      try {
        const { walk, problem } = (await this.ask(formula)).value;
        if (problem) this.tell(problem, true);
        else this.show(formula, walk);
      } catch (error) {
        this.python = null;
        this.tell(error.message, true);
      }
      clearTimeout(late);
      this.runs.disabled = false;
    }

    async ask(formula) {
      if (!this.python) {
        this.tell("starting Python in this page ...");
        const heard = ({ kind, words }) => kind === "progress" && this.tell(`${words} ...`);
        this.python = await norchLive.python(heard);
      }
      this.tell("norch computes it and walks back ...");
      const call = { do: "call", module: "live_walk", name: "record", given: { formula } };
      return this.python.ask(call);
    }

    show(formula, html) {
      const label = `${OWN}: ${formula}`;
      if (!this.walks.some((one) => one.label === label)) {
        this.walks.push({ label, formula, html });
        this.menu.append(make("option", {}, label));
      }
      this.menu.selectedIndex = this.walks.findIndex((one) => one.label === label);
      this.choose();
    }
  }
  customElements.define("autograd-stepper", AutogradStepper);
})();
