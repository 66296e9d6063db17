//! What findings say about variants whose signatures differ, about names in formulas, and about
//! composites beside kernels.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::apply;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, DERIVATIVES};

fn findings(text: &str, formulas: Option<&str>) -> Vec<Finding> {
    let mut bundle = Bundle::of_native_functions(text.as_bytes());
    if let Some(formulas) = formulas {
        bundle.insert(DERIVATIVES, formulas.as_bytes());
    }
    opatlas_rules::check(&Catalogue::read(&bundle, Release::LATEST, None)).into_kept()
}

fn entries(schemas: &[(&str, &str)]) -> String {
    let entry = |(schema, fields): &(&str, &str)| format!("- func: {schema}\n{fields}");
    schemas.iter().map(entry).collect()
}

const CPU: &str = "  dispatch:\n    CPU: kernel\n";

/// The only error of a file. Its edit, if it has one, leaves no error.
fn error(text: &str) -> Finding {
    let all = findings(text, None);
    let errors: Vec<&Finding> = all
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .collect();
    let [error] = errors[..] else {
        panic!("{text}\n{errors:#?}");
    };
    if error.fix.is_some() {
        let (fixed, _) = apply(text, &[error]);
        let left = findings(&fixed, None);
        let left: Vec<&Finding> = left
            .iter()
            .filter(|f| f.severity == Severity::Error)
            .collect();
        assert!(left.is_empty(), "{fixed}\n{left:#?}");
    }
    error.clone()
}

fn check(schemas: &[(&str, &str)], rule: RuleId, clause: &str, help: &str, has_edit: bool) {
    let found = error(&entries(schemas));
    assert_eq!(found.rule, rule, "{found:#?}");
    assert!(found.message.contains(clause), "{}", &*found.message);
    let said = found.help.as_deref().unwrap_or_default();
    assert!(said.contains(help), "{said}");
    assert_eq!(found.fix.is_some(), has_edit, "{found:#?}");
}

#[test]
fn out_variants_that_differ() {
    check(
        &[
            (
                "scale.Tensor(Tensor self, Tensor other, int dim=0) -> Tensor",
                CPU,
            ),
            (
                "scale.Tensor_out(Tensor self, Tensor other, int? dim=0, *, Tensor(a!) out) -> Tensor(a!)",
                CPU,
            ),
        ],
        RuleId::OutWithoutOtherVariant,
        "`dim` must have type `int`, not `int?`",
        "write `scale.Tensor_out(Tensor self, Tensor other, int dim=0, *, Tensor(a!) out) -> Tensor(a!)`, \
         or change `scale.Tensor` instead: `scale.Tensor(Tensor self, Tensor other, int? dim=0) -> Tensor`",
        true,
    );
    // The overload has no usual name, so the nearest functional operator is meant.
    check(
        &[
            ("flip(Tensor self, int[] dims) -> Tensor", CPU),
            ("flip.Scalar(Tensor self, Scalar by) -> Tensor", CPU),
            (
                "flip.dst(Tensor self, int[] dim, *, Tensor(a!) dst) -> Tensor(a!)",
                CPU,
            ),
        ],
        RuleId::OutWithoutOtherVariant,
        "differs from that of `flip`: `dim` must be named `dims`",
        "write `flip.dst(Tensor self, int[] dims, *, Tensor(a!) dst) -> Tensor(a!)`",
        true,
    );
    check(
        &[
            (
                "best(Tensor self, int dim) -> (Tensor values, Tensor indices)",
                CPU,
            ),
            (
                "best.values(Tensor self, int dim, *, Tensor(a!) values) -> Tensor(a!)",
                CPU,
            ),
        ],
        RuleId::OutWithoutOtherVariant,
        "it must return `(Tensor, Tensor)`, not `Tensor`",
        "write `best.values(Tensor self, int dim, *, Tensor(a!) out0, Tensor(b!) out1) -> \
         (Tensor(a!), Tensor(b!))`",
        true,
    );
}

