//! Reports of comparisons: every change told once, limits kept, nothing that acts, and what people
//! read.

use std::collections::BTreeSet;
use std::sync::Arc;

use opatlas_diff::causes::{Cause, causes};
use opatlas_diff::policy::{Context, Exception, Judgement, Line, Policy, Until, judge};
use opatlas_diff::rules::RULES;
use opatlas_diff::{Change, Comparison, Revision, Subject, compare, official, schema};
use opatlas_pytorch::release::Release;
use opatlas_report::changes;
use opatlas_report::changes::{Files, LEAST_MAX_CHARS, NewFindings, Report, Side};
use opatlas_report::findings::{Colour, Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_service::Snapshot;
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS};

/// Two sides, compared and judged.
struct Compared {
    comparison: Comparison,
    causes: Vec<Cause>,
    judgement: Judgement,
    policy: Policy,
    exceptions: Vec<Exception>,
    base: Texts,
    head: Texts,
    new: Findings<'static>,
}

/// The files of a side, under their paths in PyTorch's repository.
struct Texts {
    native_functions: SourceText,
    derivatives: Option<SourceText>,
    tags: Option<SourceText>,
}

impl Texts {
    fn of(snapshot: &Snapshot) -> Self {
        let at = |path: &str, source: &SourceText| SourceText::new(path, Arc::clone(&source.text));
        let files = snapshot.changed_files();
        Self {
            native_functions: at(
                "aten/src/ATen/native/native_functions.yaml",
                files.native_functions,
            ),
            derivatives: files
                .derivatives
                .map(|source| at("tools/autograd/derivatives.yaml", source)),
            tags: files
                .tags
                .map(|source| at("aten/src/ATen/native/tags.yaml", source)),
        }
    }

    fn files(&self) -> Files<'_> {
        Files {
            native_functions: &self.native_functions,
            derivatives: self.derivatives.as_ref(),
            tags: self.tags.as_ref(),
        }
    }
}

fn revision(snapshot: &Snapshot) -> Revision<'_> {
    Revision {
        catalogue: &snapshot.catalogue,
        view: Some(snapshot.view()),
    }
}

impl Compared {
    fn of(old: &Snapshot, new: &Snapshot, exceptions: Vec<Exception>) -> Self {
        let comparison = compare(revision(old), revision(new));
        let causes = causes(&comparison, &old.catalogue, &new.catalogue);
        let policy = Policy::default();
        let context = Context {
            base: &old.catalogue,
            head: &new.catalogue,
            head_line: Line::of(new.release()),
            today: jiff::civil::date(2026, 6, 1),
        };
        let judgement = judge(&comparison, &policy, &exceptions, context);
        Self {
            judgement,
            policy,
            exceptions,
            base: Texts::of(old),
            head: Texts::of(new),
            new: Findings::default(),
            comparison,
            causes,
        }
    }

    fn between(old: &str, new: &str) -> Self {
        Self::of(&read(old), &read(new), Vec::new())
    }

    fn report(&self) -> Report<'_> {
        Report {
            comparison: &self.comparison,
            causes: &self.causes,
            judgement: &self.judgement,
            policy: &self.policy,
            exceptions: &self.exceptions,
            base: Side {
                title: "2.3.1",
                files: self.base.files(),
                file_url: None,
            },
            head: Side {
                title: "this pull request",
                files: self.head.files(),
                file_url: Some("https://example.org/blob/abc/native_functions.yaml"),
            },
            found: NewFindings {
                new: &self.new,
                gone: 0,
                head_errors: 0,
            },
            cards: &[],
            notes: &[],
            further: &[],
            listed: None,
            permalink: Some("https://opatlas.example/compare/1...2"),
            rules_url: Some("https://opatlas.example/rules/"),
            max_chars: None,
            room: &UNBOUNDED,
        }
    }
}

fn sarif(report: &Report<'_>) -> serde_json::Value {
    serde_json::from_slice(&changes::sarif(report)).unwrap()
}

fn read(text: &str) -> Snapshot {
    read_with(text, "[]")
}

