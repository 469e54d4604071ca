// The page. The engine runs in a worker, so that typing stays smooth.
"use strict";

const raw = document.getElementById("raw");
const clean = document.getElementById("clean");
const status = document.getElementById("status");
const legend = document.getElementById("legend");
const reason = document.getElementById("reason");
const strategy = document.getElementById("strategy");

let worker;
let ready = false;
let busy = false; // the worker has a text
let changed = true; // the text is newer than what the worker has

function send() {
  if (!ready || busy || !changed) return;
  busy = true;
  changed = false;
  status.textContent = "working";
  worker.postMessage({ text: raw.value, strategy: strategy.value });
}

function start() {
  const failed = () => { status.textContent = "the engine could not be loaded"; };
  worker = new Worker("worker.js");
  worker.onerror = failed;
  worker.onmessage = ({ data }) => {
    if (data.failed) {
      failed();
      return;
    }
    if (data.ready) {
      ready = true;
    } else {
      busy = false;
      status.textContent = data.error || "";
      if (!changed) show(data);
    }
    send();
  };
}

// The service worker keeps the files first, so that they are loaded once. The page works without it, too.
const keeper = navigator.serviceWorker;
const kept = keeper ? keeper.register("sw.js").then(() => keeper.ready) : Promise.resolve();
kept.catch(() => {}).then(start);

let timer;
function edited() {
  changed = true;
  clearTimeout(timer);
  timer = setTimeout(send, 150);
}
raw.addEventListener("input", edited);
strategy.addEventListener("change", edited);

// A file may be dropped anywhere; it is read here and not sent.
async function openFile(file) {
  if (!file) return;
  raw.value = await file.text();
  edited();
}
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  openFile(event.dataTransfer.files[0]);
});
document.getElementById("file").addEventListener("change", (event) => openFile(event.target.files[0]));

document.getElementById("copy").addEventListener("click", async () => {
  const lines = Array.from(clean.children, (row) => row.textContent);
  await navigator.clipboard.writeText(lines.join("\n")).then(
    () => { status.textContent = "copied"; },
    () => { status.textContent = "the browser did not allow to copy"; });
});

// A mask says why it is one while the pointer or the focus is on it.
for (const event of ["mouseover", "focusin"]) {
  clean.addEventListener(event, ({ target }) => {
    if (target.tagName === "MARK") reason.textContent = target.dataset.reason;
  });
}

// show writes the lines as text nodes: nothing of a call becomes markup.
function show({ lines = [], about = {} }) {
  clean.replaceChildren();
  legend.replaceChildren();
  reason.textContent = "Point at a mask to see why it is one.";
  const counts = new Map();
  for (const line of lines) {
    const row = document.createElement("div");
    if (line.speaker) {
      const who = document.createElement("span");
      who.className = "speaker";
      who.textContent = line.speaker + ": ";
      row.append(who);
    }
    const points = Array.from(line.text); // positions count code points
    let at = 0;
    for (const m of line.masks) {
      row.append(points.slice(at, m.start).join(""));
      const mark = document.createElement("mark");
      mark.textContent = points.slice(m.start, m.end).join("");
      mark.tabIndex = 0;
      mark.dataset.reason = mark.title = `${m.type}: ${m.reason}`;
      row.append(mark);
      at = m.end;
      counts.set(m.type, (counts.get(m.type) || 0) + 1);
    }
    row.append(points.slice(at).join(""));
    clean.append(row);
  }
  for (const [type, n] of Array.from(counts).sort()) {
    const item = document.createElement("li");
    item.textContent = `${n} ${type}` + (about[type] ? `: ${about[type]}` : "");
    legend.append(item);
  }
}
