"""Requests that schemathesis generates from an API document."""

from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode


def send_drawn(operation, mode, send):
    """Passes `send` requests that the document allows, or that it forbids; the same ones each time."""

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=15, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def drawn(case):
        send(case)

    # An operation without parameters has nothing that could be wrong.
    try:
        drawn()
    except Unsatisfiable:
        assert mode == GenerationMode.NEGATIVE, operation.label
