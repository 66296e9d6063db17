"""torchgen's verdicts on schemas, alone and as the `func:` of an entry. Request: `schemas`."""

import json

import judge
from probe import failure, serve
from torchgen.model import FunctionSchema


def answer(request: dict) -> list[dict]:
    """A row for each schema."""
    valid_tags = judge.own_tags()
    return [one(schema, valid_tags) for schema in request["schemas"]]


def one(schema: str, valid_tags: set[str]) -> dict:
    """The verdict on the schema, what was read of it, and the verdict on an entry with it."""
    row: dict = {"schema": schema}
    try:
        # torchgen cuts namespaces off before it reads the schema.
        read = FunctionSchema.parse(schema.rsplit("::", 1)[-1])
    except Exception as error:
        row |= {"schema_parse": "reject", "schema_error": _short(error)}
    else:
        row |= {"schema_parse": "accept", "canonical": str(read), "kind": read.kind().name,
                "signature": str(read.signature()), "self_arg": read.arguments.self_arg is not None,
                "tensor_options": read.arguments.tensor_options is not None,
                "out_args": [argument.name for argument in read.arguments.out]}
    try:
        entry = f"- func: {json.dumps(schema)}\n".encode()
        parsed = judge.parse(entry, valid_tags)
    except Exception as error:
        if judge.stage_of(error) in ("yaml", "entry"):
            return row | {"verdict": "reject", "error": _short(error)}
        parsed = None
    return row | {"verdict": "accept"} | (_entry(parsed) if parsed else {})


def _entry(parsed: object) -> dict:
    f = parsed.native_functions[0]
    kernels = {str(key): index.index[f.func.name].kernel
               for key, index in parsed.backend_indices.items() if f.func.name in index.index}
    return {"namespace": f.namespace, "is_view_op": f.is_view_op, "default_kernel": kernels}


def _short(error: BaseException) -> dict:
    said = failure(error)
    return {"type": said["type"], "first_line": said["first_line"], "context_line": None}


if __name__ == "__main__":
    serve(answer)
