// Clang in a worker: compiles one answer and links it with objects built before. The text of @yowasp/clang follows
// this one and sets `yowasp`; it asks for its files by name, and all are here: nothing is fetched.
"use strict";
let files = {}, pack = {}, recipe = {};
const decode = (bytes) => new TextDecoder().decode(bytes);

const unzipped = (bytes) => new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));

self.fetch = async (url) => {
  const data = files[String(url).split("/").at(-1)];
  if (!data) return new Response(new Uint8Array(1024)); // an archive of headers that we do not use: it ends at once
  return new Response(unzipped(data), { headers: { "Content-Type": "application/wasm" } });
};

// A number of four bytes, a table {path: length} of that size, then the files in its order.
function unpacked(bytes) {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 4 + size;
  const found = {};
  for (const [path, length] of Object.entries(JSON.parse(decode(bytes.subarray(4, at))))) {
    found[path] = bytes.subarray(at, (at += length));
  }
  return found;
}

function tree(found) {
  const root = {};
  for (const [path, data] of Object.entries(found)) {
    const folders = path.split("/");
    const name = folders.pop();
    folders.reduce((folder, one) => (folder[one] ??= {}), root)[name] = data;
  }
  return root;
}

async function start(given) {
  files = given.files;
  pack = unpacked(new Uint8Array(await new Response(unzipped(files.cpp)).arrayBuffer()));
  recipe = JSON.parse(decode(pack["recipe.json"]));
  await yowasp.runLLVM(["clang", "--version"], {}, { stdout: null, fetchProgress() {} });
  files = {};
  return {};
}

async function compile({ source, text }) {
  let said = "";
  const heard = { decodeASCII: false, stdout: null, stderr: (bytes) => { said += bytes ? decode(bytes) : ""; } };
  const objects = recipe.sources[source];
  const rest = Object.entries(pack).filter(([path]) => !objects.includes(path)); // clang replaces no file that is there
  let root = tree({ ...Object.fromEntries(rest), [source]: new TextEncoder().encode(text) });
  try {
    for (const object of objects) root = await yowasp.runClang(recipe.compile[object], root, heard);
    root = await yowasp.runLLVM(recipe.link, root, heard);
    return { module: root[recipe.module] };
  } catch (error) {
    if (error instanceof yowasp.Exit || error instanceof WebAssembly.RuntimeError) return { said };
    throw error;
  }
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await { start, compile }[data.do](data));
  } catch (error) {
    self.postMessage({ failed: String(error?.message || error) });
  }
};
