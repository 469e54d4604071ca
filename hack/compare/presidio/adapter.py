"""Presidio with every recognizer for English that needs no other service, also those that are off by default, and the
medium English model of spaCy in the place of the large one; organizations, which are ignored by default, are asked for.
Pages followed: https://microsoft.github.io/presidio/analyzer/customizing_nlp_models/ ("Presidio comes with [...] the
en_core_web_lg model from spaCy") and https://microsoft.github.io/presidio/analyzer/analyzer_engine_provider
"""

import sys
from pathlib import Path

import presidio_analyzer
import tldextract
import yaml
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_analyzer.recognizer_registry import RecognizerRegistryProvider

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run, spacy_model  # noqa: E402

TYPES = {
    "PERSON": "PERSON_NAME", "ORGANIZATION": "ORGANIZATION_NAME", "LOCATION": "LOCATION", "DATE_TIME": "DATE", "AGE": "AGE",
    "PHONE_NUMBER": "PHONE_NUMBER", "EMAIL_ADDRESS": "EMAIL_ADDRESS", "CREDIT_CARD": "CREDIT_CARD_NUMBER", "US_SSN": "SSN",
    "US_PASSPORT": "PASSPORT", "IBAN_CODE": "IBAN_CODE", "IP_ADDRESS": "IP_ADDRESS", "URL": "URL", "MAC_ADDRESS": "MAC_ADDRESS",
}
# These call another model or service.
NEEDS_MORE = ("HuggingFace", "LangExtract", "GLiNER", "Stanza", "Transformers", "Azure")

# The list of host endings that the package has, not one from the network.
tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())


def languages(r):
    """A recognizer that lists no languages, such as that of phone numbers, works for all."""
    return [x["language"] if isinstance(x, dict) else x for x in r.get("supported_languages") or ["en"]]


nlp = NlpEngineProvider(nlp_configuration={
    "nlp_engine_name": "spacy",
    "models": [{"lang_code": "en", "model_name": spacy_model()}],
    "ner_model_configuration": {
        "model_to_presidio_entity_mapping": {
            "PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "ORG": "ORGANIZATION", "DATE": "DATE_TIME", "TIME": "DATE_TIME", "NORP": "NRP",
        },
        "labels_to_ignore": ["CARDINAL", "EVENT", "LANGUAGE", "LAW", "MONEY", "ORDINAL", "PERCENT", "PRODUCT", "QUANTITY", "WORK_OF_ART"],
    },
}).create_engine()
listed = yaml.safe_load((Path(presidio_analyzer.__file__).parent / "conf/default_recognizers.yaml").read_text())
listed["supported_languages"] = ["en"]
listed["recognizers"] = [
    {**r, "enabled": True} for r in listed["recognizers"]
    if "en" in languages(r) and not any(x in r["name"] for x in NEEDS_MORE)
]
registry = RecognizerRegistryProvider(registry_configuration=listed, nlp_engine=nlp).create_recognizer_registry()
engine = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])


def find(text):
    for r in engine.analyze(text, language="en"):
        # Dates and times are left out, as Sotto leaves them out by default: nothing says which is a date of birth.
        if r.entity_type != "DATE_TIME":
            yield r.start, r.end, TYPES.get(r.entity_type, "GENERIC_ID")


run(find)
