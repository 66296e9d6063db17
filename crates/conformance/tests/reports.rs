//! Reports of comparisons between releases, and of commits made from a release: short, with the verdict
//! first, and with a visible line for each cause.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_diff::cards::cards;
use opatlas_diff::causes::{Cause, causes};
use opatlas_diff::policy::{Context, Line, Policy, judge};
use opatlas_diff::{Revision, compare};
use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_report::changes::{self, Files, NewFindings, Report, Side};
use opatlas_report::findings::{Colour, Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_rules::introduced;
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas_verdict::View;

use super::release_view::with_view;

/// The most lines of a report.
const LINES: usize = 60;

/// The causes from which a report may be longer.
const CAUSES: usize = 20;

/// A comparison as it is reported.
struct Reported {
    markdown: String,
    text: String,
    /// For each cause, the edited operators, and whether they only moved.
    causes: Vec<(Vec<String>, bool)>,
}

fn source(bundle: &Bundle, name: &str) -> Option<SourceText> {
    let text = std::str::from_utf8(bundle.file(name)?).unwrap();
    Some(SourceText::new(name, Arc::from(text)))
}

fn reported((base, old): (&Bundle, Release), (head, new): (&Bundle, Release)) -> Reported {
    with_view(base, old, &Observed::default(), |base_view| {
        with_view(head, new, &Observed::default(), |head_view| {
            of_views((base, base_view), (head, head_view))
        })
    })
}

fn revision(view: View<'_>) -> Revision<'_> {
    Revision {
        catalogue: view.inputs.catalogue,
        view: Some(view),
    }
}

fn of_views((base, old): (&Bundle, View<'_>), (head, new): (&Bundle, View<'_>)) -> Reported {
    let catalogues = [old.inputs.catalogue, new.inputs.catalogue];
    let comparison = compare(revision(old), revision(new));
    let found = causes(&comparison, catalogues[0], catalogues[1]);
    let policy = Policy::default();
    let context = Context {
        base: catalogues[0],
        head: catalogues[1],
        head_line: Line::of(catalogues[1].release),
        today: jiff::civil::date(2026, 6, 1),
    };
    let judgement = judge(&comparison, &policy, &[], context);
    let introduced = introduced(
        &opatlas_rules::check(catalogues[0]),
        &opatlas_rules::check(catalogues[1]),
    );
    let sources = [base, head].map(|bundle| {
        let native = source(bundle, NATIVE_FUNCTIONS).unwrap();
        (native, source(bundle, DERIVATIVES))
    });
    let sides = [("base", &sources[0]), ("head", &sources[1])];
    let [base, head] = sides.map(|(title, (native_functions, derivatives))| Side {
        title,
        files: Files {
            native_functions,
            derivatives: derivatives.as_ref(),
            tags: None,
        },
        file_url: None,
    });
    let new_findings = Findings {
        findings: &introduced.new,
        omitted: &introduced.omitted,
        sources: BTreeMap::new(),
        room: &UNBOUNDED,
    };
    let report = Report {
        comparison: &comparison,
        causes: &found,
        judgement: &judgement,
        policy: &policy,
        exceptions: &[],
        base,
        head,
        found: NewFindings {
            new: &new_findings,
            gone: introduced.gone,
            head_errors: introduced.head_errors,
        },
        cards: &cards(&comparison, catalogues[0], new),
        notes: &[],
        further: &[],
        listed: None,
        permalink: Some("https://opatlas.example/p/pytorch/compare/1...2"),
        rules_url: None,
        max_chars: None,
        room: &UNBOUNDED,
    };
    let first = |cause: &Cause| comparison.changes[cause.first()].rule.id.as_str();
    Reported {
        markdown: changes::markdown(&report).concat(),
        text: changes::text(&report, Colour::Never),
        causes: found
            .iter()
            .map(|cause| {
                let names = cause.edited.iter().map(|one| one.operator.to_string());
                (names.collect(), first(cause) == "entry-moved")
            })
            .collect(),
    }
}

/// The lines that a reader sees without unfolding anything.
fn visible(markdown: &str) -> String {
    let mut depth = 0_usize;
    let mut shown = String::new();
    for line in markdown.lines() {
        depth += line.matches("<details>").count();
        if depth == 0 {
            shown.push_str(line);
            shown.push('\n');
        }
        depth -= line.matches("</details>").count();
    }
    assert_eq!(depth, 0, "{markdown}");
    shown
}

fn check(what: &str, reported: &Reported) {
    let Reported {
        markdown,
        text,
        causes,
    } = reported;
    if let Ok(folder) = std::env::var("OPATLAS_REPORTS") {
        let name = what.replace([' ', '/'], "-");
        std::fs::write(format!("{folder}/{name}.md"), markdown).unwrap();
        std::fs::write(format!("{folder}/{name}.txt"), text).unwrap();
    }
    let verdicts = ["Blocked:", "Warning:", "Pass:"];
    let first = markdown.lines().next().unwrap();
    let starts = |line: &str, before: &str| {
        let verdict = line.strip_prefix(before);
        verdict.is_some_and(|verdict| verdicts.iter().any(|word| verdict.starts_with(word)))
    };
    assert!(starts(first, "### **"), "{what}: {first}");
    assert!(first.chars().count() < 500, "{what}: {first}");
    if !causes.is_empty() {
        assert!(starts(text, ""), "{what}: {text}");
    }
    if causes.len() > CAUSES {
        return;
    }
    let lines = markdown.matches('\n').count();
    assert!(lines <= LINES, "{what}: {lines} lines\n{markdown}");
    let visible = visible(markdown);
    for (names, only_moved) in causes {
        let is_named = |name: &String| visible.contains(&format!("`{name}`"));
        let is_shown = names.iter().any(is_named) || *only_moved && visible.contains("moved");
        assert!(is_shown, "{what}: {names:?}\n{markdown}");
    }
}

#[test]
fn consecutive_releases() {
    let mut before: Option<(Bundle, Release, &str)> = None;
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::parse(version).unwrap().release;
        if let Some((base, old, from)) = &before {
            let reported = reported((base, *old), (&bundle, release));
            check(&format!("{from} to {version}"), &reported);
        }
        before = Some((bundle, release, version));
    }
}

/// An edit of one entry; `None` if it does not fit the entry.
type Edit = fn(&str, usize) -> Option<String>;

/// Edits of one entry of native_functions.yaml. Each gets the entry and a number that makes it unlike
/// the others.
const EDITS: [(&str, Edit); 12] = [
    ("remove", |_, _| Some(String::new())),
    ("rename the operator", |entry, i| {
        Some(entry.replacen('(', &format!("_renamed{i}("), 1)).filter(|_| !entry.contains('.'))
    }),
    ("rename an argument", |entry, i| {
        let at = entry.find("Tensor self")?;
        Some(format!("{}Tensor me{i}{}", &entry[..at], &entry[at + 11..]))
    }),
    ("append an argument", |entry, i| {
        let at = entry.find(") -> ")?;
        let star = if entry[..at].contains('*') { "" } else { "*, " };
        Some(format!(
            "{}, {star}int extra{i}=0{}",
            &entry[..at],
            &entry[at..]
        ))
        .filter(|_| !entry[..at].contains("Tensor(a!) out"))
    }),
    ("require an argument", |entry, i| {
        let at = entry.find("Tensor self")? + 11;
        Some(format!("{}, int n{i}{}", &entry[..at], &entry[at..]))
    }),
    ("rename a kernel", |entry, i| {
        let at = entry.find("CPU: ")?;
        let end = at + entry[at..].find('\n')?;
        Some(format!("{}_{i}{}", &entry[..end], &entry[end..]))
    }),
    ("remove a kernel", |entry, _| {
        let at = entry.find("    MPS: ")?;
        let end = at + entry[at..].find('\n')? + 1;
        Some(format!("{}{}", &entry[..at], &entry[end..]))
    }),
    ("gain core", |entry, _| {
        Some(format!("{}\n  tags: core\n\n", entry.trim_end())).filter(|_| !entry.contains("tags:"))
    }),
    ("lose pointwise", |entry, _| {
        entry
            .contains("tags: pointwise")
            .then(|| entry.replace("  tags: pointwise\n", ""))
    }),
    ("lose the method", |entry, _| {
        let both = "variants: function, method";
        entry
            .contains(both)
            .then(|| entry.replace(both, "variants: function"))
    }),
    ("misspell a field", |entry, i| {
        entry
            .contains("variants:")
            .then(|| entry.replace("variants:", &format!("variant{i}:")))
    }),
    ("misspell a key", |entry, i| {
        entry
            .contains("    CPU: ")
            .then(|| entry.replace("    CPU: ", &format!("    CPUU{i}: ")))
    }),
];

/// The text before the first entry, and the entries.
fn split(text: &str) -> (&str, Vec<&str>) {
    let mut starts: Vec<usize> = text
        .match_indices("\n- func: ")
        .map(|(at, _)| at + 1)
        .collect();
    let before = &text[..starts[0]];
    starts.push(text.len());
    let entries = starts.windows(2).map(|at| &text[at[0]..at[1]]);
    (before, entries.collect())
}

/// The release with each of the edits made in `number` entries, which lie apart.
fn edited(bundle: &Bundle, edits: &[(&str, Edit)], number: usize, seed: usize) -> Bundle {
    let text = std::str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    let (before, entries) = split(text);
    let mut entries: Vec<String> = entries.into_iter().map(str::to_owned).collect();
    let mut at = seed * 37 % entries.len();
    for (i, (_, edit)) in edits.iter().enumerate() {
        let mut left = number;
        for _ in 0..entries.len() {
            at = (at + 101) % entries.len();
            if left == 0 {
                break;
            }
            if let Some(new) = edit(&entries[at], i * 100 + left) {
                entries[at] = new;
                left -= 1;
            }
        }
    }
    with(
        bundle,
        NATIVE_FUNCTIONS,
        &format!("{before}{}", entries.concat()),
    )
}

fn with(bundle: &Bundle, name: &str, text: &str) -> Bundle {
    let mut head = bundle.clone();
    head.insert(name, text.as_bytes().to_vec());
    head
}

const RELEASE: &str = "2.15.0";

#[test]
fn commits_with_few_edits() {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let release = Release::LATEST;
    for (i, edit) in EDITS.iter().enumerate() {
        for number in [1, 7, 60] {
            let head = edited(&bundle, &[*edit], number, i * 3 + number);
            let reported = reported((&bundle, release), (&head, release));
            check(&format!("{} of {number}", edit.0), &reported);
        }
    }
    for seed in 0..8 {
        let some: Vec<_> = (0..4)
            .map(|i| EDITS[(seed * 5 + i * 3) % EDITS.len()])
            .collect();
        for number in [1, 4] {
            let head = edited(&bundle, &some, number, seed);
            let names: Vec<&str> = some.iter().map(|(name, _)| *name).collect();
            let reported = reported((&bundle, release), (&head, release));
            check(&format!("{} of {number}", names.join(", ")), &reported);
        }
    }
}

#[test]
fn commits_over_the_whole_file() {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let text = |name: &str| {
        let bytes = bundle.file(name).unwrap();
        std::str::from_utf8(bytes).unwrap()
    };
    let native = text(NATIVE_FUNCTIONS);
    let (before, mut entries) = split(native);
    entries.reverse();
    let reversed = format!("{before}{}", entries.concat());
    let mut new = native.to_owned();
    for i in 0..30 {
        new.push_str(&format!(
            "\n- func: fresh{i}(Tensor self) -> Tensor\n  dispatch:\n    CPU: fresh{i}\n\n\
             - func: fresh{i}.dst{i}(Tensor self, *, Tensor(a!) dst) -> Tensor(a!)\n  dispatch:\n    \
             CPU: fresh{i}_out\n"
        ));
    }
    let renamed = text(TAGS).replace("- tag: pointwise", "- tag: elementwise_op");
    let conflict = native.replacen("\n- func: abs(", "\n<<<<<<< HEAD\n- func: abs(", 1);
    for (what, head) in [
        ("reverse", with(&bundle, NATIVE_FUNCTIONS, &reversed)),
        ("add 60", with(&bundle, NATIVE_FUNCTIONS, &new)),
        ("rename a tag", with(&bundle, TAGS, &renamed)),
        ("conflict", with(&bundle, NATIVE_FUNCTIONS, &conflict)),
        ("no formulas", with(&bundle, DERIVATIVES, "[]\n")),
        (
            "tabs",
            with(
                &bundle,
                NATIVE_FUNCTIONS,
                &native.replace("  dispatch:", "\tdispatch:"),
            ),
        ),
        ("nothing", bundle.clone()),
    ] {
        let release = Release::LATEST;
        check(what, &reported((&bundle, release), (&head, release)));
    }
}
