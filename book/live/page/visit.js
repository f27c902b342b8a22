// One Python for the pages of a visit. Once a page has loaded it, links to other pages of the book open in a frame
// over that page, which lives on below and starts Python for them from what it holds; without it they are ordinary
// links. On every page: a page in such a frame asks the one below, and says what it is. Pages opened as files may not
// read each other: all is told by messages. Only this script knows of frames.
"use strict";
window.norchLive ||= {};
(() => {
  const NAME = "norch-visit"; // the frame's: it stays when the page in it changes
  const PATIENCE = 10000; // milliseconds for a page to appear in the frame, else it is opened as ever
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href).href;
  const isFramed = window.name === NAME && window.parent !== window;
  const plain = (address) => String(address).replace(/#.*$/, "");
  const isHttp = location.protocol.startsWith("http");

  // The link of a click that would open another page here; null where the reader wants a new tab, or stays.
  function followed(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null;
    if ((link.target && link.target !== "_self") || link.hasAttribute("download")) return null;
    return plain(link.href) === plain(location.href) ? null : link;
  }
  const isOfBook = (link) => link.href.startsWith(root) && /(\/|\.html)$/.test(plain(link.href).replace(/\?.*$/, ""));

  // ---- in the frame ------------------------------------------------------------------------------------------------

  // What python.js gives out, at the other end of a port.
  class FarPython {
    constructor(port, heard) {
      this.port = port;
      this.heard = heard;
      this.ready = this.answer();
      port.onmessage = ({ data }) => {
        if (data.heard) this.heard(data.heard);
        else if (data.error) this.reject(Object.assign(new Error(data.error), { isOurs: data.isOurs }));
        else this.resolve(data.answer);
      };
    }

    answer() {
      return new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    }

    ask(message, heard = () => {}, limit = 0) {
      this.heard = heard;
      this.port.postMessage({ message, limit });
      return this.answer();
    }

    end(words = "ended") {
      this.port.postMessage({ end: words });
      this.reject(new Error(words));
    }
  }

  function beFramed() {
    norchLive.python = async (heard = () => {}, needs = norchLive.needs) => {
      const { port1, port2 } = new MessageChannel();
      window.parent.postMessage({ norch: "python", needs }, "*", [port2]);
      const far = new FarPython(port1, heard);
      await far.ready;
      return far;
    };
    const tell = () => window.parent.postMessage({ norch: "here", title: document.title, address: location.href }, "*");
    document.addEventListener("click", (event) => {
      const link = followed(event);
      if (link && !isOfBook(link)) link.target = "_top";
    });
    window.addEventListener("hashchange", tell);
    tell();
  }

  // ---- below the frame ---------------------------------------------------------------------------------------------

  const own = { python: norchLive.python, title: document.title };
  const served = new Set(); // Pythons of the page in the frame
  let isLoaded = false;
  let frame = null;

  async function serve(port, needs) {
    let one = null;
    const heard = (message) => port.postMessage({ heard: message });
    const fail = (error) => port.postMessage({ error: error.message, isOurs: error.isOurs });
    port.onmessage = ({ data: { message, limit, end } }) => {
      if (end) one?.end(end);
      else one.ask(message, heard, limit).then((answer) => port.postMessage({ answer }), fail);
    };
    try {
      one = await own.python(heard, needs);
      served.add(one);
      port.postMessage({ answer: true });
    } catch (error) {
      fail(error);
    }
  }

  function show(isOpen) {
    document.documentElement.classList.toggle("live-visiting", isOpen);
    for (const one of document.body.children) one.inert = isOpen && one !== frame;
    frame.hidden = !isOpen;
    document.title = isOpen ? frame.title : own.title;
    if (isOpen) frame.focus();
  }

  function open(address) {
    frame?.remove();
    frame = document.createElement("iframe");
    Object.assign(frame, { name: NAME, className: "live-visit", src: address, title: "a page of the book" });
    document.body.append(frame);
    history.pushState({ visit: address }, "", isHttp ? address : undefined);
    frame.late = setTimeout(() => { location.href = address; }, PATIENCE);
    show(true);
  }

  function arrived({ title, address }) {
    clearTimeout(frame.late);
    for (const one of served) one.end();
    served.clear();
    frame.title = title;
    if (frame.hidden) return;
    document.title = title;
    if (isHttp) history.replaceState({ visit: address }, "", address);
  }

  function beBelow() {
    norchLive.python = (...given) => {
      isLoaded = true;
      return own.python(...given);
    };
    document.addEventListener("click", (event) => {
      const link = isLoaded && followed(event);
      if (!link || !isOfBook(link)) return;
      event.preventDefault();
      open(link.href);
    });
    window.addEventListener("popstate", ({ state }) => frame && show(Boolean(state?.visit)));
    window.addEventListener("message", ({ source, data, ports }) => {
      if (!frame || source !== frame.contentWindow) return;
      if (data.norch === "python") serve(ports[0], data.needs);
      if (data.norch === "here") arrived(data);
    });
  }

  if (isFramed) beFramed();
  else if (own.python) beBelow();
})();
