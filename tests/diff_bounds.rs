//! Comparisons of hostile revisions: work grows with the input and not with its square.
//!
//! What is measured is the instructions of one input and of another four times as large, by callgrind.

use std::env;
use std::fmt::Write as _;
use std::hint::black_box;

use crate::common::callgrind::{callgrind, has_valgrind};
use opatlas_diff::policy::{Context, Exception, ExceptionStatus, Line, Policy, judge};
use opatlas_diff::{Change, Comparison, Revision, compare, compare_until, official, schema};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_service::backend::{BackendCompared, Vendor};
use opatlas_service::search::{Filter, search};
use opatlas_service::{Snapshot, gaps};
use opatlas_source::suggest::MOST_STEPS;
use opatlas_source::{Bundle, DERIVATIVES, Stop, Stopped};

/// How many times as much four times the size may cost: four, a little for the logarithm, and slack
/// for tables that grow by doubling. A square costs sixteen times as much.
const GROWTH: f64 = 6.0;

/// Names the case that a process under callgrind counts, and its size.
const COUNTED: &str = "OPATLAS_COUNTED_CASE";

/// The function that callgrind counts.
const MEASURED: &str = concat!(module_path!(), "::measured");

/// Whether this process is one that counts.
fn is_counting() -> bool {
    env::var_os(COUNTED).is_some()
}

/// Holds work on an input of `few` and of four times as many to an even growth. `case` is the name of
/// the test that calls it, with a word of its own where a test has several.
fn grows_evenly<I>(case: &str, few: usize, prepare: impl Fn(usize) -> I, work: impl Fn(&I)) {
    if let Ok(counted) = env::var(COUNTED) {
        let (wanted, size) = counted.split_once(':').unwrap();
        if wanted == case {
            let input = prepare(size.parse().unwrap());
            measured(&|| work(&input));
        }
        return;
    }
    if !has_valgrind() {
        return;
    }
    let test = case.split('/').next().unwrap();
    let (_, module) = module_path!().split_once("::").unwrap();
    let cost = |count: usize| {
        let wanted = format!("{case}:{count}");
        callgrind(
            MEASURED,
            &format!("{module}::{test}"),
            &[(COUNTED, &wanted)],
            1,
        )[0]
    };
    let (small, large) = (cost(few), cost(4 * few));
    assert!(
        large < GROWTH * small,
        "{case}: {large} instructions for {} and {small} for {few}",
        4 * few
    );
}

#[inline(never)]
fn measured(work: &dyn Fn()) {
    work();
}

fn read(text: &str) -> Snapshot {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    Snapshot::read(bundle, Release::LATEST, None)
}

fn entries(count: usize, entry: impl Fn(usize) -> String) -> Snapshot {
    read(&(0..count).map(entry).collect::<String>())
}

/// Compares without dispatch tables, which are the same work for every operator.
fn between((old, new): &(Snapshot, Snapshot)) -> Comparison {
    let side = |catalogue| Revision {
        catalogue,
        view: None,
    };
    compare(side(&old.catalogue), side(&new.catalogue))
}

fn count(comparison: &Comparison, rule: &str) -> usize {
    let changes = comparison.changes.iter();
    changes.filter(|change| change.rule.id == rule).count()
}

/// Both that the work grows evenly and that every change is found.
fn check(test: &str, few: usize, sides: impl Fn(usize) -> (Snapshot, Snapshot), rule: &str) {
    if !is_counting() {
        assert_eq!(count(&between(&sides(few)), rule), few, "{rule}");
    }
    grows_evenly(&format!("{test}/{rule}"), few, sides, |sides| {
        black_box(between(sides));
    });
}

#[test]
#[ignore = "counts with callgrind: make test-long"]
fn many_operators_of_one_shape_come_and_go() {
    let named = |count, name: &str| {
        entries(count, |i| {
            format!("- func: {name}_{i:05}(Tensor self) -> Tensor\n")
        })
    };
    let sides = |count| (named(count, "before"), named(count, "of_another_length"));
    check(
        "many_operators_of_one_shape_come_and_go",
        500,
        sides,
        "operator-removed",
    );
    // Those that gained an underscore are found among them all.
    let sides = |count| (named(count, "before"), named(count, "_before"));
    check(
        "many_operators_of_one_shape_come_and_go",
        500,
        sides,
        "operator-became-private",
    );
}

#[test]
#[ignore = "counts with callgrind: make test-long"]
fn one_base_name_has_many_overloads() {
    let named = |count, name: &str, ty: &str| {
        (0..count)
            .map(|i| format!("- func: f.{name}_{i}(Tensor self, {ty} n{i}) -> Tensor\n"))
            .collect::<String>()
    };
    let sides = |count| {
        (
            read(&named(count, "a", "int")),
            read(&named(count, "b", "int")),
        )
    };
    check(
        "one_base_name_has_many_overloads",
        500,
        sides,
        "overload-renamed",
    );
    let sides = |count| {
        let old = named(count, "a", "int");
        let new = format!("{old}{}", named(count, "c", "str"));
        (read(&old), read(&new))
    };
    check(
        "one_base_name_has_many_overloads",
        500,
        sides,
        "overload-added",
    );
}

