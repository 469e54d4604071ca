"""scrubadub with its detectors for the United States, that of dates of birth, which is optional, and the detector of
scrubadub_spacy that adds the words around a name to what spaCy finds: names, organizations, places, and dates that lie
18 to 100 years back; with the medium English model of spaCy. Pages followed: https://scrubadub.readthedocs.io/ and
https://pypi.org/project/scrubadub-spacy ("uses the spacy NER model and context words to find names in text")
"""

import sys
import types
import warnings
from pathlib import Path

import scrubadub
from scrubadub_spacy.detectors import SpacyNameDetector

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run, spacy_model  # noqa: E402

warnings.filterwarnings("ignore")
TYPES = {
    "name": "PERSON_NAME", "organization": "ORGANIZATION_NAME", "location": "LOCATION", "address": "STREET_ADDRESS", "phone": "PHONE_NUMBER",
    "email": "EMAIL_ADDRESS", "credit_card": "CREDIT_CARD_NUMBER", "social_security_number": "SSN", "date_of_birth": "DATE_OF_BIRTH",
    "url": "URL", "twitter": "USER_NAME", "skype": "USER_NAME", "credential": "USER_NAME", "postalcode": "STREET_ADDRESS",
}
# scrubadub_spacy imports this, which needs the gigabytes of PyTorch, and uses it with models that are transformers alone.
for name in ("spacy_transformers", "spacy_transformers.pipeline_component"):
    sys.modules[name] = types.ModuleType(name)
# The model is a folder, which the check takes for a name to download.
SpacyNameDetector.check_spacy_model = staticmethod(lambda model: True)
scrubber = scrubadub.Scrubber(locale="en_US")
scrubber.add_detector(scrubadub.detectors.DateOfBirthDetector)
scrubber.add_detector(SpacyNameDetector(named_entities=["PERSON", "ORG", "GPE", "LOC", "FAC", "DATE"], model=spacy_model()))


def find(text):
    for filth in scrubber.iter_filth(text):
        # What two detectors have found is merged.
        kind = getattr(filth, "filths", [filth])[0].type
        yield filth.beg, filth.end, TYPES.get(kind, "GENERIC_ID")


run(find)