#[test]
fn in_place_and_mutable_variants_that_differ() {
    check(
        &[
            ("tilt(Tensor self, float by=1.0) -> Tensor", CPU),
            (
                "tilt.out(Tensor self, float by=1.0, *, Tensor(a!) out) -> Tensor(a!)",
                CPU,
            ),
            ("tilt_(Tensor(a!) self, float by=2.0) -> Tensor(a!)", CPU),
        ],
        RuleId::MutableOpMustBeGrouped,
        "`by` must have the default `1.0`, not `2.0`",
        "write `tilt_(Tensor(a!) self, float by=1.0) -> Tensor(a!)`",
        true,
    );
    check(
        &[
            (
                "stir_functional(Tensor self, Tensor seen, bool fast) -> (Tensor, Tensor)",
                CPU,
            ),
            (
                "stir(Tensor self, Tensor(a!) seen) -> Tensor",
                "  dispatch:\n    CPU: stir\n  autogen: stir.out\n",
            ),
        ],
        RuleId::AutogenListMismatch,
        "argument `bool fast` is missing",
        "write `stir(Tensor self, Tensor(a!) seen, bool fast) -> Tensor`",
        true,
    );
}

#[test]
fn groups_of_which_several_variants_differ() {
    let structured = [
        (
            "bend.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)",
            "  structured: True\n  dispatch:\n    CPU: bend_out\n",
        ),
        (
            "bend(Tensor self, int n, bool keep=False) -> Tensor",
            "  structured_delegate: bend.out\n",
        ),
        (
            "bend_(Tensor(a!) self, int n) -> Tensor(a!)",
            "  structured_delegate: bend.out\n",
        ),
    ];
    check(
        &structured,
        RuleId::StructuredGroupConsistent,
        "the signatures of `bend.out` and `bend_` differ from that of `bend`: argument `bool keep=False` \
         is missing",
        "write `bend.out(Tensor self, int n, bool keep=False, *, Tensor(a!) out) -> Tensor(a!)` and \
         `bend_(Tensor(a!) self, int n, bool keep=False) -> Tensor(a!)`, or change `bend` instead: \
         `bend(Tensor self, int n) -> Tensor`",
        false,
    );
    let composite = [
        (
            "mix(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
            "",
        ),
        (
            "mix_(Tensor(a!) self, Tensor other, *, Scalar beta=1) -> Tensor(a!)",
            "",
        ),
        (
            "mix.out(Tensor self, Tensor other, *, Scalar beta=1, Tensor(a!) out) -> Tensor(a!)",
            "",
        ),
    ];
    check(
        &composite,
        RuleId::GroupFunctionalRequired,
        "`beta` must be named `alpha`",
        "or change `mix` instead: `mix(Tensor self, Tensor other, *, Scalar beta=1) -> Tensor`",
        false,
    );
}

/// Both lists would be wrong once the signatures agree.
#[test]
fn lists_that_must_change_too_are_named() {
    check(
        &[
            (
                "mul3(Tensor self, Tensor mat2) -> Tensor",
                "  dispatch:\n    CPU: mul3\n  autogen: mul3.out\n",
            ),
            (
                "mul3_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                "  dispatch:\n    CPU: mul3_\n  autogen: mul3, mul3.out\n",
            ),
        ],
        RuleId::AutogenNameClash,
        "the signature of `mul3_` differs from that of `mul3`: `other` must be named `mat2`",
        "; also write `autogen: mul3.out` in `mul3_`",
        false,
    );
}

#[test]
fn autogen_is_advised_only_for_names_that_are_free() {
    let advice = |schemas: &[(&str, &str)]| -> Vec<String> {
        let all = findings(&entries(schemas), None);
        let help = all.iter().filter_map(|f| f.help.as_deref());
        help.filter(|help| help.contains("autogen"))
            .map(str::to_owned)
            .collect()
    };
    let solo = ("solo(Tensor self) -> Tensor", CPU);
    assert_eq!(advice(&[solo]), ["add `autogen: solo.out`"]);
    let out = (
        "solo.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)",
        CPU,
    );
    assert_eq!(advice(&[solo, out]), [""; 0]);
    let lone = ("lone_(Tensor(a!) self) -> Tensor(a!)", CPU);
    assert_eq!(
        advice(&[lone]),
        ["add `autogen: lone, lone.out`, or declare them by hand"]
    );
    let twin = ("lone(Tensor self) -> Tensor", "");
    assert_eq!(
        advice(&[lone, twin, ("lone_.x(Tensor(a!) self) -> Tensor(a!)", "")]),
        [""; 0]
    );
}

