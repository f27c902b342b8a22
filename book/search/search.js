// The search: names of the library that a query names come first, then the sections that say it.
//
// It runs on the page search.html alone, over the index that norch_search.py writes, and asks for
// no other file: so it works on a page that was opened by a double click.
"use strict";

const SHOWN = { names: 12, sections: 2, around: 90 };

// How well a name answers a query: 0 is best, 9 not at all. The case of letters decides ties.
function fits(name, query) {
  const short = name.slice(name.lastIndexOf(".") + 1);
  const asked = query.replace(/^(norch|torch)\./, "");
  const [small, wanted] = [short.toLowerCase(), asked.toLowerCase()];
  if (`.${name}`.endsWith(`.${asked}`)) return 0;
  if (`.${name}`.toLowerCase().endsWith(`.${wanted}`)) return 1;
  if (wanted.length > 1 && short.startsWith(asked)) return 2;
  if (wanted.length > 1 && small.startsWith(wanted)) return 3;
  return wanted.length > 2 && small.includes(wanted) ? 4 : 9;
}

// The last part of a dotted query: `relu` for `F.relu`; "" for another one.
function lastPart(query) {
  const found = query.trim().match(/^\w+(?:\.\w+)*\.(\w+)$/);
  return found ? found[1] : "";
}

// The names that some ways of writing mean, best first.
function namesOf(index, ways, worst) {
  const ranked = ([module, page, own]) => {
    const [path, title] = index.pages[page];
    return own.map(([short, text]) => {
      const name = `${module}.${short}`;
      const rank = Math.min(...ways.map((way) => fits(name, way)));
      return { title: name, page: title, href: `${path}.html#${name}`, text, rank };
    });
  };
  return index.names
    .flatMap(ranked)
    .filter(({ rank }) => rank <= worst)
    .sort(
      (a, b) =>
        a.rank - b.rank || a.title.length - b.title.length || (a.title < b.title ? -1 : 1),
    );
}

// The names that a query means; several words may be one name: `batch norm`. Where a dotted one is
// no end of a name, names that are called as its last part: `dist.all_reduce`.
function names(index, query) {
  const words = query.trim().split(/\s+/);
  if (words.length > 1) return namesOf(index, [words.join("_"), words.join("")], 3);
  const found = namesOf(index, words, 4);
  return found.length || !lastPart(query) ? found : namesOf(index, [lastPart(query)], 1);
}

// What finds a word: at the start of a word, and inside of one if it is long enough.
function pattern(word) {
  const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(word.length < 4 ? `\\b${plain}` : plain, "gi");
}

// The words side by side, also written as one: FlashAttention for `flash attention`.
function phrase(words) {
  return new RegExp(words.map((word) => pattern(word).source).join("\\w*[ _-]?"), "gi");
}

// How much a section says about the words; 0 if one of them is missing.
function weight(title, text, words) {
  const all = `${title} ${text}`;
  const counts = words.map((word) => (all.match(pattern(word)) ?? []).length);
  if (counts.includes(0)) return 0;
  const inTitle = words.every((word) => pattern(word).test(title));
  const together = (all.match(phrase(words)) ?? []).length;
  return 1 + 30 * inTitle + 8 * Math.min(together, 4) + Math.min(...counts, 5);
}

// What stands around the words side by side, or around the first of them.
function excerpt(text, words) {
  const together = text.search(phrase(words));
  const apart = words.map((word) => text.search(pattern(word))).filter((at) => at >= 0);
  const at = together >= 0 ? together : Math.min(...apart, text.length);
  const start = at === text.length ? 0 : Math.max(0, at - SHOWN.around);
  const from = start && text.indexOf(" ", start) + 1;
  const until = from + 3 * SHOWN.around;
  const end = until < text.length ? text.lastIndexOf(" ", until) : text.length;
  return `${from ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`;
}

// The sections that say all words: pages by their best section, few sections of each page.
function sections(index, query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  const pages = new Map();
  for (const [page, anchor, title, text] of index.sections) {
    const [path, name] = index.pages[page];
    const about = words.every((word) => pattern(word).test(name));
    const found = weight(title, text, words);
    if (!found) continue;
    const module = title.includes(".") && title.toLowerCase() === query.trim().toLowerCase();
    const rank = found + (about ? 20 : 0) + (module ? 50 : 0); // the page, the section is about it
    const [whole, place] = [title === name ? name : `${name}: ${title}`, anchor && `#${anchor}`];
    const one = { title: whole, page: name, href: `${path}.html${place}`, rank };
    one.text = excerpt(text, words);
    pages.set(page, [...(pages.get(page) ?? []), one]);
  }
  return [...pages.values()]
    .map((found) => found.sort((a, b) => b.rank - a.rank).slice(0, SHOWN.sections))
    .sort((a, b) => b[0].rank - a[0].rank)
    .flat();
}

// Everything that a query finds: exact names and beginnings, sections, names that only hold it. A
// dotted query that is nowhere is looked for by its last part: `Tensor.view`.
function search(index, query) {
  if (!query.trim()) return [];
  const named = names(index, query);
  const near = named.filter((one) => one.rank < 4).slice(0, SHOWN.names);
  const far = named.filter((one) => one.rank === 4).slice(0, SHOWN.names);
  const found = [...near, ...sections(index, query), ...far];
  return found.length || !lastPart(query) ? found : sections(index, lastPart(query));
}

if (typeof module !== "undefined") module.exports = { fits, names, sections, search, excerpt };

// Text with the words of the query marked; what is shown is text, never HTML.
function marked(text, words) {
  const span = document.createElement("span");
  const any = new RegExp(`(${words.map((word) => pattern(word).source).join("|")})`, "gi");
  text.split(any).forEach((part, at) => {
    const node = at % 2 ? document.createElement("mark") : document.createTextNode(part);
    if (at % 2) node.textContent = part;
    span.append(node);
  });
  return span;
}

// A result as an item of the list.
function row(one, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const text = document.createElement("p");
  link.href = one.href;
  link.textContent = one.title;
  text.append(marked(one.text, words));
  item.append(link, text);
  return item;
}

// Show what the field asks for, and say how much was found.
function show(root) {
  const query = root.querySelector("input").value.trim();
  const found = search(window.norchSearch, query);
  root.querySelector("ol").replaceChildren(...found.map((one) => row(one, query.split(/\s+/))));
  const count = `${found.length} result${found.length === 1 ? "" : "s"}`;
  const told = query ? `${found.length ? count : "Nothing"} for “${query}”` : "";
  root.querySelector("[role=status]").textContent = told;
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    const root = document.querySelector(".norch-search");
    const field = root.querySelector("input");
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    field.addEventListener("input", () => show(root));
    show(root);
    field.focus();
  });
}
