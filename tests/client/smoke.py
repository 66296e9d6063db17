"""Asks a server through the client in Python."""

import importlib
import io
import pkgutil
import sys

import opatlas_client.api
from opatlas_client import Client
from opatlas_client.api.comparisons import compare_for_backend_file, compare_revisions
from opatlas_client.api.dispatch import get_dispatch_table
from opatlas_client.api.exceptions import create_exception, list_exceptions
from opatlas_client.api.findings import validate_over
from opatlas_client.api.history import rank_gaps
from opatlas_client.api.knowledge import get_rule
from opatlas_client.api.operators import get_operator, list_operators, list_signatures
from opatlas_client.api.projects import list_projects
from opatlas_client.api.revisions import get_file, ingest_revision
from opatlas_client.api.stateless import ask, compare_schemas, parse_schema, validate
from opatlas_client.models import (
    AskedText,
    BackendReport,
    Comparison,
    Gaps,
    NewException,
    OperatorPage,
    Problem,
    Revision,
    SchemaPair,
    SchemaText,
    TableView,
)
from opatlas_client.types import File

for module in pkgutil.walk_packages(opatlas_client.api.__path__, "opatlas_client.api."):
    importlib.import_module(module.name)

TEXT = b"- func: sent(Tensor self) -> Tensor\n"


def yaml_of(text):
    return File(payload=io.BytesIO(text))


client = Client(base_url=sys.argv[1])
at = {"project": "pytorch", "revision": "2.15.0"}

projects = list_projects.sync(client=client)
assert [project.name for project in projects.items] == ["pytorch"], projects

operators = list_operators.sync(client=client, q="blend", **at)
assert operators.items, operators
one = get_operator.sync(client=client, operator=operators.items[0].name, **at)
assert isinstance(one, OperatorPage) and one.name == operators.items[0].name, one
missing = get_operator.sync_detailed(client=client, operator="blnd", **at)
assert missing.status_code == 404 and isinstance(missing.parsed, Problem), missing

# `with` and `without` are optional.
table = get_dispatch_table.sync(client=client, operator=one.name, key="MPS", **at)
assert isinstance(table, TableView) and len(table.table) == 1, table

checked = validate.sync(client=client, body=yaml_of(b"- func: f(Tensr self) -> Tensor\n"))
assert [finding.rule for finding in checked.findings] == ["type-unknown"], checked

parsed = parse_schema.sync(client=client, body=SchemaText(schema="f(Tensor self) -> Tensor"))
assert parsed.kind == "functional" and not parsed.findings, parsed

pair = SchemaPair(old="f(Tensor self, int dim) -> Tensor", new="f(Tensor self, int axis) -> Tensor")
compared = compare_schemas.sync(client=client, body=pair)
assert not compared.backward_compatible, compared
rule = compared.changes[0].rule
assert rule == "argument-renamed", compared
assert get_rule.sync(client=client, rule=rule).id == rule

comparison = compare_revisions.sync(client=client, project="pytorch", range_="2.14.0...2.15.0")
assert isinstance(comparison, Comparison) and comparison.conclusion == "pass", comparison

exception = NewException(operator="blend.Tensor", rule=rule, reason="a try")
again = {"client": client, "project": "pytorch", "body": exception, "idempotency_key": "a-try-1"}
made = create_exception.sync(**again)
assert create_exception.sync(**again).id == made.id
kept = list_exceptions.sync(client=client, project="pytorch")
assert [item.id for item in kept.items] == [made.id], kept

# YAML is sent and received as it is, in every route that takes it.
ingested = ingest_revision.sync(client=client, project="pytorch", body=yaml_of(TEXT), label="sent", strict=True)
assert isinstance(ingested, Revision) and ingested.label == "sent", ingested
file = get_file.sync(client=client, project="pytorch", revision="sent", name="native_functions.yaml")
assert file.payload.read() == TEXT, file
overlay = validate_over.sync(client=client, body=yaml_of(b"- func: sent(Tensr self) -> Tensor\n"), **at)
assert [finding.rule for finding in overlay.findings] == ["type-unknown"], overlay
backend = yaml_of(b"backend: XLA\ncpp_namespace: acme\nsupported:\n- blend.Tensor\n")
between = {"project": "pytorch", "range_": "2.14.0...2.15.0"}
report = compare_for_backend_file.sync(client=client, body=backend, **between)
assert isinstance(report, BackendReport), report
usage = yaml_of(b"aten::blend.Tensor,3\n")
assert isinstance(rank_gaps.sync(client=client, key="CPU", body=usage, **at), Gaps)
asked = ask.sync(client=client, body=AskedText("RuntimeError: derivative for aten::heaviside is not implemented"))
assert asked.kind != "unknown", asked
declared = list_signatures.sync(client=client, limit=2, **at)
assert len(declared.items) == 2 and declared.next_cursor, declared
print("the client in Python and the server understand each other")
