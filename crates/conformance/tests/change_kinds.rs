//! Comparisons of small files: which changes are found, with which level and sentence, and which are
//! not claimed.

use opatlas_diff::causes::causes;
use opatlas_diff::rules::{Audience, Level, Profile, RULES};
use opatlas_diff::{Comparison, Revision, compare};
use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_report::changes::{help, message};
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas_verdict::View;

use super::release_view::with_view;

/// The files of a side. An empty text means that the file is missing.
#[derive(Debug, Clone, Copy, Default)]
struct Files<'a> {
    native: &'a str,
    formulas: &'a str,
    tags: &'a str,
}

impl Files<'_> {
    fn bundle(self) -> Bundle {
        let mut bundle = Bundle::default();
        let formulas = format!("{FORMULAS}{}", self.formulas);
        bundle.insert(
            NATIVE_FUNCTIONS,
            format!("{}{PLAIN}", self.native).into_bytes(),
        );
        bundle.insert(DERIVATIVES, formulas.into_bytes());
        if !self.tags.is_empty() {
            bundle.insert(TAGS, self.tags.as_bytes().to_vec());
        }
        bundle
    }
}

const PLAIN: &str = "- func: plain(Tensor self) -> Tensor\n  dispatch:\n    CPU: plain_cpu\n";
const FORMULAS: &str = "- name: plain(Tensor self) -> Tensor\n  self: grad\n";

fn side(view: View<'_>) -> Revision<'_> {
    Revision {
        catalogue: view.inputs.catalogue,
        view: Some(view),
    }
}

fn between<T>(base: Files<'_>, head: Files<'_>, then: impl FnOnce(&Comparison, usize) -> T) -> T {
    let (base, head, release) = (base.bundle(), head.bundle(), Release::V2_15);
    with_view(&base, release, &Observed::default(), |base| {
        with_view(&head, release, &Observed::default(), |head| {
            let comparison = compare(side(base), side(head));
            let causes = causes(&comparison, base.inputs.catalogue, head.inputs.catalogue);
            then(&comparison, causes.len())
        })
    })
}

/// `level rule operator: message [help]` of the changes of these rules.
fn found(base: Files<'_>, head: Files<'_>, rules: &[&str]) -> Vec<String> {
    between(base, head, |comparison, _| {
        let changes = comparison.changes.iter();
        let wanted = changes.filter(|change| rules.contains(&change.rule.id.as_str()));
        let text = wanted.map(|change| {
            let help = help(change).map_or_else(String::new, |help| format!(" [{}]", &*help));
            let (level, rule) = (change.level, change.rule.id);
            format!(
                "{level} {rule} {}: {}{help}",
                change.operator,
                &*message(change)
            )
        });
        text.collect()
    })
}

const TWO_TAGS: &str = "- tag: core\n  desc: stable\n- tag: fusible\n  desc: can be fused\n";
const ONE_TAG: &str = "- tag: core\n  desc: stable\n";
const OF_TAGS: [&str; 3] = [
    "tag-member-removed",
    "tag-member-added",
    "tag-classification-changed",
];

fn tags(tags: &str) -> Files<'_> {
    Files {
        tags,
        ..Files::default()
    }
}

#[test]
fn tags_of_the_file_are_members_of_an_enumeration() {
    let removed = found(tags(TWO_TAGS), tags(ONE_TAG), &OF_TAGS);
    assert_eq!(
        removed,
        [
            "breaking tag-member-removed torch.Tag.fusible: `tags.yaml` no longer declares the tag, so \
             this member and `at::Tag::fusible` are gone [Keep the tag in `tags.yaml`, even if no \
             operator has it any more.]"
        ]
    );
    let added = found(tags(ONE_TAG), tags(TWO_TAGS), &OF_TAGS);
    assert_eq!(
        added,
        ["info tag-member-added torch.Tag.fusible: `tags.yaml` declares the new tag `fusible`"]
    );
    let renamed = TWO_TAGS.replace("fusible", "fused");
    assert_eq!(found(tags(TWO_TAGS), tags(&renamed), &OF_TAGS).len(), 2);
}

