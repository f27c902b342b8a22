// Answers in C++ as a page judges them, under node: clang compiles in a worker, a fresh Pyodide judges in another.
// `node cpp_in_node.cjs PYODIDE ARCHIVE PATH PARTS LIMIT`, a job a line on stdin: {id, body, limit} or {id, bodies};
// many bodies are compiled at once. What came of each goes to stdout, a line a body. clang_worker.js is the page's own.
"use strict";
const { Worker, parentPort, workerData, isMainThread } = require("node:worker_threads");
const { readFileSync, readdirSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { resolve } = require("node:path");
const seconds = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };

// ------------------------------------------------------------ a fresh Python
const VARIANTS = `
import json, live_check
from norch_course import running
from norch_course.catalog import load
def variants(id, bodies):
    running.compiler.set(live_check.placing(None))
    try:
        running.run_variants(load(live_check.ROOT).find(id), bodies)
    except live_check.Uncompiled as first:
        return json.dumps({"compile": first.args})
`;

// The first Python keeps its memory for all that follow, as a page does.
async function python({ folder, archive, path, snapshot, asked }) {
  const { loadPyodide } = require(resolve(folder, "pyodide.js"));
  const { info } = JSON.parse(readFileSync(resolve(folder, "pyodide-lock.json"), "utf8"));
  const one = await loadPyodide({
    indexURL: resolve(folder),
    lockFileContents: JSON.stringify({ info, packages: {} }),
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0", NORCH_NUM_THREADS: "1" },
    ...(snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: true }),
  });
  one.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/norch" });
  one.runPython(readFileSync(path, "utf8"));
  one.runPython("import live_check");
  if (!snapshot) parentPort.postMessage({ kind: "snapshot", text: one.makeMemorySnapshot() });
  one.runPython(`import os; os.environ["NORCH_VARIANT"] = "${asked.variant ?? 0}"`);
  const { id, bodies, body, was, compiled } = asked;
  if (bodies) {
    one.runPython(VARIANTS);
    return one.globals.get("variants")(id, one.toPy(bodies));
  }
  const live = one.pyimport("live_check");
  const tell = (kind, text) => parentPort.postMessage({ kind, text });
  const judging = was ? live.was(was.note, was.printed, was.problem) : live.here(tell);
  const { module = new Uint8Array(), said } = compiled ?? {};
  return live.check(id, body, judging, compiled && live.Compiled(one.toPy(module), said));
}

// ------------------------------------------------------------ the page's part
const workers = (given, asked) => new Worker(__filename, { workerData: { ...given, asked } });

function ask(given, asked) {
  const told = { note: "", printed: "" };
  return new Promise((resolve) => {
    const one = workers(given, asked);
    let timer = 0;
    const end = (found) => { clearTimeout(timer); one.terminate(); resolve({ told, ...found }); };
    one.on("error", (error) => end({ problem: `ended Python (${error.message})` }));
    one.on("message", ({ kind, text }) => {
      if (kind === "snapshot") given.snapshot = text;
      else if (kind === "done") end({ found: JSON.parse(text) });
      else if (kind === "failed") end({ problem: `ended Python (${text})` });
      else if (kind === "judging") timer = setTimeout(() => end({ problem: "" }), (asked.limit ?? given.limit) * 1000);
      else if (kind in told) told[kind] += text;
    });
  });
}

async function judged(given, asked) {
  const { told, found, problem } = await ask(given, asked);
  if (found) return found;
  return (await ask(given, { ...asked, was: { ...told, problem }, compiled: {} })).found;
}

// clang_worker.js and clang.js as a page joins them, in a worker that looks like a browser's.
function clang(folder) {
  const head = `
    const { parentPort } = require("node:worker_threads");
    globalThis.self = globalThis;
    self.postMessage = (data) => parentPort.postMessage(data);
    parentPort.on("message", (data) => self.onmessage({ data }));\n`;
  const code = ["clang_worker.js", "clang.js"].map((name) => readFileSync(resolve(folder, name), "utf8"));
  const one = new Worker(head + code.join("\n"), { eval: true });
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(resolve(folder, name)))]));
  const tell = (message) => new Promise((done, fail) => {
    one.once("message", (data) => (data.failed ? fail(new Error(data.failed)) : done(data)));
    one.postMessage(message);
  });
  let started = null;
  return {
    compile: async (source, text) => { await (started ||= tell({ do: "start", files })); return tell({ do: "compile", source, text }); },
    end: () => one.terminate(),
  };
}

async function job(given, compiler, { id, body, bodies, limit }) {
  const first = await judged(given, { id, body, bodies });
  if (!first.compile) return [first];
  const began = seconds();
  const compiled = await compiler.compile(...first.compile);
  console.error(`${id} compiled and linked in ${(seconds() - began).toFixed(1)} s of CPU, ${compiled.module?.length} bytes`);
  const found = [];
  for (const [variant, one] of (bodies ?? [body]).entries()) {
    const began = seconds();
    found.push(await judged(given, { id, body: one, variant, compiled, limit }));
    console.error(`${id} judged in ${(seconds() - began).toFixed(1)} s of CPU`);
  }
  return found;
}

async function main([folder, archive, path, parts, limit]) {
  const given = { folder, archive, path, limit: Number(limit) };
  const compiler = clang(parts);
  for await (const line of createInterface({ input: process.stdin })) {
    for (const found of await job(given, compiler, JSON.parse(line))) console.log(JSON.stringify(found));
  }
  compiler.end();
}

if (isMainThread) main(process.argv.slice(2));
else python(workerData).then(
  (text) => parentPort.postMessage({ kind: "done", text }),
  (error) => parentPort.postMessage({ kind: "failed", text: String(error.message || error).trim().split("\n").at(-1) }),
);
