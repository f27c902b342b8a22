// What a reader cannot see well: text of too little contrast, too small letters, cut-off pictures.
// `looks()` is put into a page by the tests; it returns what it finds, and changes nothing but that
// every folded part is opened.
"use strict";

function looks() {
  const parse = (text) => {
    const found = text.match(/[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
    const scale = text.startsWith("color(srgb") ? 255 : 1;
    return [found[0] * scale, found[1] * scale, found[2] * scale, found[3] ?? 1];
  };
  const over = (top, below) => {
    const alpha = top[3] + below[3] * (1 - top[3]);
    if (alpha === 0) return [0, 0, 0, 0];
    const mixed = [0, 1, 2].map((k) => (top[k] * top[3] + below[k] * below[3] * (1 - top[3])) / alpha);
    return [...mixed, alpha];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };

  // The colour behind an element: its own, over its parent's, up to white paper.
  const behind = (element) => {
    let seen = [0, 0, 0, 0];
    for (let one = element; one && seen[3] < 0.999; one = one.parentElement) {
      if (!(one instanceof SVGElement) || one.tagName === "svg") seen = over(seen, parse(getComputedStyle(one).backgroundColor));
    }
    return over(seen, [255, 255, 255, 1]);
  };
  // In a drawing: the filled shapes drawn before the words, where the words stand.
  const painted = (text, box) => {
    let seen = behind(text.ownerSVGElement);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    for (const shape of text.ownerSVGElement.querySelectorAll("rect, circle, ellipse, polygon, path")) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const style = getComputedStyle(shape), at = shape.getBoundingClientRect();
      if (style.fill === "none" || x < at.left || x > at.right || y < at.top || y > at.bottom) continue;
      const fill = parse(style.fill);
      seen = over([...fill.slice(0, 3), fill[3] * Number(style.fillOpacity) * Number(style.opacity)], seen);
    }
    return seen;
  };
  const hidden = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false })) return true;
    if (element.closest(":disabled, [aria-hidden=true], .visually-hidden, mjx-assistive-mml, dialog:not([open])")) return true;
    const box = element.getBoundingClientRect();
    return box.width <= 1 || box.height <= 1 || box.right <= 0 || box.bottom + scrollY <= 0;
  };

  const still = document.createElement("style"); // a colour on its way to another is neither
  still.textContent = "*, *::before, *::after { transition: none !important; animation: none !important; }";
  document.head.append(still);
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  const found = { faint: [], small: [], cut: [], texts: 0, drawn: 0 };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, template, title") || hidden(element)) continue;
    const style = getComputedStyle(element), range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect(), drawing = element.ownerSVGElement;
    const zoom = drawing ? drawing.getScreenCTM().a : 1;
    const size = parseFloat(style.fontSize) * zoom;
    const below = drawing ? painted(element, box) : behind(element);
    let ink = parse(drawing ? style.fill : style.color);
    for (let one = element; one; one = one.parentElement) ink[3] *= Number(getComputedStyle(one).opacity);
    const ratio = contrast(over(ink, below), below);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const told = { words: node.data.trim().slice(0, 40), where: `${element.tagName}.${element.getAttribute("class") ?? ""}` };
    found.texts += 1;
    found.drawn += drawing ? 1 : 0;
    if (ratio < needed) found.faint.push({ ...told, ratio: Math.round(ratio * 100) / 100, needed });
    if (size < 9) found.small.push({ ...told, size: Math.round(size * 10) / 10 });
    if (drawing && !element.closest("mjx-container")) {
      const frame = drawing.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) found.cut.push(told);
    }
  }
  found.width = document.documentElement.scrollWidth;
  found.theme = document.documentElement.dataset.theme;
  found.empty = [...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src);
  return found;
}