#[test]
fn nothing_is_claimed_of_tags_that_nobody_declared_or_read() {
    let reworded = TWO_TAGS.replace("can be fused", "may be fused");
    let reordered = "- tag: fusible\n  desc: can be fused\n- tag: core\n  desc: stable\n";
    let twice = format!("{TWO_TAGS}- tag: core\n  desc: again\n");
    let broken = format!("{ONE_TAG}- tag: [\n");
    let without_description = format!("{ONE_TAG}- tag: fusible\n");
    for head in [
        "",
        &reworded,
        reordered,
        &twice,
        &broken,
        &without_description,
    ] {
        let none: [String; 0] = [];
        assert_eq!(found(tags(TWO_TAGS), tags(head), &OF_TAGS), none, "{head}");
    }
    assert!(found(tags(""), tags(TWO_TAGS), &OF_TAGS).is_empty());
    assert!(found(tags(&broken), tags(TWO_TAGS), &OF_TAGS).is_empty());
}

/// Operators that lose a tag with its declaration follow from that.
#[test]
fn a_removed_tag_is_one_cause() {
    let tagged = "- func: blend(Tensor self) -> Tensor\n  tags: fusible\n";
    let base = Files {
        native: tagged,
        tags: TWO_TAGS,
        ..Files::default()
    };
    let head = Files {
        native: "- func: blend(Tensor self) -> Tensor\n",
        tags: ONE_TAG,
        ..Files::default()
    };
    assert_eq!(found(base, head, &OF_TAGS).len(), 2);
    between(base, head, |_, causes| assert_eq!(causes, 1));
}

const COMPOSITE: &str = "- func: mix(Tensor self, Tensor other) -> Tensor\n";
const EXPLICIT: &str = "- func: mix(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    \
                        CompositeExplicitAutograd: mix\n  autogen: mix.out\n";

fn made_explicit(entry: &str) -> Vec<String> {
    let formulas = match entry {
        "" => String::new(),
        entry => format!("- name: mix(Tensor self, Tensor other) -> Tensor\n{entry}"),
    };
    let base = Files {
        native: COMPOSITE,
        ..Files::default()
    };
    let head = Files {
        native: EXPLICIT,
        formulas: &formulas,
        ..Files::default()
    };
    found(base, head, &["autograd-support-lost"])
}

/// An operator that trained as an implicit composite and now has explicit kernels: its entry in
/// derivatives.yaml decides.
#[test]
fn formulas_decide_what_an_explicit_operator_lost() {
    let none: [String; 0] = [];
    assert_eq!(made_explicit("  self, other: mix_backward(grad)\n"), none);
    for (entry, level, words) in [
        ("", "breaking", "it can no longer train on CPU"),
        (
            "  self, other: not_implemented(\"mix\")\n",
            "breaking",
            "its backward raises for each of",
        ),
        (
            "  self: grad\n  other: not_implemented(\"mix\")\n",
            "breaking",
            "raises for `other`, whose",
        ),
        (
            "  self: grad\n",
            "breaking",
            "calls raise if `other` requires a gradient",
        ),
        (
            "  output_differentiability: [False]\n",
            "dangerous",
            "its results no longer have a gradient",
        ),
        (
            "  self, other: non_differentiable\n",
            "dangerous",
            "its results no longer have a gradient",
        ),
        (
            "  self: grad\n  other: non_differentiable\n",
            "dangerous",
            "`other` no longer gets a gradient",
        ),
        // torchgen generates a node whose backward raises.
        (
            "  self: non_differentiable\n",
            "breaking",
            "has no formula, so its backward raises",
        ),
    ] {
        let changes = made_explicit(entry);
        assert_eq!(changes.len(), 1, "{entry}: {changes:?}");
        assert!(changes[0].starts_with(level), "{entry}: {changes:?}");
        assert!(changes[0].contains(words), "{entry}: {changes:?}");
        let is_plain = entry.is_empty();
        assert_eq!(
            changes[0].contains("can no longer train"),
            is_plain,
            "{entry}: {changes:?}"
        );
    }
}

#[test]
fn a_change_that_is_only_a_risk_is_one_for_every_audience() {
    let base = Files {
        native: COMPOSITE,
        ..Files::default()
    };
    let head = Files {
        native: EXPLICIT,
        formulas: "- name: mix(Tensor self, Tensor other) -> Tensor\n  \
                   output_differentiability: [False]\n",
        ..Files::default()
    };
    between(base, head, |comparison, _| {
        let mut changes = comparison.changes.iter();
        let change = changes.find(|change| change.rule.id == "autograd-support-lost");
        let change = change.unwrap();
        for profile in [Profile::Strict, Profile::Python, Profile::Compiler] {
            let level = profile.level(change.rule, change.level, change.impacts);
            assert_eq!(level, Level::Dangerous, "{profile}");
        }
    });
}

