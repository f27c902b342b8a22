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
  const errors = (points, [slope, height]) => points.map(([x, y]) => slope * x + height - y);
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

  // What is drawn of places in the picture: all, but nothing after the first that is outside.
  function seen(places, wide, high) {
    const last = places.findIndex(([x, y]) => x < 0 || x > wide || y < 0 || y > high);
    return last < 0 ? places : places.slice(0, last + 1);
  }

  if (typeof module !== "undefined") module.exports = { loss, gradient, walk, outcome, told };

  // ---- Drawing ----------------------------------------------------------------------------------

  if (typeof customElements === "undefined") return;
  const WIDE = 420, HIGH = 280;

  const make = (tag, given, ...children) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...children);
    return made;
  };
  const draw = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };

  class LossValley extends HTMLElement {
    connectedCallback() {
      const isParsed = document.readyState !== "loading"; // before that, nothing is inside yet
      if (isParsed) this.begin();
      else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
    }

    begin() {
      if (this.data) return; // moved, not made
      this.data = JSON.parse(this.querySelector("script").textContent);
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", "Loss valley");
      const again = make("button", { type: "button", onclick: () => this.again() }, "start again");
      const buttons = make("div", { className: "buttons" }, again);
      this.say = make("p", { className: "say" });
      this.say.setAttribute("role", "status");
      const form = this.form();
      this.append(make("div", { className: "panel" }, form, buttons, this.say, this.picture()));
      this.listen();
      this.update();
    }

    form() {
      const { slopes, heights, start } = this.data;
      this.menu = make("select", { onchange: () => this.update() });
      for (const name of OPTIMIZERS) this.menu.append(make("option", {}, name));
      this.ranges = {};
      const form = make("form", { onsubmit: (event) => event.preventDefault() });
      form.append(make("label", {}, make("span", {}, "optimizer"), this.menu));
      form.append(this.slider("learning rate", -3, 0, 0.05, START.rate));
      form.append(this.slider("momentum", 0, 0.95, 0.05, START.momentum));
      form.append(this.slider("start, slope", ...slopes, 0.25, start[0]));
      form.append(this.slider("start, height", ...heights, 0.25, start[1]));
      return form;
    }

    picture() {
      this.svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
      this.path = draw("path", { class: "path" });
      this.dots = draw("g", { class: "dots" });
      this.handle = draw("circle", { r: 11, class: "handle" });
      const ground = draw("rect", { width: WIDE, height: HIGH, class: "ground" });
      this.svg.append(ground, ...this.lines(), this.path, this.dots, this.handle);
      return this.svg;
    }

    slider(name, min, max, step, value) {
      const output = make("output", {});
      const range = make("input", { type: "range", min, max, step });
      range.value = value;
      range.addEventListener("input", () => this.update());
      this.ranges[name] = { range, output, first: value };
      return make("label", {}, make("span", {}, `${name} `, output), range);
    }

    again() {
      this.menu.selectedIndex = START.optimizer;
      for (const { range, first } of Object.values(this.ranges)) range.value = first;
      this.update();
    }

    // From a place to the picture, and back.
    at([slope, height]) {
      const { slopes, heights } = this.data;
      const across = (slope - slopes[0]) / (slopes[1] - slopes[0]);
      const up = (height - heights[0]) / (heights[1] - heights[0]);
      return [WIDE * across, HIGH - HIGH * up];
    }

    placeOf({ clientX, clientY }) {
      const { slopes, heights } = this.data, box = this.svg.getBoundingClientRect();
      const between = ([low, high], part) => low + part * (high - low);
      const across = (clientX - box.x) / box.width, up = 1 - (clientY - box.y) / box.height;
      return [between(slopes, across), between(heights, up)];
    }

    // Lines of equal loss: circles, as the steepness of the valley stretches them.
    lines() {
      const { lowest, circle, levels, slopes, heights } = this.data;
      const across = WIDE / (slopes[1] - slopes[0]), up = -HIGH / (heights[1] - heights[0]);
      const [[a, b], [c, d]] = circle, [x, y] = this.at(lowest);
      const stretch = [a * across, c * up, b * across, d * up];
      const rings = levels.map((level) => {
        const parts = [...stretch.map((part) => part * Math.sqrt(level)), x, y];
        const given = { r: 1, class: "level", transform: `matrix(${parts.join(" ")})` };
        return draw("circle", { ...given, "vector-effect": "non-scaling-stroke" });
      });
      return [...rings, draw("path", { class: "lowest", d: `M${x - 6} ${y}h12M${x} ${y - 6}v12` })];
    }

    listen() {
      const move = (event) => {
        const [slope, height] = this.placeOf(event);
        this.ranges["start, slope"].range.value = slope;
        this.ranges["start, height"].range.value = height;
        this.update();
      };
      this.svg.addEventListener("pointerdown", (event) => {
        if (event.target === this.handle) this.handle.setPointerCapture(event.pointerId);
        move(event);
      });
      this.handle.addEventListener("pointermove", (event) => {
        if (this.handle.hasPointerCapture(event.pointerId)) move(event);
      });
    }

    chosen() {
      const value = (name) => Number(this.ranges[name].range.value);
      const start = [value("start, slope"), value("start, height")];
      const [rate, momentum] = [10 ** value("learning rate"), value("momentum")];
      return { optimizer: this.menu.value, rate, momentum, start };
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
      const places = seen(path.map((place) => this.at(place)), WIDE, HIGH);
      const points = places.map((place) => place.map((one) => one.toFixed(1)).join(" "));
      this.path.setAttribute("d", `M${points.join("L")}`);
      this.dots.replaceChildren(...places.map(([cx, cy]) => draw("circle", { cx, cy, r: 3 })));
      this.handle.setAttribute("cx", places[0][0]);
      this.handle.setAttribute("cy", places[0][1]);
      const words = `the loss from above, slope to the right, height up. ${this.say.textContent}`;
      this.svg.setAttribute("aria-label", words);
    }
  }
  customElements.define("loss-valley", LossValley);
})();
