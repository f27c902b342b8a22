// The loss valley of chapter 5: drag the learning rate, and the walk of an optimizer changes at
// once.
//
// The valley was computed by norch when the page was made (lessons/descent.py). The steps of SGD
// and Adam are repeated here, in the first half, as pure functions: a test compares their walks
// with norch.optim's. Without JavaScript, and on paper, three walks of norch's are seen.
"use strict";

(() => {
  const OPTIMIZERS = ["SGD", "SGD with momentum", "Adam"];
  const BETAS = [0.9, 0.999], EPS = 1e-8; // Adam's, as norch has them
  const FAR = 1e9; // a place farther than that is not followed
  const NEAR = 0.01; // of the way from the first loss to the least: closer counts as there
  const START = { optimizer: 0, rate: -1, momentum: 0.8 }; // the rate as a power of ten

  const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const errors = (points, [slope, intercept]) => points.map(([x, y]) => slope * x + intercept - y);
  const loss = (points, place) => mean(errors(points, place).map((error) => error * error));

  function gradient(points, place) {
    const wrong = errors(points, place);
    const slope = mean(wrong.map((error, i) => 2 * error * points[i][0]));
    return [slope, mean(wrong.map((error) => 2 * error))];
  }

  // A step: from a place, its gradient, what the optimizer keeps, and the number of the step to
  // the next place, and what is kept then.
  const STEPS = {
    SGD: (place, g, kept, t, { rate }) => [place.map((p, i) => p - rate * g[i]), kept],
    "SGD with momentum": (place, g, kept, t, { rate, momentum }) => {
      const v = t === 1 ? g : g.map((one, i) => momentum * kept[i] + one);
      return [place.map((p, i) => p - rate * v[i]), v];
    },
    Adam: (place, g, kept, t, { rate }) => {
      const [one, two] = BETAS;
      const [m, v] = kept ?? [[0, 0], [0, 0]];
      const means = m.map((value, i) => one * value + (1 - one) * g[i]);
      const squares = v.map((value, i) => two * value + (1 - two) * g[i] * g[i]);
      const root = (i) => Math.sqrt(squares[i] / (1 - two ** t)) + EPS;
      const next = place.map((p, i) => p - (rate * means[i]) / (1 - one ** t) / root(i));
      return [next, [means, squares]];
    },
  };

  // The places from the start on, by {optimizer, rate, momentum}; `rate` is the learning rate. A
  // walk that has left for good ends early.
  function walk(points, start, count, choice) {
    const path = [start];
    let kept = null;
    for (let t = 1; t <= count && Math.max(...path.at(-1).map(Math.abs)) < FAR; t++) {
      const place = path.at(-1);
      const step = STEPS[choice.optimizer](place, gradient(points, place), kept, t, choice);
      path.push(step[0]);
      kept = step[1];
    }
    return path;
  }

  // What came of a walk: whether it diverged, the step from which on it is there (or nothing), and
  // how many of the moves until then turned back.
  function outcome({ points, least, steps }, path) {
    const losses = path.map((place) => loss(points, place));
    const near = least + NEAR * (losses[0] - least);
    const late = losses.findLastIndex((one) => !(one <= near));
    const moves = path.slice(1).map(([x, y], k) => [x - path[k][0], y - path[k][1]]);
    const until = Math.min(late + 1, moves.length);
    const isBack = ([x, y], k) => x * moves[k][0] + y * moves[k][1] < 0;
    const turns = moves.slice(1, until).filter(isBack).length;
    const last = losses.at(-1);
    const diverges = path.length <= steps || last > losses[0];
    const there = late + 1 < path.length ? late + 1 : null;
    return { diverges, there, turns, moves: until, first: losses[0], last };
  }

  const shown = (number) => Number(number.toPrecision(3)).toString();

  function told(data, path) {
    const { diverges, there, turns, moves, ...loss } = outcome(data, path);
    const [first, last, least] = [loss.first, loss.last, data.least].map(shown);
    const count = path.length - 1;
    const swings = turns > moves / 4 ? ` It swings: ${turns} of ${moves} steps turn back.` : "";
    if (diverges) {
      return `It diverges: the loss was ${first}, and is ${last} after ${count} steps.${swings}`;
    }
    if (there === null) {
      const words = `the loss is ${last}, the least is ${least}`;
      return `It is not there after ${count} steps: ${words}.${swings}`;
    }
    const words = `after ${there} steps 99 % of the fall is done`;
    return `It converges: ${words}. The loss goes from ${first} to ${last}.${swings}`;
  }

  // ---- The picture, as figures/valley.py has it too -------------------------------------------

  const WIDE = 420, HIGH = 280;

  // Where a place stands in the picture.
  function at({ slopes, intercepts }, [slope, intercept]) {
    const across = (slope - slopes[0]) / (slopes[1] - slopes[0]);
    const up = (intercept - intercepts[0]) / (intercepts[1] - intercepts[0]);
    return [WIDE * across, HIGH - HIGH * up];
  }

  // What is drawn of places in the picture: all, but nothing after the first that is outside.
  function seen(places) {
    const last = places.findIndex(([x, y]) => x < 0 || x > WIDE || y < 0 || y > HIGH);
    return last < 0 ? places : places.slice(0, last + 1);
  }

  // Lines of equal loss: how a circle is stretched and moved into each of them.
  function rings(data) {
    const { lowest, circle, levels, slopes, intercepts } = data;
    const across = WIDE / (slopes[1] - slopes[0]), up = -HIGH / (intercepts[1] - intercepts[0]);
    const [[a, b], [c, d]] = circle;
    const stretch = [a * across, c * up, b * across, d * up];
    const sizes = levels.map(Math.sqrt);
    return sizes.map((size) => [...stretch.map((part) => part * size), ...at(data, lowest)]);
  }

  const known = { loss, gradient, walk, outcome, told, at, seen, rings };
  if (typeof module !== "undefined") module.exports = known;

  // ---- Drawing ----------------------------------------------------------------------------------

  if (typeof document === "undefined") return;

  function define({ make, draw, choice, buttons, Explorer }) {
    class LossValley extends Explorer {
      begin(data) {
        this.data = data;
        this.form = make("form", { onsubmit: (event) => event.preventDefault() });
        const row = buttons({ "start again": () => this.again() });
        this.panel.append(this.form, row, this.say, this.picture());
        this.listen();
        this.again();
      }

      // The controls as at first.
      again() {
        const { slopes, intercepts, start } = this.data;
        this.optimizer = OPTIMIZERS[START.optimizer];
        this.ranges = {};
        const choose = (name) => { this.optimizer = name; this.update(); };
        this.form.replaceChildren(
          choice("optimizer", OPTIMIZERS, this.optimizer, OPTIMIZERS, choose),
          this.slider("learning rate", -3, 0, 0.05, START.rate),
          this.slider("momentum", 0, 0.95, 0.05, START.momentum),
          this.slider("start, slope", ...slopes, 0.25, start[0]),
          this.slider("start, intercept", ...intercepts, 0.25, start[1]),
        );
        this.update();
      }

      slider(name, min, max, step, value) {
        const output = make("output", {});
        const range = make("input", { type: "range", min, max, step });
        range.value = value;
        range.addEventListener("input", () => this.update());
        this.ranges[name] = { range, output };
        return make("label", {}, make("span", {}, `${name} `, output), range);
      }

      // The handle is seen small; around it is a ring that a finger meets.
      picture() {
        this.svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
        this.path = draw("path", { class: "path" });
        this.dots = draw("g", { class: "dots" });
        const ring = draw("circle", { r: 20, class: "ring" });
        this.handle = draw("g", { class: "handle" }, ring, draw("circle", { r: 11 }));
        const ground = draw("rect", { width: WIDE, height: HIGH, class: "ground" });
        const [x, y] = at(this.data, this.data.lowest);
        const lowest = draw("path", { class: "lowest", d: `M${x - 6} ${y}h12M${x} ${y - 6}v12` });
        this.svg.append(ground, ...this.lines(), lowest, this.path, this.dots, this.handle);
        return this.svg;
      }

      lines() {
        const given = { r: 1, class: "level", "vector-effect": "non-scaling-stroke" };
        return rings(this.data).map((parts) =>
          draw("circle", { ...given, transform: `matrix(${parts.join(" ")})` }),
        );
      }

      placeOf({ clientX, clientY }) {
        const { slopes, intercepts } = this.data, box = this.svg.getBoundingClientRect();
        const between = ([low, high], part) => low + part * (high - low);
        const across = (clientX - box.x) / box.width, up = 1 - (clientY - box.y) / box.height;
        return [between(slopes, across), between(intercepts, up)];
      }

      // A click moves the start, and so does a drag of the handle; whoever scrolls moves nothing.
      listen() {
        const move = (event) => {
          const [slope, intercept] = this.placeOf(event);
          this.ranges["start, slope"].range.value = slope;
          this.ranges["start, intercept"].range.value = intercept;
          this.update();
        };
        this.svg.addEventListener("click", (event) => {
          if (!this.handle.contains(event.target)) move(event);
        });
        this.handle.addEventListener("pointerdown", (event) => {
          if (event.button === 0) this.handle.setPointerCapture(event.pointerId);
        });
        this.handle.addEventListener("pointermove", (event) => {
          if (this.handle.hasPointerCapture(event.pointerId)) move(event);
        });
      }

      chosen() {
        const value = (name) => Number(this.ranges[name].range.value);
        const start = [value("start, slope"), value("start, intercept")];
        const [rate, momentum] = [10 ** value("learning rate"), value("momentum")];
        return { optimizer: this.optimizer, rate, momentum, start };
      }

      update() {
        const { start, ...choice } = this.chosen();
        for (const [name, { range, output }] of Object.entries(this.ranges)) {
          output.textContent = shown(name === "learning rate" ? choice.rate : Number(range.value));
          range.setAttribute("aria-valuetext", output.textContent);
        }
        this.ranges.momentum.range.disabled = choice.optimizer !== "SGD with momentum";
        const path = walk(this.data.points, start, this.data.steps, choice);
        this.say.textContent = told(this.data, path);
        this.show(seen(path.map((place) => at(this.data, place))));
      }

      show(places) {
        const points = places.map((place) => place.map((one) => one.toFixed(1)).join(" "));
        this.path.setAttribute("d", `M${points.join("L")}`);
        this.dots.replaceChildren(...places.map(([cx, cy]) => draw("circle", { cx, cy, r: 3 })));
        this.handle.setAttribute("transform", `translate(${places[0].join(" ")})`);
        const words = "the loss from above, slope to the right, intercept up";
        this.svg.setAttribute("aria-label", `${words}. ${this.say.textContent}`);
      }
    }
    customElements.define("loss-valley", LossValley);
  }

  document.addEventListener("DOMContentLoaded", () => define(globalThis.norchControls));
})();