fn read_with(text: &str, derivatives: &str) -> Snapshot {
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, text.as_bytes().to_vec());
    bundle.insert(DERIVATIVES, derivatives.as_bytes().to_vec());
    Snapshot::read(bundle, Release::LATEST, None)
}

const OLD: &str = "\
- func: can_cast(ScalarType from, ScalarType to) -> bool
- func: blend(Tensor self, Tensor other, *, Scalar alpha=1, bool fast=False) -> Tensor
  dispatch:
    CPU, CUDA: blend
- func: fold_it(Tensor self, int[2] size) -> Tensor
- func: gone.Tensor(Tensor self) -> Tensor
- func: hold(Tensor self) -> Tensor
  variants: function, method
- func: shift.a(Tensor self) -> Tensor
- func: shift.b(Tensor self, int n) -> Tensor
- func: shift.c(Tensor self, int n, int m) -> Tensor
- func: shift.d(Tensor self, float n) -> Tensor
- func: shift.keep(Tensor self, Tensor n) -> Tensor
- func: swap_(Tensor(a!) self, Tensor! b) -> Tensor(a!)
";

const NEW: &str = "\
- func: can_cast(ScalarType from_, ScalarType to) -> bool
- func: blend(Tensor self, Tensor other, *, Scalar alpha=2, bool fast=False, int? n=None) -> Tensor
  dispatch:
    CPU: blend_cpu
- func: fold_it(Tensor self, SymInt[2] size) -> Tensor
- func: hold(Tensor self) -> Tensor
  variants: function
- func: shift.keep(Tensor self, Tensor n) -> Tensor
- func: fresh(Tensor self) -> Tensor
- func: swap_(Tensor(a!) self, Tensor(b!) b) -> Tensor(a!)
";

fn accepted() -> Vec<Exception> {
    vec![Exception {
        id: "1".into(),
        operator: "hold".into(),
        rule: "variant-method-removed".into(),
        argument: None,
        reason: "nobody calls it, see #12".into(),
        owner: Some("@ops-team".into()),
        until: Some(Until::Date(jiff::civil::date(2026, 12, 31))),
        broad: false,
    }]
}

#[test]
fn what_people_read() {
    let compared = Compared::of(&read(OLD), &read(NEW), accepted());
    let report = compared.report();
    let parts = changes::markdown(&report);
    assert_eq!(parts.len(), 1);
    insta::assert_snapshot!("markdown", parts[0]);
    insta::assert_snapshot!("text", changes::text(&report, Colour::Never));
    insta::assert_snapshot!("junit", changes::junit(&report));
    insta::assert_snapshot!("github", changes::github(&report));
    let mut log = sarif(&report);
    log["runs"][0]["tool"] = serde_json::Value::Null;
    insta::assert_json_snapshot!("sarif", log);
    let coloured = changes::text(&report, Colour::Always);
    assert!(coloured.contains("\u{1b}[31m"));
}

