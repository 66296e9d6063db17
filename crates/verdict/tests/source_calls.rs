//! Verdicts on composites that no recording knows, from their C++ bodies.

use std::collections::BTreeSet;

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, Provenance, Source};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_sources::File;
use opatlas_verdict::source_calls::{SourceCalls, SourceKernel};
use opatlas_verdict::{Because, KnownFrom, Tables, Verdict, View};

const OPERATORS: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
- func: plus.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: plus
- func: plus.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: plus
- func: plus.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU, CUDA: plus_out
- func: total(Tensor self, *, ScalarType? dtype=None) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: total
- func: total.dims(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: total_dims
- func: only_cpu(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CPU: only_cpu
- func: only_cuda(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CUDA: only_cuda
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: mul
- func: mul.Scalar(Tensor self, Scalar other) -> Tensor
  variants: function, method
  dispatch:
    CPU, CUDA: mul
- func: select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
  variants: function, method
  dispatch:
    CPU, CUDA: select
- func: blend(Tensor self, Tensor other, int n) -> Tensor
";

/// The body of `blend`, with what surrounds it.
fn file(body: &str) -> String {
    format!(
        "namespace at::native {{\n\
         static Tensor twice(const Tensor& x) {{ return x.plus(x); }}\n\
         #define DEFINE_HALF(NAME) \\\n  Tensor NAME##_half(const Tensor& x) {{ return at::only_cpu(x); }}\n\
         DEFINE_HALF(first)\n\
         Tensor blend(const Tensor& self, const Tensor& other, int64_t n) {{\n{body}\n}}\n}}\n"
    )
}

fn catalogue(bundle: &Bundle) -> Catalogue {
    Catalogue::read(bundle, Release::V2_9, None)
}

fn read(body: &str) -> (SourceKernel, Vec<String>, Vec<String>) {
    let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
    let catalogue = catalogue(&bundle);
    let text = file(body);
    let file = File {
        path: "sources/blend.cpp",
        bytes: text.as_bytes(),
    };
    let found = SourceCalls::read(&catalogue, &[file], |_| true);
    let blend = catalogue.find("blend").unwrap();
    let kernel = found.of(blend).unwrap().clone();
    let names = |ids: &BTreeSet<OperatorId>| {
        let names = ids
            .iter()
            .map(|&id| catalogue.operator(id).qualified_name());
        names.map(str::to_owned).collect()
    };
    let (always, sometimes) = (names(&kernel.always), names(&kernel.sometimes));
    (kernel, always, sometimes)
}

#[test]
fn every_path_decides_what_is_always_called() {
    for (body, always, sometimes) in [
        ("return at::plus(self, other);", "plus.Tensor", ""),
        ("return self.plus(2);", "plus.Scalar", ""),
        (
            "Tensor out = at::empty({n}, self.options()); at::plus_out(out, self, other); return out;",
            "empty.memory_format plus.out",
            "",
        ),
        (
            "return at::_ops::plus_Tensor::call(self, other, 1);",
            "plus.Tensor",
            "",
        ),
        (
            "return self.total(-1).plus(self.total(at::kFloat));",
            "plus.Tensor total total.dims",
            "",
        ),
        (
            "return self.total({0, 1}, /*keepdim=*/true);",
            "total.dims",
            "",
        ),
        (
            "if (n > 0) { return at::only_cpu(self); } return self.total();",
            "",
            "total only_cpu",
        ),
        (
            "if (n > 0) { return at::total(self); } return self.total();",
            "total",
            "",
        ),
        (
            "auto x = n > 0 ? at::total(self) : at::only_cpu(self); return x;",
            "",
            "total only_cpu",
        ),
        (
            "auto x = self; for (int i = 0; i < n; i++) { x = x.plus(other); } return x;",
            "",
            "plus.Tensor",
        ),
        (
            "TORCH_CHECK(n > 0, \"\", self.total()); return twice(self) * other;",
            "plus.Tensor mul.Tensor",
            "",
        ),
        (
            "if (n < 0) { TORCH_CHECK(false, \"no\"); } return self * 2;",
            "mul.Scalar",
            "",
        ),
        ("return first_half(self[0]);", "only_cpu select.int", ""),
        (
            "switch (n) { case 0: return at::total(self); default: break; } return at::only_cpu(self);",
            "",
            "total only_cpu",
        ),
        (
            "if (self.is_cuda()) { return at::only_cuda(self); } return at::only_cpu(self);",
            "only_cpu",
            "",
        ),
        (
            "if (self.layout() == kStrided && n > 0) { return self; } return at::only_cpu(self);",
            "",
            "only_cpu",
        ),
        (
            "switch (n) { case 0: if (other.defined()) { break; } return at::total(self); \
             default: return at::total(self); } return at::only_cpu(self);",
            "",
            "total only_cpu",
        ),
        (
            "do { if (n) break; x = self.total(); } while (false); return self;",
            "",
            "total",
        ),
        (
            "try { return self.total(); } catch (...) { return at::only_cpu(self); }",
            "",
            "total only_cpu",
        ),
        (
            "auto f = [&](const Tensor& x) { return x.total(); }; return f(self);",
            "",
            "total",
        ),
    ] {
        let (kernel, found, some) = read(body);
        let sorted = |text: &str| {
            let mut names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            names.sort();
            names
        };
        let own = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_eq!(own(found), sorted(always), "{body}");
        assert_eq!(own(some), sorted(sometimes), "{body}");
        assert!(
            kernel.unresolved.is_empty(),
            "{body}: {:?}",
            kernel.unresolved
        );
    }
}

#[test]
fn what_the_text_does_not_decide_is_named() {
    for (body, unresolved) in [
        ("return elsewhere(self);", "elsewhere"),
        ("return self.plus(whatever());", "which overload of plus"),
        (
            "return blend_stub(self.device().type(), self);",
            "blend_stub",
        ),
        ("throw 1;", "it only raises"),
    ] {
        let (kernel, always, _) = read(body);
        assert_eq!(always, Vec::<String>::new(), "{body}");
        let named: Vec<&str> = kernel.unresolved.iter().map(|text| &**text).collect();
        assert_eq!(named, [unresolved], "{body}");
    }
}

/// Whatever a stranger writes is read in bounded time and on a small stack.
#[test]
fn hostile_bodies_are_left_open() {
    let nested = |open: &str, close: &str, count: usize| {
        format!("return {}self{};", open.repeat(count), close.repeat(count))
    };
    let chain: String = (0..40)
        .map(|index| {
            let next = nested(&format!("f{}(twice(", index + 1), "))", 60);
            format!("Tensor f{index}(const Tensor& self) {{ {next} }}\n")
        })
        .collect();
    let functions =
        format!("return f0(self); }}\n{chain}Tensor f40(const Tensor& self) {{ return self;");
    for body in [
        nested("(", ")", 100_000),
        nested("twice(", ")", 100_000),
        "if (n) {} else ".repeat(50_000) + "{}",
        "{".repeat(100_000),
        "#if A\n".to_owned() + &"#elif B\n".repeat(50_000) + "#endif\n",
        "self ? ".repeat(50_000),
        functions,
    ] {
        let (kernel, ..) = read(&body);
        assert!(!kernel.unresolved.is_empty(), "{}", &body[..40]);
    }
    // A prefix is not a whole body, which must not matter.
    let body = "for (auto& x : f({1, 2})) { if (x) return self[0] + at::total(x) ? a : b; }";
    for end in 0..body.len() {
        let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
        let text = file(&body[..end]);
        let file = File {
            path: "sources/blend.cpp",
            bytes: text.as_bytes(),
        };
        _ = SourceCalls::read(&catalogue(&bundle), &[file], |_| true);
    }
}

/// The verdict on `blend` at a key, its reason, and what it is known from.
fn verdict(body: Option<&str>, key: &str) -> (Verdict, Option<Because>, Option<KnownFrom>) {
    let mut bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
    if let Some(body) = body {
        bundle.insert("sources/blend.cpp", file(body).into_bytes());
    }
    let catalogue = catalogue(&bundle);
    let matches = DerivativeMatches::new(&catalogue, None);
    let observed = Observed::default();
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: None,
        matches: &matches,
        backends: &[],
        observed: &observed,
        provenance: Provenance::Assumed,
    };
    let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
    let view = View::new(inputs, &tables);
    let id = catalogue.find("blend").unwrap();
    let slot = view.keys().slot(key).unwrap();
    let support = view.support(id, slot);
    let entry = view.entry(id, slot).unwrap();
    let known_from = view.known_from(id, &entry, support.verdict);
    (support.verdict, support.because, known_from)
}

#[test]
fn a_new_composite_has_a_verdict_from_its_sources() {
    let source = Some(KnownFrom::Source);
    let unknown = |because| (Verdict::Unknown, Some(because), None);
    assert_eq!(verdict(None, "CPU"), unknown(Because::Unmeasured));
    let body = "return at::plus(self, other);";
    assert_eq!(
        verdict(Some(body), "CUDA"),
        (Verdict::Decomposes, None, source)
    );
    let body = "return at::only_cpu(self);";
    assert_eq!(
        verdict(Some(body), "CPU"),
        (Verdict::Decomposes, None, source)
    );
    assert_eq!(verdict(Some(body), "CUDA"), (Verdict::Fails, None, source));
    let body = "if (n > 0) { return at::only_cpu(self); } return self.total();";
    assert_eq!(verdict(Some(body), "CUDA"), (Verdict::Partly, None, source));
    let body = "return elsewhere(self);";
    assert_eq!(verdict(Some(body), "CPU"), unknown(Because::Unresolved));
}

/// The overload that could not be read may be the one that is meant.
#[test]
fn an_unreadable_entry_leaves_calls_open() {
    let body = "return self.plus(from_a_header());";
    let is_broken = |operators: String| {
        let bundle = Bundle::of_native_functions(operators.into_bytes());
        let catalogue = catalogue(&bundle);
        let text = file(body);
        let file = File {
            path: "sources/blend.cpp",
            bytes: text.as_bytes(),
        };
        let found = SourceCalls::read(&catalogue, &[file], |_| true);
        let blend = found.of(catalogue.find("blend").unwrap()).unwrap();
        !blend.unresolved.is_empty()
    };
    let hidden = OPERATORS.replace("plus.Scalar(Tensor self", "plus.Scalar(Tensor self self");
    assert!(is_broken(OPERATORS.to_owned()));
    assert!(is_broken(hidden));
}

/// A branch for CUDA says what CUDA runs instead.
#[test]
fn a_branch_for_a_device_is_not_held_against_it() {
    let body = "if (self.is_cuda()) { return at::only_cuda(self); } return at::only_cpu(self);";
    assert_eq!(verdict(Some(body), "CUDA").0, Verdict::Decomposes);
    assert_eq!(verdict(Some(body), "CPU").0, Verdict::Decomposes);
}

#[test]
fn only_the_files_that_decide_are_needed() {
    let text = file("return twice(self);");
    let files = [
        (
            "sources/other.cpp",
            "namespace at::native { Tensor other(const Tensor& x) { return x; } }",
        ),
        ("sources/blend.cpp", &*text),
    ];
    let files = files.map(|(path, text)| File {
        path,
        bytes: text.as_bytes(),
    });
    let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
    let catalogue = catalogue(&bundle);
    let found = SourceCalls::read(&catalogue, &files, |_| true);
    let blend = found.of(catalogue.find("blend").unwrap()).unwrap();
    assert_eq!(blend.files, BTreeSet::from([1]));
}
