// Runs the engine.
"use strict";

importScripts("wasm_exec.js"); // of the Go distribution

self.sottoReady = () => self.postMessage({ ready: true });
self.onmessage = ({ data }) => self.postMessage(JSON.parse(self.sottoAnonymize(data.text, data.strategy)));

const go = new Go();
WebAssembly.instantiateStreaming(fetch("sotto.wasm"), go.importObject).then(({ instance }) => go.run(instance));
