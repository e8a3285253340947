"""The API against its own schema: whatever is asked, it answers as it says, and never fails.

Hypothesis makes the requests, good and bad. What starts processes is tested elsewhere.
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings

from garden.web.app import make_app
from garden.web.library import Library

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
LONG = os.environ.get("GARDEN_FUZZ") is not None
PROCESSES = ["/api/uploads", "/api/comparisons"]


@pytest.fixture(scope="module")
def api_schema():
    import numpy as np

    from garden.graphs.graph import Graph

    library = Library((), ("connection", "beacons"))
    library.add_upload("path", Graph.from_edges(np.array([(0, 1), (1, 2), (2, 3)]), 4))
    app = make_app(library, host="testserver")
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def operations(schema):
    """What is asked: every path and method but those that start processes."""
    found = (result.ok() for result in schema.get_all_operations())
    return [
        one
        for one in found
        if one.path not in PROCESSES and (one.path, one.method.lower()) != ("/api/jobs", "post")
    ]


def check(operation):
    """Ask one path in many ways, and compare each reply with the schema."""
    named = schemathesis.specs.openapi.checks
    checks = [
        schemathesis.checks.not_a_server_error,
        named.status_code_conformance,
        named.content_type_conformance,
        named.response_schema_conformance,
    ]

    @settings(
        max_examples=400 if LONG else 8,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def asked(case):
        case.validate_response(case.call(), checks=checks)

    asked()


def test_api__every_reply_is_what_the_schema_says(api_schema):
    found = operations(api_schema)
    assert len(found) >= 14
    for operation in found:
        check(operation)
