"""The operators' stream of events, over the client `websockets`: each message is one of api/asyncapi.yaml."""

import json
import time

import jsonschema_rs
import pytest
import requests
import websockets.exceptions
import yaml
from websockets.sync.client import connect

from test_admin_api import operator_key
from venue import DEADLINE_S, ROOT, OperatorSignature, Venue

DOCUMENT = yaml.safe_load((ROOT / "api/asyncapi.yaml").read_text())
MESSAGES = DOCUMENT["components"]["messages"]
FACTS = MESSAGES["operatorFact"]["payload"]["properties"]["event"]["enum"]


@pytest.fixture
def desk(tmp_path):
    venue = Venue(tmp_path, "--no-bots")
    yield venue, operator_key(venue)
    venue.stop()


def ask(desk, method, path, body=None):
    venue, key = desk
    answer = requests.request(method, f"{venue.url}/admin/v1{path}", json=body, auth=OperatorSignature(key))
    assert answer.status_code == 200, f"{method} {path} {answer.text}"
    return answer.json()


def watch(desk, from_seq=None):
    venue, key = desk
    query = "" if from_seq is None else f"?fromSeq={from_seq}"
    path = f"/admin/v1/events{query}"
    headers = requests.Request("GET", venue.url + path, auth=OperatorSignature(key)).prepare().headers
    return connect(venue.socket + path, additional_headers=dict(headers))


def read(socket, count):
    messages = []
    while len(messages) < count:
        message = json.loads(socket.recv(timeout=DEADLINE_S))
        name = "operatorFact" if message["event"] in FACTS else message["event"]
        jsonschema_rs.validate(MESSAGES[name]["payload"], message)
        messages.append(message)
    return messages


def test_each_message_is_pushed_as_the_document_says(desk):
    with watch(desk) as socket:
        last = read(socket, 1)[0]["sequence"]
        began = time.monotonic()
        ask(desk, "PUT", "/instruments/BTCUSDT/phase", {"phase": "Halt"})
        command, changed = read(socket, 2)
        assert time.monotonic() - began < 1
        assert (command["command"], command["key"]) == ("SetPhase", desk[1]["key"])
        assert command["effect"]["PhaseChanged"] == 1
        assert (changed["event"], changed["fields"]["instrument"]) == ("PhaseChanged", "BTCUSDT")
        assert changed["fields"]["phase"] == "Halt"
        ask(desk, "POST", "/halt", {"level": 1})
        ask(desk, "POST", "/resume")
        ask(desk, "PUT", "/accounts/bob/kill", {"switch": "On"})
        ask(desk, "PUT", "/accounts/bob/kill", {"switch": "Off"})
        money = {"asset": "USDT", "amount": "5", "external_ref": "out"}
        ask(desk, "POST", "/accounts/alice/withdrawals", money)
        ask(desk, "POST", "/accounts/alice/withdrawals/out/confirm")
        ask(desk, "POST", "/accounts/alice/withdrawals", {**money, "external_ref": "stays"})
        ask(desk, "POST", "/accounts/alice/withdrawals/stays/cancel")
        seen = read(socket, 16)
    facts = [message["event"] for message in seen if message["event"] != "Command"]
    assert facts == [
        "VenueHalted",
        "VenueResumed",
        "KillSwitchSet",
        "KillSwitchSet",
        "WithdrawalRequested",
        "WithdrawalCompleted",
        "WithdrawalRequested",
        "WithdrawalCanceled",
    ]
    # The commands are the rows of the audit trail.
    rows = {row["sequence"]: row for row in ask(desk, "GET", f"/audit?from={last + 1}")}
    for message in [command, *seen]:
        if message.pop("event") == "Command":
            assert message == rows.pop(message["sequence"])
    assert not rows

    with watch(desk, last + 1) as socket:
        again = read(socket, 19)
    assert again[0] == {"event": "Subscribed", "sequence": last}
    assert [message["sequence"] for message in again[1:3]] == [last + 1] * 2
    assert [message["event"] for message in again[3:] if message["event"] != "Command"] == facts


def test_the_end_of_a_key_and_of_the_venue_are_messages(desk):
    venue, key = desk
    other = operator_key(venue)
    with watch(desk) as socket, watch((venue, other)) as goes_on:
        read(socket, 1), read(goes_on, 1)
        ask((venue, other), "DELETE", f"/keys/{key['key']}")
        with pytest.raises(websockets.exceptions.ConnectionClosed) as closed:
            socket.recv(timeout=DEADLINE_S)
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "the key was revoked or has expired")
        assert read(goes_on, 1)[0]["command"] == "RevokeKey"
        with pytest.raises(websockets.exceptions.InvalidStatus) as refused:
            watch(desk)
        assert refused.value.response.status_code == 401
        venue.process.terminate()
        assert read(goes_on, 1)[0] == {"event": "Shutdown"}
