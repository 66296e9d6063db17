//! Errors of the dispatcher about definitions and registrations.

use super::names;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

const LIBRARY: Kind = Kind {
    way: Way::Library,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "duplicate-registration",
        titles: &["{op} is defined twice in one process"],
        patterns: &[
            "tried to register an operator ({schema}) with the same name and overload name multiple times",
        ],
        refine: schema,
        asks: Asks::Never,
        causes: &[
            "Two calls of `def` define the operator: the module is imported twice under two names, the \
             library is loaded twice, or two tests define it.",
        ],
        advice: &[
            "Define it once. In Python, keep the `Library` object in a scope \
             (`torch.library._scoped_library` in tests), so that its definitions end with it.",
            "If two packages define it: uninstall one of them.",
        ],
        misleads: &["`registered at /dev/null` means a definition in Python, not a file."],
        ..LIBRARY
    },
    Kind {
        id: "single-torch-library",
        titles: &["Two libraries define operators in the namespace {word}"],
        patterns: &["only a single torch_library can be used to register the namespace {word}"],
        way: Way::Load,
        causes: &[
            "Each namespace may have one `TORCH_LIBRARY` block in a process. The message ends with the \
             files of both.",
        ],
        advice: &[
            "If two packages use this namespace: install only one of them.",
            "If you write one of them: use a namespace of your own, or `TORCH_LIBRARY_FRAGMENT`.",
        ],
        misleads: &["The message names a namespace, not an operator."],
        ..LIBRARY
    },
    Kind {
        id: "schema-mismatch-kernel",
        titles: &["The C++ function registered for {op} does not have the types of its schema"],
        patterns: &[
            "inferred operator schema for a c++ kernel function doesn't match the expected function schema. operator: {op} ",
            "in registration for {op}: expected schema of operator to be",
        ],
        refine: |reading| {
            let place = reading.after(4_000);
            if let Some(reason) = place.find("reason: ") {
                let end = place[reason..]
                    .find('\n')
                    .map_or(place.len(), |end| reason + end);
                reading.add("reason", reason + 8, end);
            }
        },
        causes: &[
            "PyTorch derives a schema from the C++ types of the kernel and compares it with the one in \
             `m.def`. It reports: {reason}",
            "PyTorch derives a schema from the C++ types of the kernel, and it differs from the one in \
             `m.def`.",
        ],
        advice: &[
            "Change the C++ types to those that the schema needs: `int64_t` for `int`, `double` for \
             `float`, `c10::SymInt` by value (not `const SymInt&`) for `SymInt`, `const at::Tensor&` for \
             `Tensor`.",
            "If the schema is wrong: change `m.def`, and import again everything that calls it.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "kernel-signature-mismatch",
        titles: &["Two C++ kernels of {op} have different types"],
        patterns: &[
            "mismatch in kernel c++ signatures operator: {op} ",
            "mismatch in kernel c++ signatures operator: {schema} no debug",
            "mismatch in kernel c++ signatures operator: {op}",
        ],
        refine: |reading| {
            let after = reading.after(4_000);
            let key = after.split("dispatch key: ").nth(1);
            let key = key.and_then(|rest| rest.split_whitespace().next());
            if let Some(key) = key.filter(|key| names::is_key(key)) {
                reading.key = Some(key.to_owned());
            }
        },
        causes: &[
            "All kernels of an operator need the same C++ types. Often one takes `int64_t` where another \
             takes `c10::SymInt`, or one was compiled for another release.",
        ],
        advice: &[
            "Give both kernels the same argument and return types.",
            "If you did not write them: rebuild the extension with the PyTorch that you run.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "wrong-signature",
        titles: &["C++ code calls {op} with other types than it has"],
        patterns: &[
            "tried to access or call an operator with a wrong signature. operator: {schema} ",
        ],
        refine: schema,
        causes: &["The types in `typed<...>()` differ from those of the operator's schema."],
        advice: &[
            "Use the types that the message gives as the correct signature.",
            "If you did not write it: rebuild the extension with the PyTorch that you run.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "schema-not-registered",
        titles: &["{op} has a kernel and no definition"],
        patterns: &[
            "tried to access the schema for {op} which doesn't have a schema registered yet",
            "could not find schema for {op} but we found an implementation",
        ],
        causes: &[
            "A kernel was registered with `m.impl` (or a fake implementation in Python), and nothing \
             defined the operator with `m.def`: the library that defines it is not loaded, or the name \
             is misspelled.",
        ],
        advice: &[
            "Load the library that defines it before the one that implements it.",
            "If you write it: add `m.def` with the schema.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "op-not-registered",
        titles: &["{op} does not exist in this process: the library that defines it is not loaded"],
        patterns: &[
            "operator {op} does not exist",
            "no such operator {op}",
            "could not find the operator {op}. please make sure you have already registered",
            "could not find schema for {op}",
            "'_opnamespace' '{namespace}' object has no attribute '{function}'",
            "didn't find kernel to dispatch to for operator '{op}'",
        ],
        way: Way::Load,
        refine: not_registered,
        causes: &[
            "{library} is a library of its own. Its C++ part failed to load, often without a message, \
             because it was built for another version of torch or CUDA.",
            "Operators exist once the library that defines them is loaded (`torch.ops.load_library` or an \
             `import`). That has not happened, or it failed.",
        ],
        advice: &[
            "Install the version of {library} that belongs to this torch, from the same index.",
            "Import the package that defines the operator before this line, and look for an earlier \
             error of that import.",
        ],
        misleads: &["The operator exists: only its library was not loaded."],
        ..LIBRARY
    },
    Kind {
        id: "autograd-other-ambiguous",
        titles: &["{op} has a composite kernel and a backend kernel, and PyTorch cannot choose"],
        patterns: &[
            "{op} has kernels registered to both compositeimplicitautograd and a backend mapped to autogradother",
        ],
        key: Some("AutogradOther"),
        causes: &[
            "Several backends share the key `AutogradOther`. There the composite kernel hides the \
             backend's kernel.",
        ],
        advice: &[
            "Register the composite kernel as `CompositeExplicitAutograd`, or the backend's kernel also \
             at its autograd key.",
        ],
        ..LIBRARY
    },
    Kind {
        id: "kernel-override-warning",
        titles: &["A second kernel replaces the first one of {op}"],
        patterns: &[
            "overriding a previously registered kernel for the same operator and the same dispatch key operator: {schema} ",
        ],
        way: Way::Library,
        refine: |reading| {
            schema(reading);
            let key = reading.after(4_000).split("dispatch key: ").nth(1);
            let key = key.and_then(|rest| rest.split_whitespace().next());
            if let Some(key) = key.filter(|key| names::is_key(key)) {
                reading.key = Some(key.to_owned());
            }
        },
        causes: &["Two registrations name the same operator and key. The later one is used."],
        advice: &[
            "If a backend replaces PyTorch's kernel on purpose: nothing needs to be done.",
            "Otherwise: remove one of the two registrations. The message names their files.",
        ],
        ..Kind::WARNING
    },
    Kind {
        id: "registration-namespace",
        titles: &["A registration names another namespace or key than its block"],
        patterns: &[
            "explicitly provided namespace ({namespace}) in",
            "explicitly provided dispatch key ({key}) is inconsistent with the dispatch key of the enclosing",
            "tried to register multiple backend fallbacks for the same dispatch key {key}",
            "tried to register an operator without specifying a schema or operator name",
        ],
        causes: &[
            "The name in `m.def` or `m.impl` does not fit the `TORCH_LIBRARY` block around it.",
        ],
        advice: &[
            "Drop the namespace from the name, or move the registration to the block of its namespace and key.",
        ],
        ..LIBRARY
    },
];

/// Takes the operator from the schema in a message: `mylib::foo(Tensor x) -> Tensor`.
pub(super) fn schema(reading: &mut Reading<'_>) {
    let name = reading
        .part("schema")
        .and_then(|schema| schema.split('(').next());
    reading.operator = name.and_then(name::operator);
}

/// Takes the first operator in a stretch of text: `{'aten::x', 'aten::y'}`.
pub(super) fn first_named(reading: &mut Reading<'_>) {
    let text = reading.part("schema").unwrap_or_default();
    let mut words = text.split(|char: char| !(char.is_alphanumeric() || "_.:".contains(char)));
    let is_operator = |word: &&str| word.contains("::") || word.starts_with("aten.");
    if let Some(word) = words.find(is_operator) {
        reading.operator = name::operator(word);
    }
}

fn not_registered(reading: &mut Reading<'_>) {
    if let (Some(namespace), Some(function)) = (reading.part("namespace"), reading.part("function"))
    {
        reading.operator = name::operator(&format!("{namespace}::{function}"));
    }
    let operator = reading.operator.clone().unwrap_or_default();
    match operator.split_once("::") {
        Some((library, _)) if names::is_library(library) && library != "_C" => {
            reading.know("library", library);
        }
        None => reading.asks = Asks::Exists,
        _ => {}
    }
}
