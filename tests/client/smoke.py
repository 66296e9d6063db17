"""Asks a server through the client that was generated from its description."""

import sys

from opatlas_client import Client
from opatlas_client.api.comparisons import compare_revisions
from opatlas_client.api.exceptions import create_exception, list_exceptions
from opatlas_client.api.knowledge import get_rule
from opatlas_client.api.operators import get_operator, list_operators
from opatlas_client.api.projects import list_projects
from opatlas_client.api.stateless import compare_schemas, parse_schema
from opatlas_client.models import Comparison, NewException, OperatorPage, Problem, SchemaPair, SchemaText

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
made = create_exception.sync(client=client, project="pytorch", body=exception)
kept = list_exceptions.sync(client=client, project="pytorch")
assert [item.id for item in kept.items] == [made.id], kept
print("the generated client and the server understand each other")
