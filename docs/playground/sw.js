// Keeps the files of the page, so that it works without a network after the first visit.
"use strict";

const version = "sotto-playground-VERSION"; // the build puts a hash of the files here
const files = ["./", "playground.css", "playground.js", "worker.js", "wasm_exec.js", "sotto.wasm.gzip"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("sotto-playground-") && name !== version;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  const wanted = event.request.mode === "navigate" ? "./" : event.request;
  event.respondWith(caches.match(wanted).then((kept) => kept || fetch(event.request)));
});