#[test]
#[ignore = "counts with callgrind: make test-long"]
fn one_name_stands_in_many_namespaces() {
    let named = |count, default: u8| {
        entries(count, |i| {
            format!("- func: space{i}::f(Tensor self, int n={default}) -> Tensor\n")
        })
    };
    let sides = |count| (named(count, 0), named(count, 1));
    check(
        "one_name_stands_in_many_namespaces",
        500,
        sides,
        "default-changed",
    );
}

/// A schema of `count` arguments.
fn with_arguments(count: usize, argument: impl Fn(usize) -> String) -> Snapshot {
    let mut text = String::from("- func: f(Tensor self");
    for i in 0..count {
        let _ = write!(text, ", {}", argument(i));
    }
    read(&format!("{text}) -> Tensor\n"))
}

#[test]
#[ignore = "counts with callgrind: make test-long"]
fn a_schema_has_many_arguments() {
    let plain = |count| with_arguments(count, |i| format!("int a{i}"));
    let renamed = |count| (plain(count), with_arguments(count, |i| format!("int b{i}")));
    check(
        "a_schema_has_many_arguments",
        450,
        renamed,
        "argument-renamed",
    );
    let typed = |count| (plain(count), with_arguments(count, |i| format!("str c{i}")));
    check(
        "a_schema_has_many_arguments",
        450,
        typed,
        "argument-removed",
    );
    let reversed = |count| {
        let turned = with_arguments(count, |i| format!("int a{}", count - 1 - i));
        (plain(count), turned)
    };
    assert_eq!(count(&between(&reversed(450)), "argument-reordered"), 1);
    grows_evenly("a_schema_has_many_arguments", 450, reversed, |sides| {
        black_box(between(sides));
    });
}

/// Two schemas under the rules, as they come without files.
fn schemas(old: &str, new: &str) -> Vec<Change> {
    let read = |text| official::parse(text).unwrap();
    let (a, b) = (read(old), read(new));
    let side = |schema, text| schema::Side {
        schema,
        text,
        has_spans: true,
    };
    schema::compare("f", side(&a, old), side(&b, new))
}

#[test]
#[ignore = "counts with callgrind: make test-long"]
fn a_schema_has_many_annotated_returns() {
    let with = |count, set: &str| {
        let arguments: Vec<_> = (0..count).map(|i| format!("Tensor({set}) a{i}")).collect();
        let returns = vec![format!("Tensor({set})"); count];
        format!("f({}) -> ({})", arguments.join(", "), returns.join(", "))
    };
    let sides = |count| (with(count, "a"), with(count, "a|b"));
    let (old, new) = sides(90);
    let changes = schemas(&old, &new);
    let of = |rule: &str| changes.iter().filter(|c| c.rule.id == rule).count();
    assert_eq!(of("alias-set-changed"), 90);
    // Each return follows an argument.
    assert_eq!(of("return-alias-changed"), 0);
    grows_evenly(
        "a_schema_has_many_annotated_returns",
        90,
        sides,
        |(old, new)| {
            black_box(schemas(old, new));
        },
    );
}

/// A default that stands for a list of values is kept once.
#[test]
fn spread_defaults_cost_their_text() {
    let arguments: Vec<_> = (0..700).map(|i| format!("int[65536] x{i}=1")).collect();
    let text = format!("f({}) -> ()", arguments.join(", "));
    let schema = official::parse(&text).unwrap();
    for argument in &schema.arguments {
        let Some(official::Value::Ints(values)) = &argument.default else {
            panic!("{argument:?}");
        };
        assert!(matches!(values, official::List::Repeated(1, 65_536)));
    }
    let other = text.replace("=1", "=2");
    let changed = official::parse(&other).unwrap();
    let verdict = official::compare(&schema, &changed);
    assert!(!verdict.backward);
    let changes = schemas(&text, &other);
    let defaults = changes.iter().filter(|c| c.rule.id == "default-changed");
    assert_eq!(defaults.count(), 700);
}

fn exception(i: usize, operator: String) -> Exception {
    Exception {
        id: i.to_string().into(),
        operator: operator.into(),
        rule: "argument-*".into(),
        argument: Some("a*".into()),
        reason: "hostile".into(),
        owner: None,
        until: None,
        broad: false,
    }
}

