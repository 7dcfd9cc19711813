"""The operators' API against its own description: schemathesis sends what the document allows, and
what it forbids, and looks whether the answers are those that the document promises."""

import collections
import json
import subprocess

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode

from venue import BINARY, Signature, Venue

# What a value may be can depend on the venue: a price is a whole number of its instrument's ticks, which
# no schema knows. Such a value is refused with 400, so a request that fits the schema may be.
CHECKS = {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 404, 409]}}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A venue, and an operator's key to it."""
    venue = Venue(tmp_path_factory.mktemp("admin"), "--no-bots")
    admin = [BINARY, "admin", "--data", venue.data, "key", "add", "alice", "--role", "operator"]
    key = json.loads(subprocess.check_output(admin))
    yield venue, key
    venue.stop()


@pytest.fixture(scope="module")
def document(desk):
    venue, _ = desk
    document = requests.get(f"{venue.url}/admin/v1/openapi.json").json()
    # What is wrong with signatures is tested elsewhere; here each request has a good one.
    del document["security"]
    config = schemathesis.Config.from_dict({"checks": CHECKS})
    return schemathesis.openapi.from_dict(document, config=config)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_answers_are_those_of_the_document(mode, document, desk):
    venue, key = desk
    base_url = f"{venue.url}/admin/v1"
    operations = [result.ok() for result in document.get_all_operations()]
    assert len(operations) > 30
    seen = collections.Counter()
    for operation in operations:

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=15,
            database=None,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        def check(case):
            # The key that signs must outlive the test.
            if (case.path_parameters or {}).get("key") != key["key"]:
                answer = case.call_and_validate(base_url=base_url, auth=Signature(key))
                seen[answer.status_code] += 1

        # What takes nothing has nothing that could be wrong.
        try:
            check()
        except Unsatisfiable:
            assert mode == GenerationMode.NEGATIVE, operation.label
    # Or else the test would be one of signatures. Most names that are made up are of nothing.
    expected = 200 if mode == GenerationMode.POSITIVE else 400
    assert seen[expected] > 10 and not seen[401], seen