/// Some rules are safe for callers but break other audiences, and each audience has its own level.
#[test]
fn audiences_that_a_safe_change_breaks_have_a_profile_that_says_so() {
    let breaks_someone = |rule: &&opatlas_diff::rules::ChangeRule| {
        rule.level.is_some_and(|level| level < Level::Dangerous) && !rule.impacts.breaks.is_empty()
    };
    let found: Vec<&str> = RULES
        .iter()
        .filter(breaks_someone)
        .map(|rule| rule.id.as_str())
        .collect();
    assert_eq!(
        found,
        ["argument-added-with-default", "return-type-narrowed"]
    );
    for rule in RULES.iter().filter(breaks_someone) {
        let level = rule.level.unwrap();
        assert!(rule.impacts.breaks.contains(Audience::Backend));
        assert_eq!(
            Profile::Backend.level(rule, level, rule.impacts),
            Level::Breaking
        );
        assert!(Profile::Python.level(rule, level, rule.impacts) < Level::Dangerous);
    }
}

fn turn(argument: &str, formula: &str) -> [String; 2] {
    let schema = format!("turn(Tensor self, int {argument}) -> Tensor");
    [
        format!("- func: {schema}\n  dispatch:\n    CPU: turn_cpu\n"),
        format!("- name: {schema}\n  self: {formula}\n"),
    ]
}

#[test]
fn a_formula_that_is_the_same_or_follows_a_rename_did_not_change() {
    let rules = ["formula-changed", "formula-removed", "formula-added"];
    let compared = |base: [String; 2], head: [String; 2]| {
        let [base, head] = [&base, &head].map(|[native, formulas]| Files {
            native,
            formulas,
            ..Files::default()
        });
        found(base, head, &rules)
    };
    let none: [String; 0] = [];
    let old = || turn("shifts", "turn(grad, -shifts)");
    assert_eq!(compared(old(), turn("shift", "turn(grad, -shifts)")), none);
    assert_eq!(compared(old(), turn("shift", "turn(grad, -shift)")), none);
    assert_eq!(
        compared(old(), turn("shift, bool far=False", "turn(grad, - shift)")),
        none
    );
    let changed = compared(old(), turn("shift", "turn(grad, shift)"));
    assert_eq!(
        changed,
        [
            "dangerous formula-changed turn: its formula for `self` changed: `turn(grad, -shifts)` became \
          `turn(grad, shift)` [Test the gradients numerically, with `gradcheck` for example.]"
        ]
    );
    for (formula, words) in [
        (
            "not_implemented(\"turn\")",
            "training through it raises an error",
        ),
        ("non_differentiable", "the gradient silently stops there"),
    ] {
        let removed = compared(old(), turn("shifts", formula));
        assert!(
            removed[0].starts_with("breaking formula-removed"),
            "{removed:?}"
        );
        assert!(removed[0].contains(words), "{removed:?}");
    }
}

#[test]
fn the_formula_of_an_operator_that_was_never_a_composite_is_kept() {
    let [native, formulas] = turn("shifts", "turn(grad, -shifts)");
    let base = Files {
        native: &native,
        formulas: &formulas,
        ..Files::default()
    };
    let head = Files {
        formulas: "",
        ..base
    };
    let lost = found(base, head, &["autograd-support-lost"]);
    assert!(
        lost[0].ends_with("[Keep the formula in `derivatives.yaml`.]"),
        "{lost:?}"
    );
}

const BEND: &str = "- func: bend(Tensor self, int by) -> Tensor\n";
const BEND_: &str = "- func: bend_(Tensor(a!) self, int by) -> Tensor(a!)\n";
const BEND_OUT: &str = "- func: bend.out(Tensor self, int by, *, Tensor(a!) out) -> Tensor(a!)\n";

