//! The schema language and the reader, as properties: what is printed reads back, every real
//! release is read whole, a former revision changes nothing but the time it takes, and one broken
//! entry costs one finding.

use std::fmt::Write as _;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::file::NativeFunctions;
use opatlas_pytorch::release::Release;
use opatlas_schema::parse::parse_schema;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Span};
use proptest::prelude::*;

/// Types, annotated ones included.
fn ty() -> impl Strategy<Value = String> {
    let base = prop::sample::select(vec![
        "Tensor",
        "int",
        "SymInt",
        "bool",
        "float",
        "str",
        "Scalar",
        "ScalarType",
        "Device",
        "Generator",
        "Layout",
        "MemoryFormat",
        "Dimname",
        "QScheme",
        "Storage",
        "Stream",
        "__torch__.torch.classes.a.B_1",
    ]);
    let suffix = prop::sample::select(vec!["", "?", "[]", "[2]", "[]?", "?[]", "[3]?[]"]);
    let annotation = prop::sample::select(vec!["(a)", "(b!)", "(a|b)", "(a -> *)", "(c! -> a|b)"]);
    let annotated = (annotation, prop::sample::select(vec!["", "?", "[]"]))
        .prop_map(|(annotation, suffix)| format!("Tensor{annotation}{suffix}"));
    prop_oneof![
        4 => (base, suffix).prop_map(|(base, suffix)| format!("{base}{suffix}")),
        1 => annotated,
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,8}"
}

fn default() -> impl Strategy<Value = String> {
    let known = [
        "None",
        "0",
        "-1",
        "1e-05",
        "True",
        "[]",
        "[0,1]",
        "'a b'",
        "Mean",
        "contiguous_format",
    ];
    prop_oneof![
        3 => Just(String::new()),
        1 => prop::sample::select(known.to_vec()).prop_map(|value| format!("={value}")),
    ]
}

/// Arguments whose written ones, if keyword-only, come last, as the language demands.
fn arguments() -> impl Strategy<Value = String> {
    let argument =
        (ty(), name(), default()).prop_map(|(ty, name, default)| format!("{ty} {name}{default}"));
    let plain = (ty(), name(), default())
        .prop_filter("written", |(ty, ..)| !ty.contains('!'))
        .prop_map(|(ty, name, default)| format!("{ty} {name}{default}"));
    let out = (0..4_usize).prop_map(|n| {
        let letters = ["a", "b", "c"];
        letters[..n.min(3)]
            .iter()
            .map(|l| format!("Tensor({l}!) out_{l}"))
            .collect::<Vec<_>>()
    });
    let lists = (
        prop::collection::vec(argument, 0..5),
        prop::collection::vec(plain, 0..4),
        out,
    );
    lists.prop_map(|(mut list, keyword_only, out)| {
        if keyword_only.len() + out.len() > 0 {
            list.push("*".to_owned());
            list.extend(keyword_only);
            list.extend(out);
        }
        list.join(", ")
    })
}

fn returns() -> impl Strategy<Value = String> {
    let one =
        (ty(), prop::option::of(name())).prop_filter_map("an arrow needs a name", |(ty, name)| {
            match name {
                Some(name) => Some(format!("{ty} {name}")),
                None => (!ty.contains("->")).then_some(ty),
            }
        });
    prop::collection::vec(one, 0..4).prop_map(|list| match list.as_slice() {
        [only] => only.clone(),
        many => format!("({})", many.join(", ")),
    })
}

prop_compose! {
    fn schema()(
        base in prop_oneof![
            "[a-z]{1,8}".prop_filter("reserved", |s| !s.ends_with("_out")),
            Just("__iadd__".to_owned()),
            Just("__or__".to_owned()),
            Just("relu_".to_owned()),
            Just("norm_functional".to_owned()),
        ],
        overload in prop_oneof![Just(String::new()), "[A-Za-z][A-Za-z_.]{0,8}".prop_map(|o| format!(".{o}"))],
        arguments in arguments(),
        returns in returns(),
    ) -> String {
        format!("{base}{overload}({arguments}) -> {returns}")
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(text in schema()) {
        let parsed = parse_schema(&text, 0);
        // Two runs of TensorOptions are not generated often enough to matter: such texts are none.
        let schema = parsed.schema.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
        prop_assert_eq!(schema.to_string(), text.as_str());
        let again = parse_schema(&schema.to_string(), 7).schema;
        prop_assert_eq!(again.as_ref(), Some(&schema));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}|[a-zT(), *!?=\\[\\]|>:.\\-]{0,120}") {
        let parsed = parse_schema(&text, 0);
        prop_assert_eq!(parsed.schema.is_none(), !parsed.diagnostics.is_empty());
        for diagnostic in &parsed.diagnostics {
            let Span { start, end } = diagnostic.span;
            prop_assert!(start <= end && text.is_char_boundary(start as usize));
            prop_assert!(text.is_char_boundary((end as usize).min(text.len())));
        }
    }
}

#[test]
fn every_real_release_is_read_whole() {
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            continue;
        };
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let native = &catalogue.native_functions;
        assert_eq!(native.diagnostics, [], "{version}");
        for placed in &native.entries {
            assert_eq!(placed.entry.diagnostics, [], "{version}");
            let schema = placed.entry.schema.as_ref().unwrap();
            // Real files write every schema in its canonical form.
            let written = placed.place(placed.entry.func_at).slice(&native.text);
            let bare = written.trim_matches(|c| c == '"' || c == '\'');
            let bare = bare.rsplit("::").next().unwrap();
            assert_eq!(schema.to_string(), bare, "{version}");
            for argument in schema.arguments.all() {
                let at = placed.place(argument.at.0).slice(&native.text);
                assert_eq!(at, argument.to_string(), "{version}");
                let name = placed.place(argument.name_at.0).slice(&native.text);
                assert_eq!(name, &*argument.name, "{version}");
            }
        }
        let faults = &catalogue.faults;
        assert!(faults.is_empty(), "{version}: {faults:?}");
    }
}