/// Every exception meets its own change, and patterns are compiled once and not for every change.
#[test]
#[ignore = "counts with callgrind: make test-long"]
fn many_exceptions_meet_many_changes() {
    let prepare = |count: usize| {
        let with = |argument: &str| {
            entries(count, |i| {
                format!("- func: f{i}(Tensor self, int {argument}) -> Tensor\n")
            })
        };
        let sides = (with("a"), with("b"));
        let comparison = between(&sides);
        let named = (0..count).map(|i| exception(i, format!("f{i}")));
        let patterns = (0..10).map(|i| exception(count + i, format!("{}b{i}", "*a".repeat(50))));
        let exceptions: Vec<_> = named.chain(patterns).collect();
        (sides, comparison, exceptions)
    };
    grows_evenly(
        "many_exceptions_meet_many_changes",
        500,
        prepare,
        |((old, new), comparison, exceptions)| {
            let context = Context {
                base: &old.catalogue,
                head: &new.catalogue,
                head_line: Line::of(Release::LATEST),
                today: jiff::civil::date(2026, 6, 1),
            };
            let judgement = judge(comparison, &Policy::default(), exceptions, context);
            let count = exceptions.len() - 10;
            assert_eq!(judgement.summary.excepted, count);
            let (named, patterns) = judgement.exceptions.split_at(count);
            assert!(named.iter().all(|s| *s == ExceptionStatus::Active));
            assert!(patterns.iter().all(|s| *s == ExceptionStatus::Unused));
        },
    );
}

/// What is near an unknown operator is looked for among all names, until the budget of the comparison
/// is used up.
#[test]
fn a_backend_lists_many_unknown_operators() {
    const MANY: usize = 2_000;
    let old = entries(MANY, |i| {
        format!("- func: operator_{i}(Tensor self) -> Tensor\n")
    });
    let mut file = String::from("backend: XLA\ncpp_namespace: torch_xla\nsupported:\n");
    for i in 0..MANY {
        let _ = writeln!(file, "- operator_x{i}");
    }
    let vendor = Vendor::new("xla", file.into_bytes()).unwrap();
    let compared = BackendCompared::new(&old, &old, &vendor, &Stop::never()).unwrap();
    let impact = compared.impact().unwrap();
    assert_eq!(impact.unknown.len(), MANY);
    let helped = impact.unknown.iter().filter(|u| !u.near.is_empty()).count();
    // Each of them cost a step for every name, and more for those of about its length.
    let most = usize::try_from(MOST_STEPS).unwrap() / MANY / 8;
    assert!((1..most).contains(&helped), "{helped} of at most {most}");
}

/// How often work looks whether it is stopped: it ends early by as many looks as it wants, and by no
/// fewer.
fn looks<T>(work: impl Fn(&Stop) -> Result<T, Stopped>) -> usize {
    let (mut less, mut more) = (0, 1);
    while work(&Stop::after(more)).is_err() {
        (less, more) = (more, 2 * more);
    }
    while more - less > 1 {
        let middle = less.midpoint(more);
        match work(&Stop::after(middle)) {
            Err(Stopped) => less = middle,
            Ok(_) => more = middle,
        }
    }
    more
}

/// Long work looks in its loops, and not only between its stages: so often for each operator.
#[test]
fn long_work_can_be_stopped_in_its_loops() {
    const MANY: usize = 400;
    let text = |name: &str| -> String {
        (0..MANY)
            .map(|i| format!("- func: {name}{i}(Tensor self) -> Tensor\n"))
            .collect()
    };
    let mut bundle = Bundle::of_native_functions(text("a").as_bytes());
    let formulas: String = (0..MANY)
        .map(|i| format!("- name: a{i}(Tensor self) -> Tensor\n  self: grad\n"))
        .collect();
    bundle.insert(DERIVATIVES, formulas.as_bytes());
    let release = Release::LATEST;
    let per_operator = |looks: usize| looks / MANY;
    // Reading, then the formulas: each entry and each operator.
    let with = looks(|stop| Catalogue::read_until(&bundle, release, None, stop));
    let bare = Bundle::of_native_functions(text("a").as_bytes());
    let without = looks(|stop| Catalogue::read_until(&bare, release, None, stop));
    assert!(per_operator(with - without) >= 3, "{with} - {without}");
    // The rules: most families, and the formulas.
    let old = Catalogue::read(&bundle, release, None);
    let snapshot = Snapshot::read(bundle.clone(), release, None);
    let rules = looks(|stop| opatlas_rules::check_until(snapshot.inputs(), stop));
    assert!(per_operator(rules) >= 15, "{rules}");
    // Pairing of operators that all have another name, and of operators that all changed.
    let renamed = Bundle::of_native_functions(text("b").as_bytes());
    let changed = text("a").replace("Tensor self", "Tensor self, int b=1");
    let changed = Bundle::of_native_functions(changed.as_bytes());
    for head in [&renamed, &changed] {
        let head = Catalogue::read(head, release, None);
        let side = |catalogue| Revision {
            catalogue,
            view: None,
        };
        let pairing = looks(|stop| compare_until(side(&old), side(&head), stop));
        assert!(per_operator(pairing) >= 4, "{pairing}");
    }
    // Searches and gaps.
    let filter = Filter {
        words: Some("tensor".to_owned()),
        ..Filter::default()
    };
    let searched = looks(|stop| search(&old, &filter, stop));
    assert!(per_operator(searched) >= 1, "{searched}");
    let snapshot = Snapshot::read(bundle, release, None);
    let slot = snapshot.view().keys().slot("CPU").unwrap();
    let gaps = looks(|stop| gaps::gaps(&snapshot, slot, None, stop));
    assert!(per_operator(gaps) >= 1, "{gaps}");
}
