// The colours of Python while it is written: a text becomes spans with the classes that Pygments gives in the page.
// editor.js calls it at every change. A scanner of words, no parser: it never fails, whatever the text.
"use strict";
(() => {
  const words = (text) => new Set(text.trim().split(/\s+/));
  const CLASSES = [
    ["kn", words("import from")],
    ["ow", words("and in is not or")],
    ["kc", words("True False None")],
    ["k", words(`
      as assert async await break class continue def del elif else except finally for global if lambda
      nonlocal pass raise return try while with yield`)],
    ["bp", words("self cls")],
    ["nb", words(`
      abs all any bool bytes callable chr dict dir divmod enumerate eval exec filter float format
      frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max
      memoryview min next object oct open ord pow print property range repr reversed round set setattr
      slice sorted staticmethod classmethod str sum super tuple type vars zip`)],
    ["ne", words(`
      ArithmeticError AssertionError AttributeError BaseException Exception IndexError KeyError
      LookupError MemoryError NameError NotImplementedError OSError OverflowError RecursionError
      RuntimeError StopIteration TypeError ValueError ZeroDivisionError`)],
  ];
  const TOKEN = new RegExp(
    [
      /(?<long>[rbfu]{0,2}("""|''')(?:\\[^]|(?!\2)[^])*(?:\2|$))/, // closed, or open to the end
      /(?<short>[rbfu]{0,2}(["'])(?:\\[^]|(?!\4)[^\\\n])*\4?)/,
      /(?<comment>#.*)/,
      /(?<number>(?:0x[\da-f_]+|0[bo][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?j?)(?![a-z_\d]))/,
      /(?<decorator>@[a-z_][\w.]*)/,
      /(?<word>[\p{L}_][\p{L}\p{N}_]*)/,
      /(?<sign>[-+*\/%@&|^~<>=!]+|[.]{3}|[.](?=\w))/,
      /(?<punctuation>[()[\]{},:;]+)/,
    ].map((one) => one.source).join("|"),
    "giu",
  );

  function classOfWord(word, before) {
    if (/\bdef\s+$/.test(before)) return /^__\w+__$/.test(word) ? "fm" : "nf";
    if (/\bclass\s+$/.test(before)) return "nc";
    return CLASSES.find(([, known]) => known.has(word))?.[0] ?? "n";
  }

  function classOf(groups, before) {
    const { long, short, comment, number, decorator, word, punctuation } = groups;
    const line = before.slice(before.lastIndexOf("\n") + 1);
    if (long) return line.trim() || !/[:\n]\s*$|^\s*$/.test(before) ? "s2" : "sd";
    if (short) return /^\w*'/.test(short) ? "s1" : "s2";
    if (comment) return "c1";
    if (number) return /^0x|^[\d_]+$/i.test(number) ? "mi" : "mf";
    if (decorator) return line.trim() ? "o" : "nd";
    if (word) return classOfWord(word, line);
    return punctuation ? "p" : "o";
  }

  function span(name, text) {
    const one = document.createElement("span");
    one.className = name;
    one.textContent = text;
    return one;
  }

  // An f-string: what stands in braces is code again, up to how it is to be written.
  function formatted(name, text) {
    return text.split(/(\{\{|\}\}|\{[^{}]*\})/).flatMap((part) => {
      const [, code, rest] = part.match(/^\{([^{:!}]+)(.*)$/s) ?? [];
      return code ? [span("si", "{"), ...coloured(code), span("si", rest)] : [span(name, part)];
    });
  }

  function coloured(text) {
    const pieces = [];
    let end = 0;
    for (const found of text.matchAll(TOKEN)) {
      if (found.index > end) pieces.push(text.slice(end, found.index));
      const name = classOf(found.groups, text.slice(0, found.index));
      pieces.push(...(/^r?fr?["']/i.test(found[0]) ? formatted(name, found[0]) : [span(name, found[0])]));
      end = found.index + found[0].length;
    }
    return [...pieces, text.slice(end)];
  }

  norchLive.coloured = coloured;
})();
