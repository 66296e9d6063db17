//! Reports as a maintainer reads them: pull requests over the files of a real release, made of the
//! edits in `review/cases.toml`, with the verdict and the first words expected.

use std::sync::{Arc, OnceLock};

use jiff::civil::date;
use opatlas_diff::policy::Policy;
use opatlas_pytorch::release::Release;
use opatlas_report::changes;
use opatlas_report::changes::{NewFindings, Report, Side};
use opatlas_report::findings::Findings;
use opatlas_report::room::UNBOUNDED;
use opatlas_service::Snapshot;
use opatlas_service::compare::Compared;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Stop};
use serde::Deserialize;

const RELEASE: &str = "2.15.0";

#[derive(Debug, Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    edits: Vec<Edit>,
    conclusion: String,
    says: Option<String>,
    #[serde(default)]
    first: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default = "three")]
    noise: usize,
}

const fn three() -> usize {
    3
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    #[serde(default = "native")]
    file: String,
    entry: Option<String>,
    from: Option<String>,
    #[serde(default)]
    to: String,
}

fn native() -> String {
    NATIVE_FUNCTIONS.to_owned()
}

impl Edit {
    /// The text with the edit made.
    fn apply(&self, text: &str) -> String {
        let Some(entry) = &self.entry else {
            return format!("{text}{}", self.to);
        };
        let (start, end) = match entry.as_str() {
            "*" => (0, text.len()),
            entry => place(text, &self.file, entry),
        };
        let own = &text[start..end];
        let edited = match &self.from {
            None => self.to.clone(),
            Some(from) => {
                assert!(own.contains(from.as_str()), "{entry}: {from}");
                own.replace(from.as_str(), &self.to)
            }
        };
        format!("{}{edited}{}", &text[..start], &text[end..])
    }
}

/// Where an entry is.
fn place(text: &str, file: &str, entry: &str) -> (usize, usize) {
    let head = match file {
        NATIVE_FUNCTIONS => "- func: ",
        _ => "- name: ",
    };
    let wanted = format!("{head}{entry}(");
    let start = text.find(&format!("\n{wanted}")).expect(entry) + 1;
    let rest = &text[start..];
    let end = rest[1..].find(&format!("\n{head}"));
    (start, end.map_or(text.len(), |end| start + end + 2))
}

fn release(version: &str) -> Option<Arc<Snapshot>> {
    static BASE: OnceLock<Option<Arc<Snapshot>>> = OnceLock::new();
    let read = |version: &str| {
        let release = Release::parse(version).unwrap().release;
        let bundle = opatlas_conformance::release(version)?;
        Some(Arc::new(Snapshot::read(bundle, release, None)))
    };
    match version {
        RELEASE => BASE.get_or_init(|| read(version)).clone(),
        version => read(version),
    }
}

/// The conclusion and the Markdown report.
fn report(base: &Arc<Snapshot>, head: Arc<Snapshot>) -> (&'static str, String) {
    let compared = Compared::new(base.clone(), head.clone(), &Stop::never());
    let compared = match compared {
        Ok(compared) => compared,
        Err(error) => panic!("{error}"),
    };
    let policy = Policy::default();
    let judgement = compared.judge(&policy, &[], date(2026, 6, 1));
    let introduced = compared.introduced();
    let cards = compared.cards();
    let new = Findings {
        findings: &introduced.new,
        omitted: &introduced.omitted,
        sources: head.sources(&introduced.new),
        room: &UNBOUNDED,
    };
    let report = Report {
        comparison: &compared.comparison,
        causes: compared.causes(),
        judgement: &judgement,
        policy: &policy,
        exceptions: &[],
        base: Side {
            title: RELEASE,
            files: base.changed_files(),
            file_url: None,
        },
        head: Side {
            title: "3f9c1ab",
            files: head.changed_files(),
            file_url: None,
        },
        found: NewFindings {
            new: &new,
            gone: introduced.gone,
            head_errors: introduced.head_errors,
        },
        cards,
        notes: &[],
        further: &[],
        listed: None,
        permalink: None,
        rules_url: None,
        max_chars: None,
        room: &UNBOUNDED,
    };
    (
        report.conclusion().as_str(),
        changes::markdown(&report).concat(),
    )
}