/// The same revision, read with and without another one at hand.
fn agree(bundle: &Bundle, release: Release, previous: &Catalogue) -> (usize, usize) {
    let warm = Catalogue::read(bundle, release, Some(previous));
    let cold = Catalogue::read(bundle, release, None);
    assert_eq!(warm.operators.len(), cold.operators.len());
    for (a, b) in warm.operators.iter().zip(&cold.operators) {
        assert_eq!(a.canonical(), b.canonical());
        assert_eq!(a.signature(), b.signature());
        assert_eq!((&a.tags, a.kind, a.is_view), (&b.tags, b.kind, b.is_view));
        assert_eq!(a.kernels(), b.kernels());
    }
    let (warm, cold) = (&warm.native_functions, &cold.native_functions);
    assert_eq!(warm.diagnostics, cold.diagnostics);
    assert_eq!(warm.entries.len(), cold.entries.len());
    for (a, b) in warm.entries.iter().zip(&cold.entries) {
        assert_eq!((&a.entry, a.base), (&b.entry, b.base));
    }
    let before: std::collections::HashSet<_> = previous
        .native_functions
        .entries
        .iter()
        .map(|placed| std::sync::Arc::as_ptr(&placed.entry))
        .collect();
    let shared = warm
        .entries
        .iter()
        .filter(|placed| before.contains(&std::sync::Arc::as_ptr(&placed.entry)));
    (shared.count(), warm.entries.len())
}

#[test]
fn a_former_revision_changes_nothing_but_the_time() {
    let (Some(old), Some(new)) = (
        opatlas_conformance::release("2.8.0"),
        opatlas_conformance::release("2.9.0"),
    ) else {
        return;
    };
    let before = Catalogue::read(&old, Release::V2_8, None);
    let (shared, all) = agree(&new, Release::V2_9, &before);
    assert!(
        shared * 10 > all * 9,
        "only {shared} of {all} entries are shared"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Entries of the sample in any order, with lines dropped, doubled or damaged.
    #[test]
    fn mutated_files_read_the_same_with_a_former_revision(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6_u8), 0..12),
    ) {
        let sample = include_str!("../../../sample/native_functions.yaml");
        let mut lines: Vec<String> = sample.lines().map(Into::into).collect();
        for (at, kind) in edits {
            let at = at.index(lines.len());
            match kind {
                0 => { lines.remove(at); }
                1 => { let line = lines[at].clone(); lines.insert(at, line); }
                2 => lines[at].push_str(" # more"),
                3 => lines[at] = lines[at].replace(' ', "\t"),
                4 => lines[at].push_str(": ["),
                _ => { let other = lines.len() - 1 - at; lines.swap(at, other); }
            }
        }
        let bundle = Bundle::of_native_functions(lines.join("\n").into_bytes());
        let before = Bundle::of_native_functions(sample.as_bytes().to_vec());
        let before = Catalogue::read(&before, Release::LATEST, None);
        agree(&bundle, Release::LATEST, &before);
    }
}

#[test]
fn one_broken_entry_costs_one_finding() {
    let mut text = String::new();
    for i in 0..300 {
        let _ = writeln!(text, "- func: op_{i}(Tensor self) -> Tensor");
        if i == 150 {
            text.push_str("  dispatch: {CPU: [\n");
        }
    }
    let native = NativeFunctions::read(text.as_bytes(), None);
    let found = native.diagnostics.len()
        + native
            .entries
            .iter()
            .map(|e| e.entry.diagnostics.len())
            .sum::<usize>();
    assert_eq!(found, 1, "{:?}", native.diagnostics);
    let readable = native
        .entries
        .iter()
        .filter(|e| e.entry.schema.is_some())
        .count();
    assert!(readable >= 299, "{readable}");
}

#[test]
fn the_sample_shows_every_kind_and_breaks_no_rule() {
    let mut bundle = Bundle::default();
    for (name, bytes) in [
        (
            NATIVE_FUNCTIONS,
            &include_bytes!("../../../sample/native_functions.yaml")[..],
        ),
        ("tags.yaml", include_bytes!("../../../sample/tags.yaml")),
        (
            "derivatives.yaml",
            include_bytes!("../../../sample/derivatives.yaml"),
        ),
    ] {
        bundle.insert(name, bytes);
    }
    for release in Release::all().filter(|r| *r >= Release::V2_9) {
        let catalogue = Catalogue::read(&bundle, release, None);
        let errors: Vec<_> = opatlas_rules::check(&catalogue)
            .into_iter()
            .filter(|f| f.severity == opatlas_source::diagnostic::Severity::Error)
            .collect();
        assert_eq!(errors, [], "{release}");
        assert!(
            catalogue
                .operators
                .iter()
                .any(opatlas_operators::operator::Operator::is_generated)
        );
    }
}

#[test]
fn a_schema_without_end_is_one_finding() {
    for schema in [
        format!("f({}) -> Tensor", vec!["int a"; 1 << 20].join(", ")),
        format!("f({}) -> Tensor", vec!["Tensor(a!) a"; 4_000].join(", ")),
        format!("f(Tensor{} self) -> Tensor", "?".repeat(1 << 20)),
        format!(
            "f(Tensor self) -> ({})",
            vec!["Tensor(a!)"; 4_000].join(", ")
        ),
    ] {
        let parsed = parse_schema(&schema, 0);
        assert_eq!(parsed.diagnostics.len(), 1);
        assert_eq!(parsed.diagnostics[0].rule, "yaml-limit");
    }
}
