//! The examples of the rules of sources, and suppressions in them.

use opatlas_dispatch::Inputs;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{EXAMPLE_OPERATORS, Family, check, check_sources, registry};
use opatlas_source::Bundle;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_sources::File;

const BACKEND: &str = "backend: XLA\ncpp_namespace: acme\nsupported:\n- pair\n- scale\n";

/// All findings about sources of a bundle with one source file.
fn findings(path: &str, text: &str) -> Vec<Finding> {
    let mut bundle = Bundle::of_native_functions(EXAMPLE_OPERATORS.as_bytes());
    bundle.insert("backends/xla.yaml", BACKEND.as_bytes());
    bundle.insert(path, text.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let file = File {
        path,
        bytes: text.as_bytes(),
    };
    let mut found = check(&catalogue).into_kept();
    found.extend(check_sources(Inputs::of_files(&catalogue), &[file]).findings);
    found.retain(|finding| registry::of(finding.rule).family == Family::Sources);
    found
}

#[test]
fn examples_break_exactly_their_rule() {
    for rule in registry::all().filter(|rule| rule.family == Family::Sources) {
        let found = findings(rule.bad.file, rule.bad.text);
        let rules: Vec<_> = found.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [rule.id], "{found:#?}");
        assert_eq!(found[0].severity, rule.severity);
        let found = findings(rule.good.file, rule.good.text);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// A composite function with a body.
fn composite(body: &str) -> Vec<Finding> {
    let text = format!(
        "namespace at {{ namespace native {{\nTensor decomposed(const Tensor& self) {{\n{body}\n}}\n}}}}\n"
    );
    findings("sources/a.cpp", &text)
}

#[test]
fn what_a_composite_may_do() {
    for body in [
        "auto out = at::scale(self, self); out.add_(self); return out;",
        "if (!isTensorSubclassLike(self)) { at::scale_out(out, self, self); }",
        "at::native::unrelated_out(self); helper_out(self);",
        "// self.item()\nauto text = \"self.item()\";",
        "Tensor item(self);",
        "scale_stub(self.device().type(), self);",
        "at::native::decomposed_helper(self); at::native::decomposed(self);",
        "at::scale(self, self); self.scale(self); scale_cpu(self);",
    ] {
        assert!(composite(body).is_empty(), "{body}: {:#?}", composite(body));
    }
}

#[test]
fn kernels_are_called_through_the_dispatcher() {
    for body in [
        "return ::at::native::scale_cpu(self, self);",
        "auto x = native::pair_cpu(self);",
    ] {
        let found = composite(body);
        let rules: Vec<&str> = found.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, ["composite-native-call"], "{body}");
    }
}

#[test]
fn only_the_function_for_the_composite_key_is_judged() {
    for text in [
        "namespace at { namespace native {\nTensor decomposed(const Tensor& self, int64_t n) { self.item(); }\n}}",
        "namespace other {\nTensor decomposed(const Tensor& self) { self.item(); }\n}",
        "namespace at { namespace native {\nTensor scale_cpu(const Tensor& self, const Tensor& other) { self.item(); }\n}}",
    ] {
        assert!(findings("sources/a.cpp", text).is_empty(), "{text}");
    }
}

#[test]
fn comments_allow_findings() {
    let allowed = "// opatlas: allow(composite-data-access) the size depends on it\nself.item();";
    assert!(composite(allowed).is_empty());
    let same_line = "self.item(); // opatlas: allow(composite-data-access) as above";
    assert!(composite(same_line).is_empty());
    for not in [
        "// opatlas: allow(composite-data-access)\nself.item();",
        "// opatlas: allow(composite-resize) another rule\nself.item();",
        "// opatlas: allow(composite-data-access) too far\n\nself.item();",
    ] {
        assert_eq!(composite(not).len(), 1, "{not}");
    }
}

#[test]
fn registrations_of_other_namespaces_and_runtime_operators_are_fine() {
    let text = "TORCH_LIBRARY_IMPL(aten, XLA, m) {\n  m.impl(\"quantized_lstm.input\", f);\n  \
                m.impl(\"aten::scale.out\", f);\n}\n\
                TORCH_LIBRARY_IMPL(acme, XLA, m) { m.impl(\"acme::x\", f); }\n\
                TORCH_LIBRARY_IMPL(_, XLA, m) { m.impl(\"acme::y\", f); }\n\
                TORCH_LIBRARY_FRAGMENT(aten, m) { m.def(\"mine(Tensor x) -> Tensor\"); m.impl(\"mine\", f); }\n";
    assert!(findings("sources/a.cpp", text).is_empty());
}

#[test]
fn registrations_that_load_are_fine() {
    for text in [
        "#define KEY XLA\nTORCH_LIBRARY_IMPL(aten, KEY, m) { m.impl(\"best\", f); }\n",
        "TORCH_LIBRARY_IMPL(aten, ACMEKEY, m) { m.impl(\"best\", f); }\n",
        "TORCH_LIBRARY_IMPL(aten, XLA, m) { m.impl(\"best\", f); }\n\
         TORCH_LIBRARY_IMPL(aten, AutogradXLA, m) { m.impl(\"best\", f); }\n",
        "TORCH_LIBRARY_IMPL(aten, XLA, m) {\n#if A\nm.impl(\"best\", f);\n#else\nm.impl(\"best\", g);\n#endif\n}\n",
    ] {
        let found = findings("sources/a.cpp", text);
        assert!(found.is_empty(), "{text}: {found:#?}");
    }
}

#[test]
fn registrations_that_fail_are_found() {
    for (path, text, rule, place) in [
        (
            "sources/a.py",
            "lib = Library(\"aten\", \"IMPL\")\nlib.impl(\"best\", f, \"XLAA\")\n",
            "source-key-unknown",
            "lib.impl(\"best\", f, \"XLAA\")",
        ),
        (
            "sources/a.cpp",
            "TORCH_LIBRARY_FRAGMENT(aten, m) { m.impl(\"best\", torch::dispatch(c10::DispatchKey::Cuda, f)); }",
            "source-key-unknown",
            "m.impl(\"best\", torch::dispatch(c10::DispatchKey::Cuda, f))",
        ),
        (
            "sources/a.cpp",
            "TORCH_LIBRARY(acme, m) { m.def(\"other::f(Tensor x) -> Tensor\"); }",
            "source-namespace",
            "m.def(\"other::f(Tensor x) -> Tensor\")",
        ),
        (
            "sources/a.py",
            "lib = Library(\"aten\", \"IMPL\", \"XLA\")\nlib.impl(\"acme::best\", f)\n",
            "source-namespace",
            "lib.impl(\"acme::best\", f)",
        ),
    ] {
        let found = findings(path, text);
        assert_eq!(found.len(), 1, "{text}: {found:#?}");
        assert_eq!(found[0].rule.as_str(), rule);
        assert_eq!(found[0].span.slice(text), place);
    }
}

/// A kernel at the backend's key ends the decomposition for autograd, unless the autograd key has a
/// kernel too.
#[test]
fn kernels_take_gradients_of_composites() {
    let lost = |text: &str| {
        let path = "sources/a.cpp";
        let mut bundle = Bundle::of_native_functions(EXAMPLE_OPERATORS.as_bytes());
        bundle.insert(
            "derivatives.yaml",
            &b"- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad\n"[..],
        );
        bundle.insert(path, text.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
        let bytes = text.as_bytes();
        let found = check_sources(Inputs::of_files(&catalogue), &[File { path, bytes }]).findings;
        let rules = found.iter().map(|finding| finding.rule.as_str());
        rules.filter(|rule| *rule == "autograd-lost").count()
    };
    let kernel = "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"decomposed\", f); }\n";
    let autograd =
        "TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) { m.impl(\"decomposed\", f); }\n";
    assert_eq!(lost(kernel), 1);
    assert_eq!(lost(autograd), 0);
    assert_eq!(lost(&format!("{kernel}{autograd}")), 0);
    assert_eq!(lost(&kernel.replace("decomposed", "scale")), 0);
    let body = |statement: &str| {
        lost(&format!(
            "Tensor f(const Tensor& self) {{ return {statement}; }}\n{kernel}"
        ))
    };
    assert_eq!(body("at::empty_like(self)"), 1);
    assert_eq!(body("at::scale(self, self)"), 0);
    assert_eq!(body("DecomposedFunction::apply(self)"), 0);
}

#[test]
fn a_finding_names_the_place_and_the_fix() {
    let text = "\n  at::Tensor XLANativeFunctions::scale(const at::Tensor& self) { return self; }\n\
                std::tuple<at::Tensor, at::Tensor> XLANativeFunctions::pair(const at::Tensor& self) {}\n";
    let found = findings("sources/a.cpp", text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].span.slice(text), "scale");
    assert_eq!(found[0].severity, Severity::Error);
    let help = found[0].help.as_deref().unwrap();
    assert!(
        help.contains("static at::Tensor scale(const at::Tensor & self, const at::Tensor & other)"),
        "{help}"
    );
}

#[test]
fn functions_that_formulas_call_are_composite() {
    let text = "namespace torch::autograd::generated::details {\n\
                Tensor scale_backward(const Tensor& grad) { return grad * grad.item(); }\n\
                Tensor guarded(const Tensor& grad) { return isTensorSubclassLike(grad) ? grad : grad.item(); }\n\
                Tensor uncalled(const Tensor& grad) { return grad.resize_({1}); }\n\
                Tensor size(const Tensor& grad) { return grad.resize_({1}); }\n}\n\
                namespace acme {\nTensor scale_backward(const Tensor& grad) { return grad.resize_({1}); }\n}\n";
    let formulas = "- name: scale(Tensor self, Tensor other) -> Tensor\n  \
                    self: guarded(scale_backward (grad)) * self.size(0) + at::uncalled(grad)\n";
    let mut bundle = Bundle::of_native_functions(EXAMPLE_OPERATORS.as_bytes());
    bundle.insert("derivatives.yaml", formulas.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let path = "sources/a.cpp";
    let file = File {
        path,
        bytes: text.as_bytes(),
    };
    let found = check_sources(Inputs::of_files(&catalogue), &[file]).findings;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].span.slice(text), "item");
    assert_eq!(
        found[0].message,
        "`scale_backward`, called by formulas such as that of `scale`, reads data by `item`"
    );
}