/// The lines that a reader sees without unfolding anything.
fn visible(markdown: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        depth += line.matches("<details>").count();
        if depth == 0 && !line.trim().is_empty() {
            lines.push(line);
        }
        depth = depth.saturating_sub(line.matches("</details>").count());
    }
    lines
}

fn check(case: &Case, base: &Arc<Snapshot>) -> Result<(), String> {
    let mut bundle: Bundle = base.bundle.clone();
    for edit in &case.edits {
        let text = std::str::from_utf8(bundle.file(&edit.file).unwrap()).unwrap();
        let edited = edit.apply(text);
        bundle.insert(&edit.file, edited.into_bytes());
    }
    let head = Arc::new(Snapshot::read(bundle, base.release(), Some(base)));
    let (conclusion, markdown) = report(base, head);
    let visible = visible(&markdown);
    let shown = visible.join("\n");
    let mut wrong = Vec::new();
    if conclusion != case.conclusion {
        wrong.push(format!("{conclusion} instead of {}", case.conclusion));
    }
    let bullets: Vec<&&str> = visible
        .iter()
        .filter(|line| line.starts_with("- "))
        .collect();
    let verdict = match conclusion {
        "fail" => "### **Blocked:** ",
        "warn" => "### **Warning:** ",
        _ => "### **Pass:** ",
    };
    if !visible[0].starts_with(verdict) {
        wrong.push(format!("the first line is {}", visible[0]));
    }
    for word in &case.first {
        if !visible[0].contains(word.as_str()) {
            wrong.push(format!("the first line does not say {word}"));
        }
    }
    if let Some(says) = &case.says
        && !bullets
            .first()
            .is_some_and(|first| first.contains(says.as_str()))
    {
        wrong.push(format!("the first bullet does not say {says}"));
    }
    for word in &case.also {
        if !shown.contains(word.as_str()) {
            wrong.push(format!("{word} is not to be seen"));
        }
    }
    if bullets.len() > case.noise + 1 {
        wrong.push(format!("{} bullets", bullets.len()));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("== {}: {}\n{shown}\n", case.name, wrong.join("; "))),
    }
}

#[test]
fn a_maintainer_reads_the_cause_first() {
    let Some(base) = release(RELEASE) else {
        return;
    };
    assert!(base.is_valid());
    let cases: Cases = toml::from_str(include_str!("review/cases.toml")).unwrap();
    assert!(cases.case.len() >= 60);
    let wrong: Vec<String> = cases
        .case
        .iter()
        .filter_map(|case| check(case, &base).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.case.len(),
        wrong.concat()
    );
}

/// What the code generator takes in the base and rejects in the head never passes: whatever the
/// edit, a head with errors fails.
#[test]
fn what_torchgen_rejects_never_passes() {
    let Some(base) = release(RELEASE) else {
        return;
    };
    let mut tried = 0;
    for row in opatlas_conformance::golden("validator.jsonl.gz")
        .iter()
        .step_by(12)
    {
        let Some(text) = row["yaml"].as_str() else {
            continue;
        };
        let head = Bundle::of_native_functions(text.as_bytes());
        let head = Arc::new(Snapshot::read(head, base.release(), None));
        let clean = Bundle::of_native_functions(*b"- func: clean(Tensor self) -> Tensor\n");
        let clean = Arc::new(Snapshot::read(clean, base.release(), None));
        if head.catalogue.entry_of.is_empty() {
            continue;
        }
        let is_valid = head.is_valid();
        let (conclusion, markdown) = report(&clean, head);
        assert!(is_valid || conclusion == "fail", "{text}\n{markdown}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// The largest step between two releases fits on a screen and says its one fact.
#[test]
fn a_release_fits_on_a_screen() {
    let (Some(old), Some(new)) = (release("2.12.1"), release("2.13.0")) else {
        return;
    };
    let (_, markdown) = report(&old, new);
    let visible = visible(&markdown);
    assert!(
        visible.len() <= 45,
        "{} lines:\n{}",
        visible.len(),
        visible.join("\n")
    );
    let bullets: Vec<&&str> = visible
        .iter()
        .filter(|line| line.starts_with("- "))
        .collect();
    let fact = "overloads with `Dimname` and 2 beside them removed: 108 operators";
    assert!(bullets[0].contains(fact), "{}", visible.join("\n"));
}
