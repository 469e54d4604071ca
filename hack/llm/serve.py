#!/usr/bin/env python3
"""Serves a tiny language model with random weights by llama.cpp, whose server has OpenAI's chat interface.
What it says is nonsense, within the form that response_format asks for. The tests of detectors/remote/llm
start it.

usage: serve.py FOLDER PORT
"""
import os
import sys
import threading

import gguf
import numpy
import xllamacpp

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
WIDTH, HIDDEN, CONTEXT = 32, 64, 16384


def make(path):
    """Writes a model of one layer whose tokens are bytes."""
    w = gguf.GGUFWriter(path, "llama")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(WIDTH)
    w.add_block_count(1)
    w.add_feed_forward_length(HIDDEN)
    w.add_head_count(2)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(WIDTH // 2)
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    w.add_tokenizer_model("llama")
    w.add_token_list(tokens)
    w.add_token_scores([0.0] * len(tokens))
    kinds = gguf.TokenType
    w.add_token_types([kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * 256)
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_chat_template(TEMPLATE)
    draw = numpy.random.default_rng(1)
    shapes = {"token_embd": (len(tokens), WIDTH), "output": (len(tokens), WIDTH), "blk.0.ffn_gate": (HIDDEN, WIDTH),
              "blk.0.ffn_up": (HIDDEN, WIDTH), "blk.0.ffn_down": (WIDTH, HIDDEN)}
    shapes |= {f"blk.0.attn_{n}": (WIDTH, WIDTH) for n in ("q", "k", "v", "output")}
    for name, shape in shapes.items():
        w.add_tensor(name + ".weight", draw.normal(size=shape).astype(numpy.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        w.add_tensor(name + ".weight", numpy.ones(WIDTH, dtype=numpy.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main(folder, port):
    path = os.path.join(folder, "tiny.gguf")
    make(path)
    p = xllamacpp.CommonParams()
    p.model.path = path
    p.hostnames, p.port = ["127.0.0.1"], int(port)
    p.n_ctx, p.n_predict, p.n_parallel = CONTEXT, 200, 1
    p.cpuparams.n_threads = 1
    p.warmup = False
    server = xllamacpp.Server(p)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
