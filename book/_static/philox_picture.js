// The picture of Philox in chapter 2: seed and position go in, after ten rounds numbers come out.
//
// The first half is lessons/philox.py once more; a test compares both with the numbers that norch
// draws. The second half marks the bits that differ from what was chosen before; while a number is
// typed, that is what stood there before the typing.
"use strict";

(() => {
  const ROUNDS = 10,
    WORD = 2 ** 32;
  const MULTIPLIERS = [0xd2511f53n, 0xcd9e8d57n];
  const WEYL = [0x9e3779b9, 0xbb67ae85]; // what the key grows by, from round to round

  // The high and the low half of a product of 64 bits.
  function halves(multiplier, word) {
    const product = multiplier * BigInt(word);
    return [Number(product >> 32n), Number(product & 0xffffffffn)];
  }

  const split = (number) => [number % WORD, Math.floor(number / WORD)];
  const mix = (...words) => words.reduce((all, word) => (all ^ word) >>> 0);

  // The counter of a position's group of four, and the four words after each round.
  function rounds(seed, position) {
    const states = [[...split(Math.floor(position / 4)), 0, 0]];
    let key = split(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [a, b, c, d] = states.at(-1);
      const [leftHigh, leftLow] = halves(MULTIPLIERS[0], a);
      const [rightHigh, rightLow] = halves(MULTIPLIERS[1], c);
      states.push([mix(rightHigh, b, key[0]), rightLow, mix(leftHigh, d, key[1]), leftLow]);
      key = key.map((word, i) => (word + WEYL[i]) % WORD);
    }
    return states;
  }

  const uniform = (word) => (word >>> 8) / 2 ** 24;
  // The places of a word's bits of 1, the highest bit first.
  const ones = (word) => [...Array(32).keys()].filter((i) => (word >>> (31 - i)) & 1);
  const flips = (words, others) =>
    words.reduce((sum, word, i) => sum + ones(word ^ others[i]).length, 0);

  if (typeof module !== "undefined") module.exports = { rounds, uniform, flips };

  // ---- Drawing ----------------------------------------------------------------------------------

  const KEY =
    "Below: a bit that is 1. Above: a bit that is not what it was before the " +
    "change. At the right: how many of the 128 these are.";
  const MOST = Number.MAX_SAFE_INTEGER;
  const hex = (word) => word.toString(16).padStart(8, "0");
  const nameOf = (round) => (round ? `round ${round}` : "counter");

  function define({ make, draw, whole, buttons, Explorer }) {
    const path = (word, top, height) =>
      ones(word)
        .map((i) => `M${4 * i} ${top}h3v${height}h-3z`)
        .join("");

    class PhiloxPicture extends Explorer {
      begin({ start }) {
        this.start = start;
        this.form = make("form", { onsubmit: (event) => event.preventDefault() });
        for (const moment of ["focusin", "change"])
          this.form.addEventListener(moment, () => {
            this.entered = this.now;
          });
        const row = buttons({
          "next seed": () => this.put({ seed: this.now.seed + 1 }),
          "next position": () => this.put({ position: this.now.position + 1 }),
          "next group": () => this.put({ position: this.now.position + 4 }),
          "start again": () => this.again(),
        });
        this.rows = make("div", { className: "rounds" });
        this.numbers = make("ol", {});
        this.words = make("pre", {});
        const words = make("details", {}, make("summary", {}, "the words after each round"));
        words.append(this.words);
        const key = make("p", { className: "key" }, KEY);
        this.panel.append(this.form, row, this.say, this.rows, this.numbers, words, key);
        this.again();
      }

      // As at first: beside the group before.
      again() {
        this.now = { ...this.start, position: this.start.position - 4 };
        this.put(this.start);
      }

      // A choice that a button made: the fields follow.
      put(change) {
        const wanted = Object.entries({ ...this.now, ...change });
        const choice = Object.fromEntries(wanted.map(([name, n]) => [name, Math.min(n, MOST)]));
        const { seed, position } = choice;
        this.form.replaceChildren(
          whole("seed", seed, MOST, (value) => this.set({ seed: value }, this.entered)),
          whole("position", position, MOST, (value) => this.set({ position: value }, this.entered)),
        );
        this.set(choice);
      }

      // Show a choice beside another one: beside the one before, unless it is told.
      set(change, last = this.now) {
        this.last = last;
        this.now = { ...this.now, ...change };
        const states = rounds(this.now.seed, this.now.position);
        const others = rounds(this.last.seed, this.last.position);
        const counts = states.map((words, i) => flips(words, others[i]));
        this.rows.replaceChildren(
          ...states.map((words, i) => this.round(i, words, others[i], counts[i])),
        );
        this.numbers.replaceChildren(...states.at(-1).map((word, i) => this.number(word, i)));
        const spelled = states.map((words, i) => `${nameOf(i)}: ${words.map(hex).join(" ")}`);
        this.words.textContent = spelled.join("\n");
        this.say.textContent = this.sentence(counts, states.at(-1));
      }

      round(i, words, others, count) {
        const pictures = words.map((word, k) =>
          draw(
            "svg",
            { viewBox: "-1 -1 129 17", preserveAspectRatio: "none", "aria-hidden": "true" },
            draw("path", { class: "ones", d: path(word, 7, 8) }),
            draw("path", { class: "flips", d: path(word ^ others[k], 0, 6) }),
          ),
        );
        return make(
          "div",
          { className: "round" },
          nameOf(i),
          make("div", { className: "words" }, ...pictures),
          make("b", {}, String(count)),
        );
      }

      number(word, i) {
        const position = this.now.position - (this.now.position % 4) + i;
        const item = make(
          "li",
          {},
          make("span", {}, `position ${position}`),
          make("span", {}, hex(word)),
          make("span", {}, uniform(word).toFixed(7)),
        );
        item.setAttribute("aria-current", String(position === this.now.position));
        return item;
      }

      sentence(counts, words) {
        const { seed, position } = this.now,
          group = Math.floor(position / 4);
        const isSame = seed === this.last.seed && group === Math.floor(this.last.position / 4);
        const number = uniform(words[position % 4]).toFixed(7);
        const where = `counter ${group}, word ${position % 4}`;
        const drawn = `Seed ${seed}, position ${position}: ${where}, as a number ${number}.`;
        if (isSame)
          return `${drawn} The same four words as before: one counter serves four positions.`;
        const from = `Before: seed ${this.last.seed}, position ${this.last.position}.`;
        const later = [1, 3].map((i) => `${counts[i]} after round ${i}`).join(", ");
        const end = `${counts.at(-1)} of 128 after round ${ROUNDS}`;
        return `${drawn} ${from} Bits that differ: ${counts[0]} in the counter, ${later}, ${end}.`;
      }
    }
    customElements.define("philox-picture", PhiloxPicture);
  }

  if (typeof document !== "undefined")
    document.addEventListener("DOMContentLoaded", () => define(globalThis.norchControls));
})();
