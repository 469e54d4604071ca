#!/usr/bin/env python3
"""Serves the analyzer of the package presidio-analyzer over HTTP, as Presidio's own image does, with
the recognizers that need no language model. The tests of detectors/remote/presidio start it.

usage: serve.py PORT
"""
import logging
import sys

import tldextract
from flask import Flask, jsonify, request
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, RecognizerRegistry
from presidio_analyzer.nlp_engine import NoOpNlpEngine

# The list of host endings that the package has, not one from the network.
tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())

nlp = NoOpNlpEngine([{"lang_code": "en", "model_name": "none"}])
nlp.load()
registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"], nlp_engine=None)
registry.remove_recognizer("SpacyRecognizer")
engine = AnalyzerEngine(registry=registry, nlp_engine=nlp)

app = Flask(__name__)
logging.getLogger("werkzeug").setLevel(logging.ERROR)


@app.route("/health")
def health():
    return "Presidio Analyzer service is up"


@app.route("/analyze", methods=["POST"])
def analyze():
    try:
        asked = AnalyzerRequest(request.get_json())
        if not asked.text:
            raise ValueError("No text provided")
        if not asked.language:
            raise ValueError("No language provided")
    except (TypeError, ValueError) as e:
        return jsonify(error=str(e)), 400
    found = engine.analyze(text=asked.text, language=asked.language, entities=asked.entities,
                           score_threshold=asked.score_threshold)
    return jsonify([r.to_dict() for r in found])


app.run(host="127.0.0.1", port=int(sys.argv[1]), threaded=True)
