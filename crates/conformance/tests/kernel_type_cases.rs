//! Kernels that vendors wrote, and the verdicts of the compiler and the dispatcher of 2.9.0.

use opatlas_dispatch::Inputs;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{SourceCheck, check_sources};
use opatlas_source::diagnostic::RuleId;
use opatlas_sources::File;

const LOAD: Option<RuleId> = Some(RuleId::SourceKernelType);
const COMPILE: Option<RuleId> = Some(RuleId::SourceKernelUncompilable);

fn checked(text: &str) -> Option<SourceCheck> {
    const PATH: &str = "sources/csrc/k.cpp";
    let mut bundle = opatlas_conformance::release("2.9.0")?;
    bundle.insert(PATH, text.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let file = File {
        path: PATH,
        bytes: text.as_bytes(),
    };
    Some(check_sources(Inputs::of_files(&catalogue), &[file]))
}

/// The rules that a text breaks, and the reasons for unknown kernels.
fn outcome(text: &str) -> Option<(Vec<RuleId>, Vec<String>)> {
    let check = checked(text)?;
    let rules = check.findings.iter().map(|finding| finding.rule);
    let unknown = check.unknown_kernels.into_iter();
    Some((
        rules.collect(),
        unknown.map(|kernel| kernel.reason.into()).collect(),
    ))
}

/// Checks a function `f` that is registered for an operator.
fn check(operator: &str, function: &str, rule: Option<RuleId>) {
    let text = format!(
        "namespace acme {{\n{function} {{ throw 1; }}\n\
         TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {{ m.impl(\"{operator}\", &f); }}\n}}\n"
    );
    let Some((found, unknown)) = outcome(&text) else {
        return;
    };
    assert_eq!(unknown, [""; 0], "{operator}: {function}");
    assert_eq!(found, Vec::from_iter(rule), "{operator}: {function}");
}

#[test]
fn kernels_that_fit() {
    for (operator, function) in [
        (
            "expand",
            "at::Tensor f(const at::Tensor& self, c10::SymIntArrayRef size, bool implicit)",
        ),
        (
            "expand_copy",
            "at::Tensor f(const at::Tensor& self, at::IntArrayRef size, bool implicit)",
        ),
        (
            "add.Tensor",
            "at::Tensor f(c10::DispatchKeySet ks, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha)",
        ),
        (
            "sum.dim_IntList",
            "at::Tensor f(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype)",
        ),
        (
            "cat",
            "at::Tensor f(const at::ITensorListRef& tensors, int64_t dim)",
        ),
        (
            "stack",
            "auto f(at::TensorList tensors, int64_t dim) -> at::Tensor",
        ),
        (
            "div.Tensor_mode",
            "Tensor f(const Tensor& self, const Tensor& other, const c10::optional<c10::string_view> mode)",
        ),
        (
            "select.int",
            "at::Tensor f(const at::Tensor& self, int64_t dim, int64_t index)",
        ),
        // PyTorch registers no kernel with plain sizes, and the schema fits.
        (
            "embedding",
            "at::Tensor f(at::Tensor weight, at::Tensor indices, int64_t padding, bool scale, bool sparse)",
        ),
    ] {
        check(operator, function, None);
    }
}

#[test]
fn kernels_that_do_not_load() {
    for (operator, function) in [
        (
            "rrelu_with_noise",
            "at::Tensor f(const at::Tensor& self, const at::Tensor& noise, const at::Scalar& lower, const at::Scalar& upper, bool training, std::optional<at::Generator> generator)",
        ),
        ("cat", "at::Tensor f(at::TensorList tensors, int64_t dim)"),
        (
            "add.Tensor",
            "at::Tensor f(const at::Tensor& self, const at::Tensor& other)",
        ),
        ("gelu", "at::Tensor f(const at::Tensor& self)"),
        (
            "mul.Tensor",
            "at::Tensor f(at::Tensor& self, const at::Tensor& other)",
        ),
        (
            "clamp.Tensor",
            "at::Tensor f(const at::Tensor& self, std::optional<at::Tensor> min, std::optional<at::Tensor> max)",
        ),
        (
            "clamp.Tensor",
            "at::Tensor f(const at::Tensor& self, const at::Tensor& min, const at::Tensor& max)",
        ),
        (
            "add.out",
            "at::Tensor& f(at::Tensor& out, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha)",
        ),
        (
            "max.dim",
            "at::Tensor f(const at::Tensor& self, int64_t dim, bool keepdim)",
        ),
        (
            "div.Tensor_mode",
            "at::Tensor f(const at::Tensor& self, const at::Tensor& other, std::optional<std::string> mode)",
        ),
        (
            "select.int",
            "at::Tensor f(const at::Tensor& self, c10::SymInt dim, c10::SymInt index)",
        ),
        (
            "select.int",
            "at::Tensor f(const at::Tensor& self, int64_t dim, const c10::SymInt& index)",
        ),
        (
            "expand",
            "at::Tensor f(const at::Tensor& self, const c10::SymIntArrayRef& size, bool implicit)",
        ),
        (
            "expand",
            "at::Tensor f(const at::Tensor& self, const std::vector<c10::SymInt>& size, bool implicit)",
        ),
        ("relu", "const at::Tensor f(const at::Tensor& self)"),
    ] {
        check(operator, function, LOAD);
    }
}

#[test]
fn kernels_that_do_not_compile() {
    for (operator, function) in [
        (
            "native_dropout",
            "std::tuple<at::Tensor, at::Tensor> f(const at::Tensor& input, float p, std::optional<bool> train)",
        ),
        (
            "unsqueeze",
            "at::Tensor f(const at::Tensor& self, size_t dim)",
        ),
        ("unsqueeze", "at::Tensor f(const at::Tensor& self, int dim)"),
        (
            "unsqueeze",
            "at::Tensor f(const at::Tensor& self, int64_t& dim)",
        ),
        ("is_nonzero", "const bool f(const at::Tensor& self)"),
        ("numel", "int f(const at::Tensor& self)"),
    ] {
        check(operator, function, COMPILE);
    }
}

#[test]
fn what_only_a_build_knows_is_listed() {
    for (function, kernel, reason) in [
        (
            "Tensor f(Held self, int64_t dim)",
            "f",
            "`Held` is declared elsewhere",
        ),
        (
            "template <typename T> Tensor f(const T& self, int64_t dim)",
            "f",
            "the compiler deduces template arguments",
        ),
        (
            "auto f(const Tensor& self, int64_t dim)",
            "f",
            "`auto` leaves the type to the compiler",
        ),
        (
            "Tensor f(const Tensor& self, int64_t dim)",
            "g",
            "`g` is not defined in the sources",
        ),
        (
            "Tensor f(const Tensor& self,\n#if A\nint64_t dim\n#else\nint dim\n#endif\n)",
            "f",
            "preprocessor conditions decide the type of `f`",
        ),
    ] {
        let text = format!(
            "namespace acme {{\n{function} {{ throw 1; }}\n\
             TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {{ m.impl(\"unsqueeze\", &{kernel}); }}\n}}\n"
        );
        let Some((found, unknown)) = outcome(&text) else {
            return;
        };
        assert_eq!(
            (found, unknown),
            (vec![], vec![reason.to_owned()]),
            "{function}"
        );
    }
}

#[test]
fn kernels_are_found_where_a_registration_finds_them() {
    let wrong = "at::Tensor f(at::Tensor self) { return self; }\n";
    let right = "at::Tensor f(const at::Tensor& self) { return self; }\n";
    let block = |kernel: &str| {
        format!("TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {{ m.impl(\"relu\", {kernel}); }}\n")
    };
    for (text, rule) in [
        (
            format!(
                "namespace a {{ {wrong} }} namespace b {{ {right} {} }}",
                block("f")
            ),
            None,
        ),
        (
            format!(
                "namespace a {{ {wrong} }} namespace b {{ {right} }} {}",
                block("TORCH_FN(a::f)")
            ),
            LOAD,
        ),
        (
            format!("#if A\n{wrong}#else\n{right}#endif\n{}", block("&f")),
            None,
        ),
        (
            format!("struct K {{ static {wrong} }};\n{}", block("&K::f")),
            LOAD,
        ),
        (block("[](at::Tensor self) { return self; }"), LOAD),
        (block("[](const at::Tensor& self) { return self; }"), None),
        (
            format!(
                "{wrong}{right}{}",
                block("static_cast<at::Tensor (*)(const at::Tensor&)>(&f)")
            ),
            None,
        ),
        (
            format!(
                "template <typename T, bool B> T f(T self) {{ return self; }}\n{}",
                block("&f<at::Tensor, true>")
            ),
            LOAD,
        ),
        (
            format!(
                "{wrong}{}",
                block("torch::CppFunction::makeFromBoxedFunction<&f>()")
            ),
            None,
        ),
        (
            format!(
                "using Held = const at::Tensor&;\nat::Tensor f(Held self) {{ return self; }}\n{}",
                block("f")
            ),
            None,
        ),
    ] {
        let Some((found, unknown)) = outcome(&text) else {
            return;
        };
        assert_eq!((found, unknown), (Vec::from_iter(rule), vec![]), "{text}");
    }
}

#[test]
fn operators_of_the_sources_have_their_schemas() {
    let define = "TORCH_LIBRARY(acme, m) {\n  m.def(\"tilt(Tensor x, int n) -> Tensor\");\n\
                  m.def(\"rest(Tensor? x) -> Tensor\"); }\n";
    let both = "at::Tensor g(at::Tensor x, int64_t n) { return x; }\n\
                TORCH_LIBRARY_IMPL(acme, CPU, m) { m.impl(\"tilt\", &g); }\n";
    for (operator, function, more, rule) in [
        ("tilt", "at::Tensor f(at::Tensor x, int64_t n)", "", None),
        (
            "tilt",
            "at::Tensor f(const at::Tensor& x, double n)",
            "",
            LOAD,
        ),
        (
            "tilt",
            "at::Tensor f(const at::Tensor& x, float n)",
            "",
            COMPILE,
        ),
        ("rest", "at::Tensor f(const at::Tensor& x)", "", LOAD),
        (
            "tilt",
            "at::Tensor f(const at::Tensor& x, int64_t n)",
            both,
            LOAD,
        ),
    ] {
        let text = format!(
            "{define}{function} {{ return x; }}\n\
             TORCH_LIBRARY_IMPL(acme, PrivateUse1, m) {{ m.impl(\"{operator}\", &f); }}\n{more}"
        );
        let Some((found, unknown)) = outcome(&text) else {
            return;
        };
        assert_eq!((found, unknown), (Vec::from_iter(rule), vec![]), "{text}");
    }
}