/// A changed formula is shown where it is written: in derivatives.yaml.
#[test]
fn formulas_have_their_places() {
    let declared = "- func: half(Tensor self) -> Tensor\n  dispatch:\n    CPU: half\n";
    let old = "# Formulas.\n- name: half(Tensor self) -> Tensor\n  self: grad / 2\n";
    let new = "- name: half(Tensor self) -> Tensor\n  self: grad * 0.5\n";
    let compared = Compared::of(&read_with(declared, old), &read_with(declared, new), vec![]);
    let report = compared.report();
    insta::assert_snapshot!("formula_text", changes::text(&report, Colour::Never));
    insta::assert_snapshot!("formula_markdown", changes::markdown(&report)[0]);
    let place = "tools/autograd/derivatives.yaml";
    let annotations = changes::github(&report);
    assert!(
        annotations.contains(&format!("file={place},line=2,endLine=2,col=9")),
        "{annotations}"
    );
    let result = &sarif(&report)["runs"][0]["results"][0];
    let at = &result["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], place);
    assert_eq!(at["region"]["startLine"], 2);
    let before = &result["relatedLocations"][0]["physicalLocation"];
    assert_eq!(before["region"]["startLine"], 3);
    assert!(
        changes::csv(&report).contains(&format!(",{place},3,2,")),
        "{}",
        changes::csv(&report)
    );
    let issue = &changes::gitlab(&report)[0];
    assert_eq!(issue["location"]["path"], place);
    assert!(changes::junit(&report).contains(place));
}

/// A removed formula has no line in the head, so its finding names only the file.
#[test]
fn a_formula_that_is_gone_names_its_file() {
    let declared =
        "- func: half(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: half\n";
    let old =
        "- name: half(Tensor self, Tensor other) -> Tensor\n  self: grad / 2\n  other: grad\n";
    let new = "- name: half(Tensor self, Tensor other) -> Tensor\n  self: grad / 2\n";
    let compared = Compared::of(&read_with(declared, old), &read_with(declared, new), vec![]);
    let log = sarif(&compared.report());
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "formula-removed");
    let at = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        at["artifactLocation"]["uri"],
        "tools/autograd/derivatives.yaml"
    );
    assert!(at["region"].is_null());
}

#[test]
fn nothing_to_say_is_one_line() {
    let compared = Compared::between(OLD, OLD);
    let report = compared.report();
    let line = "### **Pass:** no changes (2.3.1 → this pull request)\n";
    assert_eq!(changes::markdown(&report), [line]);
    let text = changes::text(&report, Colour::Never);
    assert_eq!(text, "no changes (2.3.1 → this pull request)\n");
}

/// A list shows 20 entries and counts the rest, and the counts add up.
#[test]
fn lists_are_capped_and_counted() {
    let entry = |i: usize, kernels: &str| {
        format!("- func: op{i:02}(Tensor self) -> Tensor\n  dispatch:\n    {kernels}: op{i:02}\n")
    };
    let all = |kernels: &str| (0..33).map(|i| entry(i, kernels)).collect::<String>();
    let compared = Compared::between(&all("CPU, MPS"), &all("CPU"));
    let report = compared.report();
    let markdown = changes::markdown(&report).concat();
    let rows = markdown.matches("  - `op").count();
    assert!(
        markdown.contains("kernels for MPS removed: 33 operators"),
        "{markdown}"
    );
    assert_eq!(
        markdown.matches(": it lost the kernel").count(),
        20,
        "{markdown}"
    );
    assert!(markdown.contains("  - and 13 more operators"), "{markdown}");
    assert!(
        rows <= 40 && markdown.matches('\n').count() <= 60,
        "{markdown}"
    );
    let text = changes::text(&report, Colour::Never);
    assert!(text.contains("\n  and 13 more operators\n"), "{text}");
}

/// Whatever is listed, the first line says what must be undone first.
#[test]
fn removals_come_before_losses_of_one_backend() {
    let entry = |i: usize, kernels: &str| {
        format!("- func: op{i}(Tensor self) -> Tensor\n  dispatch:\n    {kernels}: op{i}\n")
    };
    let all = |kernels: &str| (0..9).map(|i| entry(i, kernels)).collect::<String>();
    let gone = "- func: zeta(Tensor self) -> Tensor\n";
    let compared = Compared::between(&format!("{}{gone}", all("CPU, MPS")), &all("CPU"));
    let report = compared.report();
    let first = "`zeta`: operator removed (and 1 more change to revert or accept)";
    assert_eq!(changes::reason(&report).to_string(), first);
    let ordered = changes::ordered_causes(&report);
    assert_eq!(&*ordered[0].edited[0].operator, "zeta");
    assert_eq!(ordered[1].edited.len(), 9);
}