#[test]
fn optional_out_arguments_are_two_operators() {
    let pair =
        "part(Tensor self, *, Tensor(a!)? out0=None, Tensor(b!)? out1=None) -> (Tensor, Tensor)";
    let all = findings(&entries(&[(pair, CPU)]), None);
    let found = all
        .iter()
        .find(|f| f.rule == RuleId::OptionalMutableTensor)
        .unwrap();
    assert_eq!(
        found.help.as_deref(),
        Some(
            "declare two operators: `part(Tensor self) -> (Tensor, Tensor)` and `part.out(Tensor self, *, \
             Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))`"
        )
    );
    let all = findings(
        &entries(&[(
            "pick(Tensor self, int dim, *, Tensor(a!)? out=None) -> Tensor",
            CPU,
        )]),
        None,
    );
    let found = all
        .iter()
        .find(|f| f.rule == RuleId::OptionalMutableTensor)
        .unwrap();
    assert_eq!(
        found.help.as_deref(),
        Some(
            "declare two operators: `pick(Tensor self, int dim) -> Tensor` and \
             `pick.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)`"
        )
    );
    assert!(all.iter().all(|finding| finding.fix.is_none()), "{all:#?}");
}

const TURN: &str = "- func: turn(Tensor self, int shift, Tensor[] parts) -> (Tensor first, Tensor second)\n  dispatch:\n    CPU: turn\n  autogen: turn.out\n";

/// The unknown names of a formula, each with the help.
fn unknown(name: &str, formula: &str) -> Vec<(String, String)> {
    let schema = TURN.lines().next().unwrap().trim_start_matches("- func: ");
    let file = format!("- name: {schema}\n  {name}: {formula}\n");
    let all = findings(TURN, Some(&file));
    let found = all
        .into_iter()
        .filter(|f| f.rule == RuleId::DerivUnknownName);
    let said = found.map(|f| (f.span.slice(&file).to_owned(), f.help.unwrap().to_string()));
    said.collect()
}

#[test]
fn names_in_formulas() {
    for (name, formula) in [
        (
            "self",
            "turn_backward(grad_first, self, -shift, at::kFloat, M_PI)",
        ),
        (
            "self, parts",
            "f(grads[0], grads[1], grad_input_mask, first, second)",
        ),
        ("self", "retain_variables ? grads[1] : grads[0].clone()"),
        ("first", "self_t + f(self_p, shift, parts, first)"),
        (
            "self",
            "\"fmap(parts, [&](const Tensor& x) { auto y = x * shift; return y; })[0] * grad\"",
        ),
    ] {
        assert_eq!(unknown(name, formula), Vec::new(), "{formula}");
    }
    let only = |name: &str, help: &str| vec![(name.to_owned(), help.to_owned())];
    for (name, formula, expected) in [
        (
            "self",
            "grad * shifts",
            only("shifts", "did you mean `shift`?"),
        ),
        (
            "first",
            "self_t * shift + sefl_p",
            only("sefl_p", "did you mean `self_p`?"),
        ),
        (
            "self",
            "grad * amount",
            only("amount", "the arguments are `self`, `shift`, `parts`"),
        ),
        (
            "self",
            "grad * self_t",
            only("self_t", "tangents exist only in formulas for outputs"),
        ),
        (
            "first",
            "grad * shift",
            only("grad", "gradients exist only in formulas for arguments"),
        ),
        (
            "self",
            "f(grad, grad_input_mask)",
            only(
                "grad_input_mask",
                "`grad_input_mask` exists only in a formula for several arguments",
            ),
        ),
        (
            "self",
            "f(grads[0], grads[1], grad_third)",
            only("grad_third", "the arguments are `self`, `shift`, `parts`"),
        ),
        (
            "self",
            "fmap(parts, [n](const Tensor& x) { return x; })[0] * grad",
            only("n", "the arguments are `self`, `shift`, `parts`"),
        ),
    ] {
        assert_eq!(
            unknown(name, &format!("'{formula}'")),
            expected,
            "{formula}"
        );
    }
}

