//! What findings advise for usual mistakes: the fix fits the cause, and only the cause is reported.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::apply;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS};

/// The errors and warnings of native functions and other files.
fn faults(files: &[(&str, &str)]) -> Vec<Finding> {
    let mut bundle = Bundle::default();
    for (name, text) in files {
        bundle.insert(name, text.as_bytes());
    }
    let found = opatlas_rules::check(&Catalogue::read(&bundle, Release::V2_9, None)).into_kept();
    let found = found.into_iter();
    found
        .filter(|found| found.severity != Severity::Info)
        .collect()
}

fn of_operators(text: &str) -> Vec<Finding> {
    faults(&[(NATIVE_FUNCTIONS, text)])
}

fn rules(found: &[Finding]) -> Vec<RuleId> {
    found.iter().map(|found| found.rule).collect()
}

fn help(found: &Finding) -> &str {
    found.help.as_deref().unwrap_or_default()
}

const ZAP: &str = "\
- func: zap(Tensor self, int d) -> Tensor
  variants: function, method
  structured_delegate: zap.out
- func: zap_(Tensor(a!) self, int d) -> Tensor(a!)
  variants: function, method
  structured_delegate: zap.out
";

#[test]
fn an_entry_that_cannot_be_read_is_not_missing() {
    for second in ["   CUDA: zap_out", "\tCUDA: zap_out", "   CUDA zap_out: x"] {
        let text = format!(
            "{ZAP}\
- func: zap.out(Tensor self, int d, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: zap_out
{second}
- func: cat.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: cat_out
- func: cat(Tensor self) -> Tensor
  structured_delegate: cat.out
"
        );
        assert_eq!(rules(&of_operators(&text)), [RuleId::YamlSyntax], "{text}");
    }
    let twin = "- func: mix(Tensor self) -> Tensor\n variants: function\n- func: mix_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    CPU: mix_\n";
    assert_eq!(rules(&of_operators(twin)), [RuleId::YamlSyntax]);
    // An entry that is not there is missing.
    let found = of_operators(ZAP);
    assert!(rules(&found).contains(&RuleId::StructuredDelegateTargetMissing));
}

#[test]
fn an_operator_that_is_declared_twice_has_one_finding() {
    let twice = "\
- func: mul(Tensor self, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CPU: mul_cpu
  autogen: mul.out
- func: mul(Tensor self, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CUDA: mul_cuda
  autogen: mul.out
";
    let deprecated = "- name: mul(Scalar alpha, Tensor self) -> Tensor\n  aten: mul(self, alpha)\n";
    let found = faults(&[(NATIVE_FUNCTIONS, twice), (DEPRECATED, deprecated)]);
    assert_eq!(rules(&found), [RuleId::DuplicateSignature], "{found:#?}");
    assert_eq!(
        &*found[0].message,
        "`mul` is declared twice, with different dispatch keys"
    );
    assert_eq!(help(&found[0]), "write all dispatch keys in one entry");
    let namesakes = twice.replacen("mul(", "mul.other(", 1);
    let found = of_operators(&namesakes);
    assert!(found[0].message.ends_with("and both are functional"));
}

#[test]
fn without_a_tensor_to_return_the_cause_is_named() {
    let core = "- func: zz(Tensor self) -> ()\n  tags: core\n";
    let found = of_operators(core);
    assert_eq!(rules(&found), [RuleId::NoTensorReturn], "{found:#?}");
    assert!(found[0].message.starts_with("`zz` is tagged `core`, "));
    assert_eq!(help(&found[0]), "return a tensor, or remove the tag `core`");
    let kernels = "- func: zz(Tensor self) -> ()\n  tags: core\n  dispatch:\n    CPU: zz\n";
    let found = of_operators(kernels);
    assert!(found[0].message.starts_with("`zz` has its own kernels, "));
}

#[test]
fn an_out_argument_without_its_annotation_is_the_only_mistake() {
    for alpha in ["", "Scalar alpha=1, "] {
        let star = if alpha.is_empty() {
            ""
        } else {
            ", *, Scalar alpha=1"
        };
        let text = format!(
            "\
- func: zap(Tensor self, int d{star}) -> Tensor
  variants: function, method
  structured_delegate: zap.out
- func: zap.out(Tensor self, int d, *, {alpha}Tensor out) -> Tensor
  structured: True
  dispatch:
    CPU: zap_out
"
        );
        let found = of_operators(&text);
        let expected = [RuleId::OutArgumentAnnotation, RuleId::StructuredOnOutOnly];
        assert_eq!(rules(&found), expected, "{found:#?}");
        for finding in &found {
            assert!(help(finding).contains("`*, Tensor(a!) out) -> Tensor(a!)`"));
        }
        let (fixed, made) = apply(&text, &found.iter().collect::<Vec<_>>());
        assert_eq!(made.len(), 1);
        assert_eq!(of_operators(&fixed), Vec::new(), "{fixed}");
    }
    // Only a default is refused.
    let plain = "- func: zap.out(Tensor self, *, Scalar alpha=1, Tensor out) -> Tensor\n";
    let found = of_operators(plain);
    assert_eq!(rules(&found), [RuleId::DefaultSuffixOnly], "{found:#?}");
    let fix = found[0].fix.as_ref().unwrap();
    assert_eq!(&*fix.replacement, "Tensor(a!) out) -> Tensor(a!)");
}

const RESHAPES: &str = "\
- func: shift(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: shift
  autogen: shift.out
- func: reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
  variants: function, method
- func: tile_by(Tensor self, int[] sizes) -> Tensor
  variants: function, method
";

/// The formula after the edits of its findings, and the help of the first.
fn symbolic(formula: &str) -> (String, String) {
    let text = format!("- name: shift(Tensor self, Tensor other) -> Tensor\n  self: {formula}\n");
    let found = faults(&[(NATIVE_FUNCTIONS, RESHAPES), (DERIVATIVES, &text)]);
    let (fixed, _) = apply(&text, &found.iter().collect::<Vec<_>>());
    let formula = fixed.split("self: ").nth(1).unwrap().trim_end();
    (formula.to_owned(), help(&found[0]).to_owned())
}

#[test]
fn symbolic_sizes_need_a_function_that_takes_them() {
    for (formula, fixed, advice) in [
        (
            "grad.reshape(self.sizes())",
            "grad.reshape_symint(self.sym_sizes())",
            "write `.sym_sizes()`, in a call of `reshape_symint`",
        ),
        (
            "at::reshape(grad * (other + 1), {self.size(0), -1})",
            "at::reshape_symint(grad * (other + 1), {self.sym_size(0), -1})",
            "write `.sym_size(0)`, in a call of `reshape_symint`",
        ),
        (
            "grad.reshape_symint(self.sizes())",
            "grad.reshape_symint(self.sym_sizes())",
            "write `.sym_sizes()`, in a call of `reshape_symint`",
        ),
        (
            "grad.tile_by(self.sizes())",
            "grad.tile_by(self.sizes())",
            "write `.sym_sizes()`, in a call of a function that takes symbolic sizes",
        ),
        (
            "unreduce(grad, self.sizes())",
            "unreduce(grad, self.sizes())",
            "write `.sym_sizes()`, in a call of a function that takes symbolic sizes",
        ),
        (
            "grad / (self.size(0) * 2)",
            "grad / (self.sym_size(0) * 2)",
            "write `.sym_size(0)`",
        ),
        (
            "grad[self.size(0)]",
            "grad[self.size(0)]",
            "write `.sym_size(0)`",
        ),
    ] {
        let expected = (fixed.to_owned(), advice.to_owned());
        assert_eq!(symbolic(formula), expected);
    }
}