/// Silence about what could not be read must not pass for "nothing breaks".
#[test]
fn what_is_not_whole_says_so_first() {
    let new = format!("{OLD}- func: broken(Tensor self -> Tensor\n");
    let compared = Compared::between(OLD, &new);
    let report = compared.report();
    let markdown = changes::markdown(&report).concat();
    assert!(
        markdown.starts_with("### **Warning:** 1 entry was not compared, which may hide"),
        "{markdown}"
    );
    assert!(!markdown.contains("no changes"), "{markdown}");
    insta::assert_snapshot!("incomplete", markdown);
    let text = changes::text(&report, Colour::Never);
    assert!(
        text.starts_with("Warning: 1 entry was not compared"),
        "{text}"
    );
    assert!(changes::junit(&report).contains("errors=\"1\""));
    let commands = changes::github(&report);
    assert!(
        commands.starts_with("::error title=Incomplete comparison"),
        "{commands}"
    );
    let log = sarif(&report);
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

/// Every rule has its own sentence, with nothing left blank in it.
#[test]
fn every_rule_has_words_of_its_own() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut check = |change: &Change, row: &str| {
        let told = changes::message(change).to_string();
        let general = change.rule.what.trim_end_matches('.');
        assert_ne!(told, general, "{}: {row}", change.rule.id);
        assert!(
            !told.contains("``") && !told.ends_with('.'),
            "{}: {told}\n{row}",
            change.rule.id
        );
        assert!(!told.contains("  "), "{}: {told}\n{row}", change.rule.id);
        seen.insert(change.rule.id.as_str());
    };
    for row in opatlas_conformance::golden("schema_changes.jsonl.gz") {
        let text = |key: &str| row[key].as_str().unwrap();
        let sides = (official::parse(text("old")), official::parse(text("new")));
        let (Ok(old), Ok(new)) = sides else { continue };
        let side = |schema, text| schema::Side {
            schema,
            text,
            has_spans: true,
        };
        let found = schema::compare("op", side(&old, text("old")), side(&new, text("new")));
        for change in &found {
            check(change, &row.to_string());
        }
    }
    for row in opatlas_conformance::golden("entry_changes.jsonl.gz") {
        let text = |key: &str| row[key].as_str().unwrap();
        let (old, new) = (read(text("old_yaml")), read(text("new_yaml")));
        for change in &compare(revision(&old), revision(&new)).changes {
            check(change, &row.to_string());
        }
    }
    let missing: Vec<&str> = RULES
        .iter()
        .filter(|rule| !seen.contains(rule.id.as_str()))
        .filter(|rule| {
            let names = Subject::Names(vec!["a".into(), "b".into()]);
            let change = Change::new(rule.id, "op", names);
            changes::message(&change) == rule.what.trim_end_matches('.')
        })
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn check_parts(report: &Report<'_>, most: usize) {
    let parts = changes::markdown(report);
    for part in &parts {
        let length = part.chars().count();
        assert!(length <= most, "{length} of {most}:\n{part}");
        let opened = part.matches("<details>").count();
        assert_eq!(opened, part.matches("</details>").count());
    }
    let all = parts.len();
    let first = &parts[0];
    assert!(first.starts_with("### **"), "{first}");
    assert_eq!(
        first.contains(&format!(" (part 1 of {all}): ")),
        all > 1,
        "{first}"
    );
    for (i, part) in parts.iter().enumerate().skip(1) {
        let header = format!("### Operator schemas, part {} of {all} (", i + 1);
        assert!(part.starts_with(&header), "{part}");
    }
}

/// What changed between real releases, in parts of any size.
#[test]
fn real_reports_come_in_whole_parts() {
    let versions = ["2.1.2", "2.2.0", "2.3.1", "2.4.0", "2.12.1", "2.13.0"];
    let snapshots: Vec<Snapshot> = versions
        .iter()
        .map_while(|version| {
            let release = Release::parse(version).unwrap().release;
            Some(Snapshot::read(
                opatlas_conformance::release(version)?,
                release,
                None,
            ))
        })
        .collect();
    for pair in snapshots.windows(2) {
        let compared = Compared::of(&pair[0], &pair[1], Vec::new());
        let mut report = compared.report();
        for most in [LEAST_MAX_CHARS, 4_001, 9_999, 30_000, 65_536, 1_000_000] {
            report.max_chars = Some(most);
            check_parts(&report, most);
        }
    }
}

/// Names and texts that would act if they were shown as they are.
#[test]
fn nothing_that_is_shown_acts() {
    let hostile = "x`|<img src=x onerror=y>@team\u{202e}\u{1b}[31m](javascript:z)%0A::error::";
    let new = OLD
        .replace("bool fast=False", "str fast=\"`|<b>@team\"")
        .replace("CUDA", "\"CU`|<b>@team\"");
    let mut exceptions = accepted();
    exceptions[0].reason = hostile.into();
    exceptions[0].owner = Some(hostile.into());
    let hold = "  variants: function, method\n";
    let compared = Compared::of(&read(OLD), &read(&new.replace(hold, "")), exceptions);
    let mut report = compared.report();
    report.head.title = hostile;
    report.base.title = hostile;
    report.permalink = Some("https://x.example/) [click](javascript:y");
    let markdown = changes::markdown(&report).concat();
    for acting in ["<img", "<b>", "](javascript", "\u{1b}", "\u{202e}"] {
        assert!(
            !outside_code(&markdown).contains(acting),
            "{acting}:\n{markdown}"
        );
    }
    assert!(!outside_code(&markdown).contains("@team"), "{markdown}");
    let text = changes::text(&report, Colour::Never);
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );
    let xml = changes::junit(&report);
    assert!(!xml.contains("<img") && !xml.contains('\u{1b}'), "{xml}");
    let commands = changes::github(&report);
    let starts = |line: &str| {
        let known = ["::error ", "::warning ", "::notice "];
        known.iter().any(|start| line.starts_with(start))
    };
    assert!(commands.lines().all(starts), "{commands}");
}

