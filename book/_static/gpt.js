// The small trained GPT of chapter 7 in plain JavaScript: pure functions, no page.
//
// The file of weights, the forward pass with the weights of its attention, the draw of a character.
// Called by gpt_heads.js when a reader asks for it; tests compare it with norch. It learns nothing.
"use strict";

(() => {
  const DTYPES = { F32: Float32Array, I8: Int8Array };

  // A safetensors file in base64: eight bytes for the header's length, the header, the numbers. A
  // table of whole numbers has a scale for each row, which is multiplied in here.
  function read(base64) {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    const raw = (name) => {
      const { dtype, data_offsets } = header[name];
      const [from, to] = data_offsets;
      return new DTYPES[dtype](bytes.buffer.slice(8 + length + from, 8 + length + to));
    };
    const table = (name) => {
      const numbers = Float32Array.from(raw(name));
      const scale = header[`${name}.scale`] && raw(`${name}.scale`);
      const columns = header[name].shape.at(-1);
      return scale ? numbers.map((one, k) => one * scale[Math.floor(k / columns)]) : numbers;
    };
    const names = Object.keys(header).filter(
      (name) => name !== "__metadata__" && !name.endsWith(".scale"),
    );
    const { letters, heads } = header.__metadata__;
    const [context, width] = header["places.weight"].shape;
    const layers = names.filter((name) => name.endsWith("attention.out.bias")).length;
    return {
      vocabulary: [...letters],
      context,
      width,
      layers,
      heads: Number(heads),
      tables: Object.fromEntries(names.map((name) => [name, table(name)])),
    };
  }

  // (time, in) -> (time, out); the weight is (out, in), as norch stores it.
  function linear({ tables }, name, x, time) {
    const weight = tables[`${name}.weight`];
    const bias = tables[`${name}.bias`];
    const out = bias.length;
    const into = x.length / time;
    const y = new Float32Array(time * out);
    for (let t = 0; t < time; t++) {
      for (let k = 0; k < out; k++) {
        let sum = bias[k];
        for (let j = 0; j < into; j++) sum += x[t * into + j] * weight[k * into + j];
        y[t * out + k] = sum;
      }
    }
    return y;
  }

  // (time, width) -> the same: each row with mean 0 and variance 1, then scaled and shifted.
  function norm({ tables, width }, name, x) {
    const weight = tables[`${name}.weight`];
    const bias = tables[`${name}.bias`];
    const y = new Float32Array(x.length);
    for (let at = 0; at < x.length; at += width) {
      const row = x.subarray(at, at + width);
      const mean = row.reduce((sum, one) => sum + one, 0) / width;
      const variance = row.reduce((sum, one) => sum + (one - mean) ** 2, 0) / width;
      row.forEach(
        (one, j) => (y[at + j] = ((one - mean) / Math.sqrt(variance + 1e-5)) * weight[j] + bias[j]),
      );
    }
    return y;
  }

  // The normal distribution's cumulative distribution function, by formula 7.1.26 of Abramowitz
  // and Stegun: right to 1.5e-7.
  function cdf(x) {
    const z = Math.abs(x) / Math.SQRT2;
    const t = 1 / (1 + 0.3275911 * z);
    const tail =
      t *
      (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    const half = (tail * Math.exp(-z * z)) / 2;
    return x < 0 ? half : 1 - half;
  }

  const gelu = (x) => x.map((one) => one * cdf(one));
  const add = (x, y) => x.map((one, k) => one + y[k]);

  function softmax(scores) {
    const most = Math.max(...scores);
    const powers = scores.map((one) => Math.exp(one - most));
    const total = powers.reduce((sum, one) => sum + one, 0);
    return powers.map((one) => one / total);
  }

  // (time, 3 * width) -> what a layer's attention mixes, (time, width), and its weights,
  // [head][row][column <= row].
  function attend({ width, heads }, qkv, time) {
    const size = width / heads;
    const mixed = new Float32Array(time * width);
    const dot = (i, j, at) => {
      let sum = 0;
      for (let e = 0; e < size; e++)
        sum += qkv[i * 3 * width + at + e] * qkv[j * 3 * width + width + at + e];
      return sum / Math.sqrt(size);
    };
    const weights = Array.from({ length: heads }, (_, head) =>
      Array.from({ length: time }, (__, i) => {
        const row = softmax(Array.from({ length: i + 1 }, (___, j) => dot(i, j, head * size)));
        row.forEach((weight, j) => {
          for (let e = head * size; e < (head + 1) * size; e++)
            mixed[i * width + e] += weight * qkv[j * 3 * width + 2 * width + e];
        });
        return row;
      }),
    );
    return { mixed, weights };
  }

  // The chapter's GPT on some numbers of letters: the scores of what comes next,
  // [position][letter], and weights[layer][head][row][column].
  function forward(gpt, tokens) {
    const time = tokens.length;
    const weights = [];
    let x = embed(gpt, tokens);
    for (let layer = 0; layer < gpt.layers; layer++) {
      const through = (name, y) => linear(gpt, `blocks.${layer}.${name}`, y, time);
      const normed = (name) => norm(gpt, `blocks.${layer}.${name}`, x);
      const attention = attend(gpt, through("attention.qkv", normed("norm1")), time);
      weights.push(attention.weights);
      x = add(x, through("attention.out", attention.mixed));
      x = add(x, through("narrow", gelu(through("wide", normed("norm2")))));
    }
    const flat = linear(gpt, "head", norm(gpt, "norm", x), time);
    const kinds = gpt.vocabulary.length;
    const scores = tokens.map((_, t) => [...flat.subarray(t * kinds, (t + 1) * kinds)]);
    return { weights, scores };
  }

  // Numbers of letters -> (time, width): the row of each letter, plus that of its place.
  function embed({ tables, width }, tokens) {
    const row = (t) => tables["characters.weight"].subarray(tokens[t] * width);
    const places = tables["places.weight"].subarray(0, tokens.length * width);
    return places.map((one, k) => one + row(Math.floor(k / width))[k % width]);
  }

  // The last letters of a text that the GPT can see, and those of the text that it has never met.
  function seen({ vocabulary, context }, text) {
    const isKnown = (letter) => vocabulary.includes(letter);
    return {
      letters: [...text].filter(isKnown).slice(-context),
      unknown: [...new Set(text)].filter((letter) => !isKnown(letter)),
    };
  }

  const encode = (gpt, letters) => letters.map((one) => gpt.vocabulary.indexOf(one));

  // A row of numbers from 0 to 1, the same for the same seed: an xorshift of 32 bits, its first
  // numbers left out.
  function generator(seed) {
    let state = (seed ^ 0x9e3779b9) | 0 || 1;
    const next = () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 2 ** 32;
    };
    for (let k = 0; k < 8; k++) next();
    return next;
  }

  // Which letter a number from 0 to 1 draws, after the scores were divided by the temperature.
  function draw(scores, temperature, number) {
    const chances = softmax(scores.map((one) => one / temperature));
    let left = number;
    const found = chances.findIndex((one) => (left -= one) < 0);
    return found < 0 ? chances.lastIndexOf(Math.max(...chances)) : found;
  }

  // The most likely next letters, the likeliest first: [letter's number, chance].
  function likeliest(scores, count) {
    return [...softmax(scores).entries()].sort((a, b) => b[1] - a[1]).slice(0, count);
  }

  const functions = { read, forward, seen, encode, generator, draw, likeliest, gelu };
  if (typeof module !== "undefined") module.exports = functions;
  else window.norchGPT = functions;
})();
