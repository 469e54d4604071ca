// The page. The engine runs in a worker, so that typing stays smooth.
"use strict";

const raw = document.getElementById("raw");
const clean = document.getElementById("clean");
const status = document.getElementById("status");
const counts = document.getElementById("counts");
const strategy = document.getElementById("strategy");

const worker = new Worker("worker.js");
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

worker.onmessage = ({ data }) => {
  if (data.ready) {
    ready = true;
  } else {
    busy = false;
    status.textContent = data.error || "";
    if (!changed) show(data.lines || []);
  }
  send();
};
worker.onerror = () => { status.textContent = "the engine could not be loaded"; };

let timer;
function edited() {
  changed = true;
  clearTimeout(timer);
  timer = setTimeout(send, 150);
}
raw.addEventListener("input", edited);
strategy.addEventListener("change", edited);

// show writes the lines as text nodes: nothing of a call becomes markup.
function show(lines) {
  clean.replaceChildren();
  const types = new Map();
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
    for (const e of line.entities) {
      row.append(points.slice(at, e.start).join(""));
      const mark = document.createElement("mark");
      mark.textContent = points.slice(e.start, e.end).join("");
      mark.title = `${e.type}, found by ${e.detector}, score ${e.score}`;
      row.append(mark);
      at = e.end;
      types.set(e.type, (types.get(e.type) || 0) + 1);
    }
    row.append(points.slice(at).join(""));
    clean.append(row);
  }
  counts.textContent = Array.from(types, ([type, n]) => `${n} ${type}`).join(", ");
}