/// Markdown without its code spans and escaped characters.
fn outside_code(markdown: &str) -> String {
    let is_mark = |c: char| c.is_ascii_punctuation() && c != '`';
    let mut out = String::new();
    let mut rest = markdown;
    while let Some(at) = rest.find('`') {
        let is_escaped = rest[..at].ends_with('\\');
        let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        out.push_str(&rest[..at]);
        rest = &rest[at + ticks..];
        if is_escaped {
            continue;
        }
        let mut from = 0;
        while let Some(found) = rest[from..].find('`').map(|found| found + from) {
            let closing = rest[found..].len() - rest[found..].trim_start_matches('`').len();
            if closing == ticks {
                rest = &rest[found + closing..];
                break;
            }
            from = found + closing;
        }
    }
    out.push_str(rest);
    for mark in (0..=127_u8).map(char::from).filter(|c| is_mark(*c)) {
        out = out.replace(&format!("\\{mark}"), "");
    }
    out
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// Made-up changes, few or many, in parts of any size.
    #[test]
    fn any_report_comes_in_whole_parts(
        kinds in proptest::collection::vec((0_u8..9, 1_usize..400), 0..40),
        most in LEAST_MAX_CHARS..12_000,
    ) {
        let (mut old, mut new) = (String::new(), String::new());
        for (i, (kind, length)) in kinds.iter().enumerate() {
            let name = format!("op{i}_{}", "n".repeat(*length));
            let before = format!("- func: {name}(Tensor self, int[2] size=0) -> Tensor\n");
            let after = match kind {
                0 => String::new(),
                1 => before.replace("size", "shape"),
                2 => before.replace("int[2]", "SymInt[2]"),
                3 => before.replace("=0", "=1").replace("self,", "self, *,"),
                4 => before.replace(") -> Tensor", ", int extra) -> (Tensor, Tensor)"),
                5 => format!("{before}  variants: method\n"),
                6 => format!("{before}  dispatch:\n    CPU: {name}\n"),
                7 => before.replace("Tensor self", "Tensor self ->"),
                _ => before.clone(),
            };
            old.push_str(&before);
            new.push_str(&after);
        }
        if new.is_empty() {
            new.push_str("[]\n");
        }
        let compared = Compared::between(&old, &new);
        let mut report = compared.report();
        report.max_chars = Some(most);
        check_parts(&report, most);
    }
}