#[test]
fn conditions_use_arguments() {
    let native = "- func: cast(Tensor self, ScalarType? dtype) -> Tensor\n  dispatch:\n    CPU: cast\n  autogen: cast.out\n";
    let unknown = |condition: &str| {
        let file = format!(
            "- name: cast(Tensor self, ScalarType? dtype) -> Tensor\n  output_differentiability: [\"{condition}\"]\n  self: grad\n"
        );
        let all = findings(native, Some(&file));
        let found = all.iter().find(|f| f.rule == RuleId::DerivUnknownName);
        found.map(|f| f.message.to_string())
    };
    assert_eq!(unknown("!dtype || isDifferentiableType(*dtype)"), None);
    assert_eq!(
        unknown("!type || isDifferentiableType(*dtype)").as_deref(),
        Some("the condition uses `type`, which is not an argument of `cast`")
    );
}

/// An edit of the schema would leave the old name in the formulas.
#[test]
fn entries_that_use_an_old_name_are_not_half_edited() {
    let file = |formula: &str| {
        format!(
            "- name: turn(Tensor self, int shifts, Tensor[] parts) -> (Tensor first, Tensor second)\n  self: {formula}\n"
        )
    };
    let found = |formula: &str| {
        let all = findings(TURN, Some(&file(formula)));
        let mut wrong = all.into_iter().filter(|f| f.severity == Severity::Error);
        wrong.next().unwrap()
    };
    assert!(found("grads[1] + grads[0]").fix.is_some());
    let uses = found("grads[1] * shifts");
    assert!(uses.fix.is_none());
    assert!(
        uses.help
            .unwrap()
            .ends_with(", and replace `shifts` in the formulas")
    );
}

#[test]
fn composites_beside_kernels() {
    let rules = |text: &str, formulas: &str| -> Vec<RuleId> {
        let all = findings(text, Some(formulas));
        let is_new = |rule: &RuleId| {
            matches!(
                rule,
                RuleId::CompositeBesideKernel | RuleId::BackwardImplicit
            )
        };
        all.iter().map(|f| f.rule).filter(is_new).collect()
    };
    let both = |key: &str| {
        format!(
            "- func: lift(Tensor self) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: lift\n    {key}: lift_kernel\n"
        )
    };
    assert_eq!(
        rules(&both("Meta"), "[]\n"),
        [RuleId::CompositeBesideKernel]
    );
    let without_file = findings(&both("Meta"), None);
    assert!(
        without_file
            .iter()
            .any(|f| f.rule == RuleId::CompositeBesideKernel)
    );
    assert!(
        findings(&both("XPU"), None)
            .iter()
            .all(|f| f.rule != RuleId::CompositeBesideKernel)
    );
    assert_eq!(rules(&both("XPU"), "[]\n"), [RuleId::CompositeBesideKernel]);
    assert_eq!(rules(&both("NestedTensorCPU"), "[]\n"), [""; 0]);
    let formula = "- name: lift(Tensor self) -> Tensor\n  self: grad\n";
    assert_eq!(rules(&both("XPU"), formula), [""; 0]);
    let pair = |fields: &str| {
        format!(
            "{}- func: lift_backward(Tensor grad) -> Tensor\n{fields}",
            both("CPU")
        )
    };
    let calls = "- name: lift(Tensor self) -> Tensor\n  self: lift_backward(grad)\n";
    assert_eq!(rules(&pair(""), calls), [RuleId::BackwardImplicit]);
    assert_eq!(rules(&pair(CPU), calls), [""; 0]);
    assert_eq!(
        rules("- func: lift_backward(Tensor grad) -> Tensor\n", "[]\n"),
        [""; 0]
    );
}

#[test]
fn several_out_arguments_may_have_the_names_of_returns() {
    let polar = |outs: &str, returns: &str| {
        let text = format!(
            "- func: polar2(Tensor A) -> (Tensor U, Tensor H)\n  dispatch:\n    CPU: polar2\n\
             - func: polar2.out(Tensor A, *, {outs}) -> {returns}\n  dispatch:\n    CPU: polar2_out\n"
        );
        let bundle = Bundle::of_native_functions(text.as_bytes());
        let found = opatlas_rules::check(&Catalogue::read(&bundle, Release::LATEST, None));
        let found = found.into_kept().into_iter();
        found.filter(|one| one.rule == RuleId::OutArgNaming).count()
    };
    let returns = "(Tensor(a!) U, Tensor(b!) H)";
    assert_eq!(polar("Tensor(a!) U, Tensor(b!) H", returns), 0);
    assert_eq!(polar("Tensor(a!) out0, Tensor(b!) out1", returns), 0);
    assert_eq!(polar("Tensor(a!) u, Tensor(b!) h", returns), 2);
}
