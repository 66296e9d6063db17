//! Rules of C++ and Python sources (`docs/spec/sources.md`, sections 3 and 7): disagreement with the files,
//! and calls that composite functions must not make.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

/// A statement in the composite function of [`crate::EXAMPLE_OPERATORS`].
macro_rules! body {
    ($statement:literal) => {
        cpp(concat!(
            "namespace at::native {\nTensor decomposed(const Tensor& self) {\n  ",
            $statement,
            "\n  return self;\n}\n}\n"
        ))
    };
}

const FILE: &str = "sources/acme.cpp";

const fn cpp(text: &'static str) -> Example {
    Example::of(FILE, text)
}

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        good: cpp(
            "namespace at::native {\nTensor decomposed(const Tensor& self) { return at::scale(self, self); }\n}\n",
        ),
        ..Rule::new(
            id,
            Family::Sources,
            severity,
            Stage::Convention,
            cpp(""),
            "aten/src/ATen/native/README.md, Composite Compliance",
        )
    }
}

pub(super) static RULES: [Rule; 18] = [
    Rule {
        what: "A source file can be read: it is UTF-8 text of at most 8 MiB that is not nested too deeply.",
        why: "What is not read may register kernels that tables then lack.",
        bad: cpp("TORCH_LIBRARY_IMPL(aten, XLA, m) {\0}\n"),
        source: "docs/spec/sources.md, section 5",
        ..rule(RuleId::SourceUnread, Severity::Info)
    },
    Rule {
        what: "An operator that the backend file lists for a key is not registered to that key in \
               C++ too.",
        why: "The kernel that is registered last replaces the other one, so one of the two is never \
              called.",
        bad: cpp("TORCH_LIBRARY_IMPL(aten, XLA, m) {\n  m.impl(\"pair\", acme::pair);\n}\n"),
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp, registerKernel",
        ..rule(RuleId::SourceDeclaredTwice, Severity::Warning)
    },
    Rule {
        what: "A kernel is registered for an operator that exists.",
        why: "The dispatcher accepts a kernel for an operator that nobody defines, and never calls it. \
              Usually the operator was renamed or removed.",
        bad: cpp(
            "TORCH_LIBRARY_IMPL(aten, XLA, m) {\n  m.impl(\"scale.Tensor\", acme::scale);\n}\n",
        ),
        source: "aten/src/ATen/core/dispatch/Dispatcher.cpp, registerImpl",
        ..rule(RuleId::SourceOperatorUnknown, Severity::Warning)
    },
    Rule {
        what: "Two registrations of the sources do not give one operator two kernels at the same key. \
               Registrations under different conditions do not count.",
        why: "The runtime prints a warning, and the kernel that is registered last replaces the other \
              one.",
        bad: cpp(
            "TORCH_LIBRARY_IMPL(aten, XLA, m) {\n  m.impl(\"best\", acme::best);\n  m.impl(\"best\", acme::fast_best);\n}\n",
        ),
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp, registerKernel",
        ..rule(RuleId::SourceKernelAgain, Severity::Warning)
    },
    Rule {
        what: "A kernel is registered to a dispatch key of the release. A name in capitals that resembles \
               no key may be a macro and is not reported.",
        why: "C++ does not compile with an unknown key, and Python raises when it registers the kernel.",
        bad: cpp("TORCH_LIBRARY_IMPL(aten, PrivatUse1, m) {\n  m.impl(\"best\", acme::best);\n}\n"),
        source: "c10/core/DispatchKey.h",
        ..rule(RuleId::SourceKeyUnknown, Severity::Error)
    },
    Rule {
        what: "An operator with a namespace is registered in a library for that namespace.",
        why: "The runtime refuses the registration when the library is loaded.",
        bad: cpp("TORCH_LIBRARY_IMPL(aten, XLA, m) {\n  m.impl(\"acme::best\", acme::best);\n}\n"),
        source: "aten/src/ATen/core/library.cpp, Library::_parseNameForLib",
        ..rule(RuleId::SourceNamespace, Severity::Error)
    },
    Rule {
        what: "PyTorch can parse the schema of every operator that C++ or Python sources define.",
        why: "`m.def` and `torch.library` raise an error while the library loads. Since PyTorch 2.4 \
              they refuse names of C++ types such as `int64_t`, which were type variables before.",
        bad: cpp(
            "TORCH_LIBRARY(acme, m) {\n  m.def(\"tilt(Tensor x, int64_t n) -> Tensor\");\n}\n",
        ),
        good: cpp("TORCH_LIBRARY(acme, m) {\n  m.def(\"tilt(Tensor x, int n) -> Tensor\");\n}\n"),
        source: "torch/csrc/jit/frontend/schema_type_parser.cpp",
        ..rule(RuleId::SourceDefinition, Severity::Error)
    },
    Rule {
        what: "The sources define a kernel for every operator that the backend file lists under \
               `supported` or `autograd`. The rule applies if they define at least one of them.",
        why: "The generator declares a member function for it, and without a definition the library \
              does not link.",
        bad: cpp(
            "at::Tensor XLANativeFunctions::scale(const at::Tensor& self, const at::Tensor& other) { return self; }\n",
        ),
        source: "torchgen/gen_backend_stubs.py, error_on_missing_kernels",
        ..rule(RuleId::SourceKernelMissing, Severity::Error)
    },
    Rule {
        what: "The definition of a kernel has the parameters that the generator declares for its operator.",
        why: "The definition does not match the declaration and the library does not compile. This \
              happens when the schema changes with a release.",
        bad: cpp(
            "at::Tensor XLANativeFunctions::scale(const at::Tensor& self, const at::Tensor& other) { return self; }\n\
                  std::tuple<at::Tensor, at::Tensor> XLANativeFunctions::pair(const at::Tensor& self, int64_t dim) { return {self, self}; }\n",
        ),
        source: "torchgen/dest/native_functions.py, compute_native_function_declaration",
        ..rule(RuleId::SourceKernelSignature, Severity::Error)
    },
    Rule {
        what: "A kernel that registers itself has the C++ type that PyTorch's own kernels of the \
               operator have, or that its schema declares. Two kernels of an operator agree. Types that \
               only a build knows are not judged.",
        why: "The dispatcher compares the types when it loads the library, and raises \"Mismatch in \
              kernel C++ signatures\" or \"Inferred operator schema ... doesn't match\". No kernel of the \
              library can then be used. This happens when a schema changes with a release.",
        bad: cpp(
            "at::Tensor scale(at::Tensor self, at::Tensor other) { return self; }\n\
             TORCH_LIBRARY_IMPL(aten, CUDA, m) {\n  m.impl(\"scale\", &scale);\n}\n",
        ),
        good: cpp(
            "at::Tensor scale(const at::Tensor& self, const at::Tensor& other) { return self; }\n\
             TORCH_LIBRARY_IMPL(aten, CUDA, m) {\n  m.impl(\"scale\", &scale);\n}\n",
        ),
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp, registerKernel",
        ..rule(RuleId::SourceKernelType, Severity::Error)
    },
    Rule {
        what: "A kernel that registers itself takes and returns types that PyTorch can convert: \
               `int64_t` and `double`, not `int`, `size_t` or `float`.",
        why: "A static assertion in PyTorch's headers stops the compiler.",
        bad: cpp(
            "TORCH_LIBRARY(acme, m) {\n  m.def(\"tilt(Tensor x, int n) -> Tensor\");\n}\n\
             at::Tensor tilt(const at::Tensor& x, int n) { return x; }\n\
             TORCH_LIBRARY_IMPL(acme, CUDA, m) {\n  m.impl(\"tilt\", &tilt);\n}\n",
        ),
        good: cpp(
            "TORCH_LIBRARY(acme, m) {\n  m.def(\"tilt(Tensor x, int n) -> Tensor\");\n}\n\
             at::Tensor tilt(const at::Tensor& x, int64_t n) { return x; }\n\
             TORCH_LIBRARY_IMPL(acme, CUDA, m) {\n  m.impl(\"tilt\", &tilt);\n}\n",
        ),
        source: "aten/src/ATen/core/op_registration/infer_schema.h, checkStaticTypes",
        ..rule(RuleId::SourceKernelUncompilable, Severity::Error)
    },
    Rule {
        what: "A composite function does not call out forms of operators. Functions for out and \
               in-place operators are exempt, and functions that test for tensor subclasses.",
        why: "vmap cannot batch a call that writes to a given tensor, and tensor subclasses lose \
              their type.",
        bad: body!("at::scale_out(result, self, self);"),
        ..rule(RuleId::CompositeOutCall, Severity::Warning)
    },
    Rule {
        what: "A composite function does not resize tensors.",
        why: "Resizing bypasses batching, meta tensors and tensor subclasses.",
        bad: body!("self.resize_({1});"),
        ..rule(RuleId::CompositeResize, Severity::Warning)
    },
    Rule {
        what: "A composite function does not read the data of tensors: no `data_ptr`, `item` or accessor.",
        why: "Meta tensors and tensor subclasses have no data, and the read does not go through the \
              dispatcher.",
        bad: body!("float* data = self.data_ptr<float>();"),
        ..rule(RuleId::CompositeDataAccess, Severity::Warning)
    },
    Rule {
        what: "A composite function does not change sizes, strides or storage of a tensor through its TensorImpl.",
        why: "The change does not go through the dispatcher, so no backend or subclass sees it.",
        bad: body!("self.unsafeGetTensorImpl()->set_sizes_contiguous({1});"),
        ..rule(RuleId::CompositeMetadata, Severity::Warning)
    },
    Rule {
        what: "A composite function calls `copy_` only to write to a view.",
        why: "An operation without `copy_` is usually possible, and works under vmap.",
        bad: body!("result.copy_(self);"),
        ..rule(RuleId::CompositeCopy, Severity::Info)
    },
    Rule {
        what: "A composite function does not call a kernel in `at::native` directly, if its operator \
               has kernels to choose between or a formula instead of a decomposition.",
        why: "The call does not go through the dispatcher: other backends run the wrong kernel, and \
              autograd, vmap and tracing do not see the operator.",
        bad: body!("at::native::scale_cpu(self, self);"),
        ..rule(RuleId::CompositeNativeCall, Severity::Warning)
    },
    Rule {
        what: "A kernel for CompositeExplicitAutograd does not call a DispatchStub.",
        why: "Only backends inside PyTorch register a kernel for a stub; on any other backend the \
              call fails. List the supported backends under `dispatch` instead.",
        bad: cpp(
            "namespace acme {\nstd::tuple<at::Tensor, at::Tensor> pair(const at::Tensor& self) { return pair_stub(self.device().type(), self); }\n}\n\
                  TORCH_LIBRARY_IMPL(aten, CompositeExplicitAutograd, m) {\n  m.impl(\"pair\", acme::pair);\n}\n",
        ),
        source: "aten/src/ATen/native/README.md, Choosing the right dispatch keyword",
        ..rule(RuleId::CompositeStub, Severity::Warning)
    },
];
