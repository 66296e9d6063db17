//! Rules of out-of-tree backend files (`docs/spec/files.md`, section 6). The parser reports problems of the
//! text alone.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const FILE: &str = "backends/acme.yaml";

const fn example(text: &'static str) -> Example {
    Example::of(FILE, text)
}

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        good: example("backend: XLA\ncpp_namespace: acme\nsupported:\n- scale\n- scale.out\n"),
        ..Rule::new(
            id,
            Family::Backends,
            severity,
            Stage::Codegen,
            example(""),
            "torchgen/gen_backend_stubs.py, parse_backend_yaml",
        )
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error)
}

pub(super) static RULES: [Rule; 13] = [
    Rule {
        what: "A backend file is a mapping.",
        why: "Its keys name the backend and state what it supports.",
        bad: example("- scale\n"),
        ..error(RuleId::BackendRoot)
    },
    Rule {
        what: "`backend` and `cpp_namespace` have a value.",
        why: "`backend` names the dispatch key of the kernels, and `cpp_namespace` the C++ \
              namespace that defines them.",
        bad: example("backend: XLA\nsupported: [scale]\n"),
        ..error(RuleId::BackendRequired)
    },
    Rule {
        what: "A backend file has only the keys backend, class_name, cpp_namespace, supported, \
               symint, autograd, full_codegen, non_native, ir_gen, use_out_as_primary and \
               device_guard.",
        why: "A misspelt key would silently change the generated code. PyTorch also rejects \
              `extra_headers`, although its error message lists that key.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsuported: [scale]\n"),
        ..error(RuleId::BackendKnownKeys)
    },
    Rule {
        what: "`supported`, `symint`, `autograd` and `full_codegen` are lists; `supported` and `symint` may be left empty.",
        why: "The generator iterates over them operator by operator.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: scale\n"),
        ..error(RuleId::BackendSupportedList)
    },
    Rule {
        what: "`use_out_as_primary` and `device_guard` are booleans.",
        why: "The generator does not accept quoted or numeric values as booleans.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\ndevice_guard: 1\n"),
        ..error(RuleId::BackendBool)
    },
    Rule {
        what: "Every listed operator exists and is listed by its full name, without a namespace. \
               Generated operators count.",
        why: "PyTorch would never call a kernel for an operator that was removed or is misspelt.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale.Tensor]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..error(RuleId::BackendOpExists)
    },
    Rule {
        what: "`backend` is a dispatch key of the release if `supported` or `full_codegen` lists \
               an operator. `Autograd` followed by the backend's name is a dispatch key if \
               `autograd` lists one.",
        why: "The generator registers kernels to these keys.",
        bad: example("backend: ACME\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKey)
    },
    Rule {
        what: "No operator in native_functions.yaml has a kernel on the backend's key.",
        why: "Such a key belongs to a backend inside PyTorch, and the generator does not merge the \
              kernels of the two.",
        bad: example("backend: CPU\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKeyTaken)
    },
    Rule {
        what: "The functional, in-place and out variants of an operator are either all listed for \
               the backend's key or all listed under `autograd`.",
        why: "The generator registers all variants to one of the two keys.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nautograd: [scale.out]\n",
        ),
        ..error(RuleId::BackendNoMix)
    },
    Rule {
        what: "An operator is listed only once.",
        why: "A repeated name has no effect; usually another overload was meant.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale, scale]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendDuplicateOp, Severity::Warning)
    },
    Rule {
        what: "Operators under `symint` are also listed under `supported`, `full_codegen` or `autograd`.",
        why: "`symint` only changes the kernels of operators that are listed elsewhere; by itself \
              it has no effect.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale.out]\n",
        ),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendSymintUnlisted, Severity::Warning)
    },
    Rule {
        what: "An operator whose kernel takes symbolic sizes has a SymInt argument. A kernel takes \
               symbolic sizes if its operator is listed under `symint`, or if its name contains \
               `_symint`. In 2.0 a SymInt return is enough. The rule does not apply to a file \
               without operators for the backend's own key.",
        why: "The generator declares the kernel with symbolic sizes, but the schema has no \
              symbolic size.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale]\n"),
        source: "torchgen/api/types/signatures.py: kernel_signature",
        ..error(RuleId::BackendSymintNeedsSymint)
    },
    Rule {
        what: "A kernel at the key of a backend leaves a composite operator its gradient: the operator \
               is not listed under `supported` alone. In sources, a kernel for it at the autograd key \
               is registered too.",
        why: "The decomposition of a composite operator serves the autograd key only while the backend \
              has no kernel of its own. With one, the call works and the gradient stops there.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported:\n- decomposed\n"),
        good: example(
            "backend: XLA\ncpp_namespace: acme\nsupported:\n- scale\nautograd:\n- decomposed\n",
        ),
        stage: Stage::Convention,
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp, computeDispatchTableEntryWithDebug",
        ..rule(RuleId::AutogradLost, Severity::Warning)
    },
];
