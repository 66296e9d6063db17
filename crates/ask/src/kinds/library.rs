//! `torch.library`: custom operators in Python.

use crate::Way;
use crate::kind::Kind;
use crate::name;

const LIBRARY: Kind = Kind {
    way: Way::Library,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "infer-schema",
        titles: &["PyTorch cannot derive a schema from the type annotations of a custom operator"],
        patterns: &[
            "infer_schema(func): parameter {word} has unsupported type {annotation}. the valid types",
            "infer_schema(func): parameter {word} has unsupported type {annotation}. we do not",
            "infer_schema(func): return has unsupported type {annotation}. the valid types",
            "infer_schema(func): {text} got func with signature",
            "infer_schema(func): {text}",
        ],
        refine: |reading| {
            let annotation = reading.part("annotation").unwrap_or_default();
            if annotation.starts_with("list[") || annotation.contains("[list[") {
                reading.know("generic", "list");
                reading.fixed("2.6.0", "2.9.0");
            }
        },
        causes: &[
            "`{annotation}` uses the built-in `{generic}`, which older releases do not understand.",
            "`{annotation}` is not a type that a schema can have.",
            "Each parameter needs an annotation that a schema can have, and the function a return type.",
        ],
        advice: &[
            "Write `typing.List[...]` instead of `{generic}[...]`.",
            "Use `Tensor`, `int`, `float`, `bool`, `str`, `torch.dtype`, `torch.device`, and `Optional` and \
             `List` of them.",
            "Or pass the schema yourself: `custom_op(..., schema='(Tensor x) -> Tensor')`.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "python-kernel-twice",
        titles: &["Python code registers a second kernel for {op} at {key}"],
        patterns: &[
            "already a kernel registered from python overriding {name}'s behavior for {key} dispatch key and {namespace} namespace",
        ],
        refine: |reading| {
            let (name, namespace) = (reading.part("name"), reading.part("namespace"));
            if let (Some(name), Some(namespace)) = (name, namespace) {
                let whole = match name.contains("::") {
                    true => name.to_owned(),
                    false => format!("{namespace}::{name}"),
                };
                reading.operator = name::operator(&whole);
            }
        },
        causes: &[
            "One process may override an operator at one key once. The module is most likely imported twice.",
        ],
        advice: &[
            "Register it once, or keep the `Library` object in a scope (`torch.library._scoped_library`).",
            "To replace it on purpose: `lib.impl(..., allow_override=True)` in releases that have it.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "custom-op-alias",
        titles: &["The custom operator {op} returns one of its inputs, or a view of it"],
        patterns: &[
            "{op} (with implementation in {module}): the output of this custom operator",
            "{op} (with implementation in {module}): an operator tagged with torch.tag",
        ],
        causes: &[
            "PyTorch may reorder and copy around calls of custom operators, which is wrong if an output shares memory.",
        ],
        advice: &[
            "Return a copy (`x.clone()`), or declare the argument as mutated and return nothing.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "custom-op-mutates",
        titles: &["The custom operator does not say correctly which arguments it writes to"],
        patterns: &[
            "in mutates_args were not found in the custom op's signature",
            "attempted to create a custom op with 'mutates_args",
            "is in mutable_args but only tensors or collections of tensors can be mutated",
        ],
        causes: &["`mutates_args` and the signature or the schema disagree."],
        advice: &["List exactly the names of the tensor arguments that the function writes to."],
        ..LIBRARY
    },
    Kind {
        id: "autograd-registration",
        titles: &["{op} cannot get an autograd formula"],
        patterns: &[
            "cannot register autograd formula for non-functional operator {op} with schema",
            "cannot register autograd formula for operator tagged with torch.tag.out: {op}",
            "the operator {op} already has an autograd kernel",
        ],
        causes: &[
            "A formula is possible only for operators that write to no argument and have no other autograd kernel.",
        ],
        advice: &[
            "Make an operator that returns new tensors, and register the formula for that one.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "fake-module-missing",
        titles: &[
            "The fake implementation of {op} is in a Python module that is not declared or imported",
        ],
        patterns: &[
            "operator '{op}' was defined in c++ and has a python fake impl",
            "operator '{op}' specified that its python fake impl",
            "{op}' specified that you may need to import the",
            "operator '{op}' specified that you may need to import",
        ],
        causes: &[
            "The C++ definition says with `m.set_python_module` where the fake implementation is, and it is not there.",
        ],
        advice: &["Import that module first, or correct `m.set_python_module(...)`."],
        ..LIBRARY
    },
    Kind {
        id: "meta-on-composite",
        titles: &["{op} cannot get a Meta kernel, because it decomposes"],
        patterns: &["we should not register a meta kernel directly to the operator '{op}'"],
        key: Some("Meta"),
        causes: &[
            "The operator is CompositeImplicitAutograd: the operators that it calls have Meta kernels.",
        ],
        advice: &["Register Meta kernels for the operators that it calls."],
        ..LIBRARY
    },
    Kind {
        id: "reserved-namespace",
        titles: &["{word} is a namespace of PyTorch's own"],
        patterns: &[
            "{word} is a reserved namespace. please try creating a library with another name",
        ],
        causes: &["`torch.library` does not define operators there."],
        advice: &["Use a namespace of your own."],
        ..LIBRARY
    },
    Kind {
        id: "schema-syntax",
        titles: &["A schema text cannot be parsed"],
        patterns: &[
            "expected {text} but found {found} here:",
            "unknown type specifier",
            "expected schema to look like",
        ],
        causes: &[
            "PyTorch's schema parser expected {text}",
            "PyTorch's schema parser rejects it.",
        ],
        advice: &["Check the text: `opatlas schema '...'` shows the place and the rule."],
        ..LIBRARY
    },
    Kind {
        id: "schema-compatibility",
        titles: &[
            "A change of an operator's schema breaks models and programs that use the old one",
        ],
        patterns: &[
            "the pr is introducing backward incompatible changes to the operator library",
            "can't find any schemas",
            "can not find backward compatible schemas after changes for schema {schema} from",
            "can't find backward compatible schemas",
            "broken ops:",
        ],
        refine: super::dispatcher::schema,
        causes: &[
            "PyTorch's check (`check_forward_backward_compatibility.py`) compares all schemas with those of \
             the last nightly build. Removing an operator or an argument, or adding one without a default, \
             fails it.",
        ],
        advice: &[
            "Keep the old schema: add arguments at the end, with defaults, or add an overload.",
            "To see each change with its reason: `opatlas compare BASE HEAD`.",
            "If the break is intended: add the operator to the list of exceptions of the check.",
        ],
        ..LIBRARY
    },
];
