// The quizzes of the chapters: a field for each question, and an answer to each answer.
//
// The page holds what is right, and what people answer instead with the sentence that names the
// mistake. The first half compares answers and is a pure function, which a test runs; the second
// half makes the fields. No network; without JavaScript the fold below each question tells it all.
"use strict";

const YES = { true: "yes", y: "yes", false: "no", n: "no" };

function plain(answer) {
  // "[3, 1]", "(3,1)" and "3 1" are one answer; so are "16,777,216" and "16777216", "4" and "4.0".
  const text = answer.trim().toLowerCase().replace(/^\d{1,3}(,\d{3})+(?=\D*$)/, (found) => found.replaceAll(",", ""));
  const words = text.replace(/[.!?]+$/, "").split(/[\s,;()[\]"'`]+/).filter((word) => word !== "");
  return words.map((word) => (isFinite(word) ? String(Number(word)) : YES[word] ?? word.replace(/^(norch|torch)\./, ""))).join(" ");
}

function matches(answer, expected) {
  const [given, wanted] = [plain(answer), plain(expected)];
  // A number may bring its unit: "6 rows", "43 %".
  return given === wanted || (/^-?[\d.]+$/.test(wanted) && given.replace(/ ?[a-z%]+$/, "") === wanted);
}

function judge(quiz, answer) {
  if (plain(answer) === "") return { verdict: "empty", says: "Type an answer first." };
  if (quiz.right.some((one) => matches(answer, one))) return { verdict: "right", says: `Right. ${quiz.why}` };
  const known = quiz.wrong.find(([one]) => matches(answer, one));
  return { verdict: "wrong", says: known ? known[1] : "That is not it. Try once more, or open the answer below." };
}

if (typeof module !== "undefined") module.exports = { judge };

// ---- Drawing ------------------------------------------------------------------------------------

function withCode(text) {
  // Text in which `words` between backticks are code.
  return text.split("`").map((part, k) => {
    if (k % 2 === 0) return part;
    const made = document.createElement("code");
    made.textContent = part;
    return made;
  });
}

function makeField(box, quiz) {
  const form = document.createElement("form");
  form.innerHTML = '<label><span></span><input type="text" autocomplete="off" autocapitalize="off" spellcheck="false"></label>'
    + '<button type="submit">Check</button><p class="say" role="status" aria-live="polite"></p>';
  const [field, says] = [form.querySelector("input"), form.querySelector(".say")];
  form.querySelector("span").append(...withCode(quiz.label));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = judge(quiz, field.value);
    form.dataset.verdict = found.verdict;
    says.replaceChildren(...withCode(found.says));
  });
  field.addEventListener("input", () => {
    delete form.dataset.verdict;
    says.replaceChildren();
  });
  box.prepend(form);
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(".quiz")) makeField(box, JSON.parse(box.nextElementSibling.textContent));
  });
}
