"""What a release's torchgen knows: the part of `data/releases.json` that wheels hold.

A fact that the wheel does not hold (the autograd generator of 2.0) is left out.
"""

import importlib
import re
import sys
from pathlib import Path

import judge
import python_bindings
import source_facts
from probe import serve
from torchgen import gen, gen_backend_stubs, gen_functionalization_type, model
from torchgen import native_function_generation as generation


def lists() -> dict:
    """Lists of names."""
    return {
        "base_types": sorted(base.name for base in model.BaseTy),
        "dispatch_keys_allowed": [key.name for key in model.dispatch_keys],
        "dispatch_keys_known": [key.name for key in model.DispatchKey],
        "structured_keys": sorted(key.name for key in model.STRUCTURED_DISPATCH_KEYS),
        "tags": sorted(judge.own_tags()),
        "tags_kept_on_generated": source_facts.intersected(generation.generate_function),
        "tags_forced_on_generated": sorted(
            {"generated", *source_facts.added(generation.generate_function, "tags")}),
        "tags_added_automatically": tags_added(),
        "ufunc_keys": sorted(key.name for key in model.UFUNC_DISPATCH_KEYS),
        "ufunc_loop_keys": [key.name for key in model.UfuncKey],
        "scalar_types": [kind.name for kind in model.ScalarType],
        "generic_keys": sorted(key.name for key in model.DispatchKey
                               if model.is_generic_dispatch_key(key)),
        "backend_components": list(model.BACKEND_COMPONENTS)
        if isinstance(model.BACKEND_COMPONENTS, list) else model.BACKEND_COMPONENTS.split(),
        "functionality_keys": list(model.FUNCTIONALITY_KEYS),
        "yaml_fields": [field for field in source_facts.popped(model.NativeFunction.from_yaml, "e")
                        if field != "__line__"],
        "dunder_inplace_names": list(model.AUGMENTED_ASSIGNMENT_NAMES),
        "device_check_values": [value.name for value in model.DeviceCheckType],
        "variant_values": [value.name for value in model.Variant],
        "backend_yaml_keys_named": source_facts.assigned(
            gen_backend_stubs.parse_backend_yaml, "valid_keys"),
        "backend_yaml_keys_taken": source_facts.popped(
            gen_backend_stubs.parse_backend_yaml, "yaml_values"),
        "generation_base_order": source_facts.subscripts(
            generation.add_generated_native_functions, "base_fn", "SchemaKind"),
    }


def name_lists() -> dict:
    """Names that checks treat apart."""
    variable_type = autograd("gen_variable_type")
    found = {
        "functional_ops_that_cannot_get_an_out_variant":
            sorted(generation.FUNCTIONAL_OPS_THAT_CANNOT_GET_AN_OUT_VARIANT),
        "out_ops_that_dont_get_grouped_properly":
            sorted(generation.OUT_OPS_THAT_DONT_GET_GROUPED_PROPERLY),
        "inplace_ops_that_dont_get_grouped_properly":
            sorted(generation.INPLACE_OPS_THAT_DONT_GET_GROUPED_PROPERLY),
        "mutable_ops_that_cannot_get_an_out_variant":
            sorted(generation.MUTABLE_OPS_THAT_CANNOT_GET_AN_OUT_VARIANT),
        "mutable_ops_not_using_functionalization":
            sorted(gen_functionalization_type.MUTABLE_OPS_NOT_USING_FUNCTIONALIZATION),
        "dropout_rule_exempt_base_names": [
            name for name in candidates()
            if "dropout" in name and untagged(f"{name}(Tensor self) -> Tensor")],
        "inplace_view_naming_exempt_full_names":
            source_facts.compared(gen.error_check_native_functions, "func.name"),
        "inplace_view_naming_exempt_base_names":
            source_facts.compared(gen.error_check_native_functions, "func.name.name"),
        "inplace_view_not_view_full_names":
            source_facts.compared(model.NativeFunction.is_view_op.fget, "func.name"),
        "view_in_group_ignored_base_names":
            source_facts.compared(generation.add_generated_native_functions, "func.name.name"),
        "random_rule_exempt_name_parts": [
            part for part in candidates() if untagged(f"a{part}rand(Tensor self) -> Tensor")],
        "view_without_copy_base_suffixes":
            source_facts.endings(model.gets_generated_view_copy),
        "view_copy_base_suffixes":
            source_facts.endings(model.NativeFunctionsViewGroup.__post_init__) or ["_copy"],
        "single_output_view_replay":
            sorted(getattr(gen_functionalization_type, "SINGLE_OUTPUT_VIEW_REPLAY", [])),
        "cuda_kernels_defined_in_cpu_library":
            sorted(getattr(gen.dest.native_functions, "_CPU_DLL_CUDA_KERNELS", [])),
    }
    if variable_type:
        found["autograd_gradient_implemented_for_complex"] = sorted(
            variable_type.GRADIENT_IMPLEMENTED_FOR_COMPLEX)
        found["autograd_manual_backend"] = sorted(variable_type.MANUAL_BACKEND)
    return found