fn variants(base: &[&str], head: &[&str]) -> Vec<String> {
    let explicit = |entries: &[&str]| -> String {
        let kernel = "  dispatch:\n    CompositeExplicitAutograd: kernel\n";
        entries
            .iter()
            .map(|entry| format!("{entry}{kernel}"))
            .collect()
    };
    let (base, head) = (explicit(base), explicit(head));
    let [base, head] = [&base, &head].map(|native| Files {
        native,
        ..Files::default()
    });
    found(
        base,
        head,
        &["variant-group-incomplete", "variants-out-of-step"],
    )
}

#[test]
fn variants_that_are_still_there_are_out_of_step() {
    let all = [BEND, BEND_, BEND_OUT];
    let changed = "- func: bend(Tensor self, int by, *, bool keep=False) -> Tensor\n";
    let out = "bend.out(Tensor self, int by, *, bool keep=False, Tensor(a!) out) -> Tensor(a!)";
    let inplace = "bend_(Tensor(a!) self, int by, *, bool keep=False) -> Tensor(a!)";
    assert_eq!(
        variants(&all, &[changed, BEND_, BEND_OUT]),
        [format!(
            "dangerous variants-out-of-step bend: its variants are out of step: make the same change \
             in `bend.out` and `bend_` (write `{out}` and `{inplace}`) [Make the same change in \
             `bend.out`, `bend_`: `{out}`, `{inplace}`.]"
        )]
    );
    // The variant that changed is the one that the others must follow.
    let inplace = "- func: bend_(Tensor(a!) self, int by, bool keep=False) -> Tensor(a!)\n";
    let found = variants(&all, &[BEND, inplace, BEND_OUT]);
    let begin = "dangerous variants-out-of-step bend_: its variants are out of step: make the same \
                 change in `bend` and `bend.out` (write `bend(Tensor self, int by, bool keep=False) -> \
                 Tensor` and";
    assert!(found.len() == 1 && found[0].starts_with(begin), "{found:?}");
    let none: [String; 0] = [];
    let all_changed = all.map(|entry| entry.replace("int by", "int by, bool keep=False"));
    let all_changed = [0, 1, 2].map(|i| &*all_changed[i]);
    assert_eq!(variants(&all, &all_changed), none);
}

#[test]
fn only_a_variant_that_is_gone_was_removed() {
    let all = [BEND, BEND_, BEND_OUT];
    assert_eq!(
        variants(&all, &[BEND, BEND_OUT]),
        [
            "dangerous variant-group-incomplete bend: it remains, but its variant `bend_` was removed \
             [Keep the variant.]"
        ]
    );
    let changed = "- func: bend(Tensor self, float by) -> Tensor\n";
    let found = variants(&all, &[changed, BEND_OUT]);
    assert_eq!(found.len(), 2, "{found:?}");
    // An entry that cannot be read may be the variant.
    let unread = "- func: bend_(Tensor(a!) self, int by -> Tensor(a!)\n";
    let none: [String; 0] = [];
    assert_eq!(variants(&all, &[BEND, unread, BEND_OUT]), none);
}

#[test]
fn a_default_of_another_type_is_not_another_default() {
    let area = |ty: &str| format!("- func: area(Tensor y, *, {ty} dx=1) -> Tensor\n");
    for (old, new) in [("Scalar", "float"), ("float", "int")] {
        let (base, head) = (area(old), area(new));
        let [base, head] = [&base, &head].map(|native| Files {
            native,
            ..Files::default()
        });
        let rules = ["default-changed", "default-changed-with-type"];
        for text in found(base, head, &rules) {
            assert!(!text.contains("from `1` to `1`"), "{text}");
            assert!(text.contains(new), "{text}");
        }
    }
}

#[test]
fn a_lost_pointwise_tag_is_a_risk() {
    let tagged = "- func: blend(Tensor self) -> Tensor\n  tags: pointwise\n";
    let plain = "- func: blend(Tensor self) -> Tensor\n";
    let of = |native| Files {
        native,
        ..Files::default()
    };
    for (old, new, is_risk) in [(tagged, plain, true), (plain, tagged, false)] {
        between(of(old), of(new), |comparison, _| {
            let change = &comparison.changes[0];
            assert_eq!(change.rule.id, "tag-classification-changed");
            assert_eq!(change.level, Level::Info);
            assert_eq!(change.impacts.risks.contains(Audience::Transforms), is_risk);
        });
    }
}