/// What is said of the comments of a source file.
fn said(text: &str) -> Vec<(String, String)> {
    let mut bundle = Bundle::of_native_functions(EXAMPLE_OPERATORS.as_bytes());
    bundle.insert("sources/a.cpp", text.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let file = File {
        path: "sources/a.cpp",
        bytes: text.as_bytes(),
    };
    let found = check_sources(Inputs::of_files(&catalogue), &[file])
        .findings
        .into_iter();
    let found = found.map(|one| (one.rule.to_string(), one.span.slice(text).to_owned()));
    found.collect()
}

#[test]
fn comments_that_allow_nothing_are_reported() {
    let composite = |body: &str| {
        format!(
            "namespace at::native {{\nTensor decomposed(const Tensor& self) {{\n{body}\n}}\n}}\n"
        )
    };
    for (body, rule, at) in [
        (
            "// opatlas: allow(composite-data-access) needed\nself.size(0);",
            "suppression-unused",
            "composite-data-access",
        ),
        (
            "self.item(); // opatlas: allow(composite-data-access, composite-resize) needed",
            "suppression-unused",
            "composite-resize",
        ),
        (
            "self.size(0); /* opatlas: allow(composite-resize) needed */",
            "suppression-unused",
            "composite-resize",
        ),
        (
            "// opatlas: allow(composite-data-acces) needed\nself.size(0);",
            "suppression-unknown-rule",
            "composite-data-acces",
        ),
        (
            "// opatlas: ignore\nself.size(0);",
            "suppression-malformed",
            "// opatlas: ignore",
        ),
        (
            "/* opatlas: allow(composite-resize) */\nself.size(0);",
            "suppression-without-reason",
            "/* opatlas: allow(composite-resize) */",
        ),
    ] {
        assert_eq!(
            said(&composite(body)),
            [(rule.to_owned(), at.to_owned())],
            "{body}"
        );
    }
}

#[test]
fn comments_that_allow_something_are_not_reported() {
    for text in [
        "namespace at::native {\nTensor decomposed(const Tensor& self) {\n\
         // opatlas: allow(composite-data-access) the size depends on it\nself.item();\n}\n}\n",
        "auto text = \"opatlas: allow(composite-resize) no comment\";\nopatlas::scale();\n",
        "// opatlas: allow(source-declared-twice) the second one wins\n",
    ] {
        assert!(said(text).is_empty(), "{text}: {:?}", said(text));
    }
}
