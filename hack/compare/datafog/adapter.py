"""DataFog with its "smart" engine, which adds spaCy's entities to the structured ones, with the medium English model;
it takes GLiNER first where its model is, which PyPI does not have.
Page followed: https://pypi.org/project/datafog/
"""

import sys
from pathlib import Path

import datafog
from datafog.processing.text_processing.spacy_pii_annotator import SpacyPIIAnnotator

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run, spacy_model  # noqa: E402

TYPES = {
    "EMAIL": "EMAIL_ADDRESS", "PHONE": "PHONE_NUMBER", "SSN": "SSN", "CREDIT_CARD": "CREDIT_CARD_NUMBER", "IP_ADDRESS": "IP_ADDRESS",
    "ZIP_CODE": "STREET_ADDRESS", "PERSON": "PERSON_NAME", "ORGANIZATION": "ORGANIZATION_NAME", "LOCATION": "LOCATION", "ADDRESS": "STREET_ADDRESS", "DATE": "DATE_OF_BIRTH",
}
# The engine takes no name of a model: it loads the large one, which PyPI does not have.
SpacyPIIAnnotator.create.__func__.__defaults__ = (spacy_model(),)


def find(text):
    for e in datafog.scan(text, engine="smart").entities:
        # What spaCy takes for a date is left out, as Sotto leaves dates out by default; the pattern is for dates of birth.
        if e.type != "DATE" or e.engine == "regex":
            yield e.start, e.end, TYPES.get(e.type, "GENERIC_ID")


run(find)
