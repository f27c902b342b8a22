// The player of chapter 6: steps through a figure in frames (figures/player.py), forth, back and by itself.
//
// A part of the drawing says in which frames it is there. Nothing is computed here: the frames are what ranks have
// recorded. Without JavaScript, and on paper, a reader sees the last frame.
"use strict";

(() => {
  const PACE = 1100; // milliseconds a frame
  const isThere = ({ first, last }, frame) => Number(first) <= frame && frame <= Number(last);

  if (typeof module !== "undefined") module.exports = { isThere };

  if (typeof customElements !== "undefined") {
    class Player extends HTMLElement {
      connectedCallback() {
        this.onPaper ??= () => { this.pause(); this.show(this.says.length - 1); };
        addEventListener("beforeprint", this.onPaper);
        const isParsed = document.readyState !== "loading"; // before that, what is inside has not been read yet
        if (isParsed) this.begin();
        else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
      }

      begin() {
        if (this.says) return; // moved, not made
        this.says = JSON.parse(this.dataset.says);
        this.parts = [...this.querySelectorAll("[data-first]")];
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", "Player");
        this.buttons = {};
        const row = this.make("div", { className: "buttons" });
        const add = (name, action) => {
          this.buttons[name] = this.make("button", { type: "button", textContent: name, onclick: action });
          row.append(this.buttons[name]);
        };
        add("back", () => this.step(-1));
        add("play", () => (this.timer ? this.pause() : this.play()));
        add("next", () => this.step(1));
        this.range = this.make("input", { type: "range", min: 0, max: this.says.length - 1, value: 0 });
        this.range.setAttribute("aria-label", this.dataset.slider ?? "frame");
        this.range.addEventListener("input", () => { this.pause(); this.show(Number(this.range.value)); });
        row.append(this.range);
        this.say = this.make("p", { className: "say" });
        this.say.setAttribute("role", "status");
        this.append(row, this.say);
        this.show(0);
      }

      disconnectedCallback() {
        removeEventListener("beforeprint", this.onPaper);
        this.pause();
      }

      make(tag, given) {
        return Object.assign(document.createElement(tag), given);
      }

      show(frame) {
        this.frame = frame;
        for (const part of this.parts) part.setAttribute("visibility", isThere(part.dataset, frame) ? "visible" : "hidden");
        this.range.value = frame;
        this.range.setAttribute("aria-valuetext", this.says[frame]);
        this.say.textContent = this.says[frame];
      }

      step(by) {
        this.pause();
        this.show(Math.min(Math.max(this.frame + by, 0), this.says.length - 1));
      }

      play() {
        if (this.frame === this.says.length - 1) this.show(0);
        this.buttons.play.textContent = "pause";
        this.timer = setInterval(() => {
          this.show(this.frame + 1);
          if (this.frame === this.says.length - 1) this.pause();
        }, PACE);
      }

      pause() {
        clearInterval(this.timer);
        this.timer = null;
        if (this.buttons) this.buttons.play.textContent = "play";
      }
    }
    customElements.define("norch-player", Player);
  }
})();