def codegen() -> dict:
    """Names that decide what is registered."""
    functionalization = gen_functionalization_type
    own = {*generation.OUT_OPS_THAT_DONT_GET_GROUPED_PROPERLY,
           *generation.MUTABLE_OPS_THAT_CANNOT_GET_AN_OUT_VARIANT,
           *generation.INPLACE_OPS_THAT_DONT_GET_GROUPED_PROPERLY}
    template = (judge.ATEN / "templates" / "RegisterBackendSelect.cpp").read_text()
    found = {
        "functionalization_exempt_lone":
            sorted(set(functionalization.MUTABLE_OPS_NOT_USING_FUNCTIONALIZATION) - own),
        "backend_select_template": sorted(re.findall(r'impl\(.*"aten::([\w.]+)"', template)),
        "functionalize_named_exceptions": source_facts.compared(
            functionalization.gen_functionalization_registration, "func.name"),
    }
    views, variables, traces = (autograd(name) for name in (
        "gen_inplace_or_view_type", "gen_variable_type", "gen_trace_type"))
    if not views:
        return found
    changed = set(views.VIEW_FUNCTIONS_WITH_METADATA_CHANGE)
    direct = set(views.VIEW_FUNCTIONS) - changed
    found |= {
        "view_functions_with_metadata_change": sorted(changed),
        "view_functions": sorted(direct),
        "returns_views_of_input": sorted(set(views.RETURNS_VIEWS_OF_INPUT) - direct - changed),
        "manual_backend": sorted(traces.MANUAL_BACKEND),
        "manual_autograd_and_tracer": sorted(traces.MANUAL_AUTOGRAD_AND_TRACER),
    }
    found["dont_require_derivative"] = sorted(variables.DONT_REQUIRE_DERIVATIVE)
    formulas = importlib.import_module("torchgen.api.autograd")
    for name in ("_foreach_with_inplace_ref", "_foreach_with_tensor_overload", "_skip_argument_len_check"):
        field = "foreach_skip_argument_len_check" if "skip" in name else name.removeprefix("_")
        found[field] = sorted(getattr(formulas, name, []))
    return found


def pairs() -> dict:
    """Names with the names that belong to them."""
    exempt = source_facts.assigned(gen.error_check_native_functions, "EXCLUSION_LIST")
    members = model.DispatchKey.__members__.items()
    return {
        "python_keyword_argument_exemptions": exempt and sorted(map(list, exempt)),
        "keys_dropped_without_flag": dropped(),
        "dispatch_key_aliases": [[name, key.name] for name, key in members if name != key.name],
    }


def autograd(name: str) -> object:
    """A module of the autograd generator; `None` where the wheel lacks it."""
    try:
        return importlib.import_module(f"torchgen.packaged.autograd.{name}")
    except ModuleNotFoundError:
        return None


def candidates() -> list[str]:
    """Texts in torchgen's model that could be a name or a part of one."""
    text = Path(model.__file__).read_text()
    return sorted(set(re.findall(r"[\"'](\w*[a-z]\w*)[\"']", text)))


def untagged(schema: str) -> bool:
    """Whether torchgen accepts an entry without the tag `nondeterministic_seeded`."""
    try:
        judge.parse(f"- func: {schema}\n".encode(), judge.own_tags())
    except Exception as error:
        return "nondeterministic_seeded" not in str(error) and judge.stage_of(error) != "entry"
    return True


def tags_added() -> list[str]:
    """Tags that torchgen puts on entries without any."""
    schemas = ["quox(Tensor self) -> Tensor", "quox_(Tensor(a!) self) -> Tensor(a!)",
               "quox.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"]
    document = "".join(f"- func: {schema}\n  dispatch:\n    CPU: k{number}\n"
                       for number, schema in enumerate(schemas))
    parsed = judge.parse(document.encode(), judge.own_tags())
    return sorted({tag for f in parsed.native_functions for tag in f.tags})


def core_forces() -> bool:
    """Whether the tag `core` makes torchgen generate for composite operators."""
    document = b"- func: quox(Tensor self) -> Tensor\n  tags: core\n  autogen: quox.out\n"
    return len(judge.parse(document, judge.own_tags()).native_functions) > 1


def dropped() -> list:
    """The keys that `gen.main` ignores when a flag is missing."""
    order = [key.name for key in model.dispatch_keys]
    rows = []
    for flag in sorted(judge.FLAGS):
        keys = sorted(ignored([other for other in judge.FLAGS if other != flag]), key=order.index)
        rows.append([flag.removeprefix("--"), keys])
    return rows


def ignored(flags: list[str]) -> list[str]:
    """The keys that `gen.main` tells the parser to ignore."""
    seen: dict[str, set] = {}

    def stop(_path: str, _tags: str, ignore_keys: set, **_: object) -> None:
        seen["keys"] = ignore_keys
        raise StopIteration

    before = sys.argv, gen.parse_native_yaml, list(model.dispatch_keys)
    sys.argv, gen.parse_native_yaml = ["gen.py", *flags], stop
    try:
        gen.main()
    except StopIteration:
        pass
    finally:
        sys.argv, gen.parse_native_yaml = before[:2]
        model.dispatch_keys[:] = before[2]
    return [key.name for key in seen["keys"]]


def answer(_request: dict) -> dict:
    """The facts, in the groups of `data/releases.json`."""
    return {"lists": lists(), "name_lists": name_lists(), "codegen": codegen(), "pairs": pairs(),
            "bindings": python_bindings.facts(),
            "flags": {"core_tag_forces_generation": core_forces()}}


if __name__ == "__main__":
    serve(answer)
