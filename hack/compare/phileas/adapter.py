"""Phileas, in the version for Python, with a policy that has all its filters but those of dates and amounts of money,
which Sotto leaves out by default too; its filter of names needs a service with a model. Page followed:
https://pypi.org/project/phileas-redact/
"""

import sys
from pathlib import Path

from phileas.policy.policy import Policy
from phileas.services.filter_service import FilterService

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run  # noqa: E402

# The filters by their names in a policy, with the infoType that each finds.
FILTERS = {
    "age": "AGE", "emailAddress": "EMAIL_ADDRESS", "creditCard": "CREDIT_CARD_NUMBER", "ssn": "SSN", "phoneNumber": "PHONE_NUMBER",
    "ipAddress": "IP_ADDRESS", "url": "URL", "zipCode": "STREET_ADDRESS", "vin": "VEHICLE_IDENTIFICATION_NUMBER", "bitcoinAddress": "GENERIC_ID",
    "bankRoutingNumber": "ROUTING_NUMBER", "macAddress": "MAC_ADDRESS", "streetAddress": "STREET_ADDRESS", "trackingNumber": "GENERIC_ID",
    "driversLicense": "GENERIC_ID", "ibanCode": "IBAN_CODE", "passportNumber": "PASSPORT",
}
TYPES = {"".join(f"-{c.lower()}" if c.isupper() else c for c in name): t for name, t in FILTERS.items()}
policy = Policy.from_dict({"name": "calls", "identifiers": {name: {} for name in FILTERS}})
service = FilterService()


def find(text):
    for span in service.filter(policy, "call", "utterance", text).spans:
        yield span.character_start, span.character_end, TYPES[span.filter_type]


run(find)
