// Runs the engine.
"use strict";

importScripts("wasm_exec.js"); // of the Go distribution

self.sottoReady = () => self.postMessage({ ready: true });
self.onmessage = ({ data }) => self.postMessage(JSON.parse(self.sottoAnonymize(data.text, data.strategy)));

// The page unpacks the engine itself, so that no server has to know how to send it compressed.
async function run() {
  const response = await fetch("sotto.wasm.gzip");
  if (!response.ok) throw new Error("the engine could not be loaded");
  const bytes = response.body.pipeThrough(new DecompressionStream("gzip"));
  const go = new Go();
  const engine = new Response(bytes, { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(engine, go.importObject);
  go.run(instance);
}
run().catch(() => self.postMessage({ failed: true }));
