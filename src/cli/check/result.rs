//! The findings of `opatlas check`, and their output formats.

use std::collections::BTreeMap;

use crate::cli::{colour, output};
use opatlas_report::findings;
use opatlas_report::findings::{EditedFile, Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_rules::fix::Wanted;
use opatlas_rules::{Omitted, Since, UnknownKernel};
use opatlas_service::Snapshot;
use opatlas_source::diagnostic::{Finding, Severity};

use super::{FailOn, Format, unknown_kernels};

pub(super) fn show(format: Format, judged: &[CheckResult]) {
    if format == Format::Json {
        return print_json(&json(judged));
    }
    for judged in judged {
        let report = Findings {
            findings: &judged.findings,
            omitted: &judged.omitted,
            sources: judged.sources.clone(),
            room: &UNBOUNDED,
        };
        match format {
            Format::Text => output::painted(&text(&report, judged), colour::of_output()),
            Format::Json => {}
            Format::Markdown => print!("{}", findings::markdown(&report)),
            Format::Sarif => print_json(&findings::sarif(&report)),
            Format::Junit => print!("{}", findings::junit(&report)),
            Format::Github => output::commands(&findings::github(&report)),
            Format::Gitlab => print_json(&findings::gitlab(&report)),
            Format::Lintrunner => {
                let lines = findings::lintrunner(&report, &judged.edited);
                print!("{}", output::json(&lines));
            }
        }
    }
}

pub(super) fn is_valid(snapshot: &Snapshot, of_sources: &[Finding]) -> bool {
    let mut severities = of_sources.iter().map(|finding| finding.severity);
    snapshot.summary().errors == 0 && severities.all(|severity| severity != Severity::Error)
}

pub(super) struct CheckResult {
    pub(super) snapshot: Snapshot,
    pub(super) findings: Vec<Finding>,
    pub(super) is_valid: bool,
    pub(super) unknown_kernels: Vec<UnknownKernel>,
    pub(super) omitted: Vec<Omitted>,
    pub(super) sources: BTreeMap<Box<str>, SourceText>,
    pub(super) edited: Vec<EditedFile>,
    pub(super) hidden_infos: usize,
    pub(super) known: Option<BaseDifference>,
}

pub(super) struct BaseDifference {
    pub(super) base: String,
    pub(super) since: Since,
}

impl CheckResult {
    pub(super) fn has(&self, least: FailOn) -> bool {
        let shown = self.findings.iter().map(|finding| finding.severity);
        let omitted = self.omitted.iter().map(|omitted| omitted.severity);
        shown.chain(omitted).any(|found| least.is_met(found))
    }
}

impl BaseDifference {
    fn text(&self) -> String {
        let Since { gone, in_both, .. } = self.since;
        format!(
            "new since {}; {in_both} more are in both, {gone} of the base are gone",
            self.base
        )
    }
}

fn print_json(value: &serde_json::Value) {
    println!("{}", output::json(&format!("{value:#}")));
}

fn text(report: &Findings<'_>, judged: &CheckResult) -> String {
    let (snapshot, known) = (&judged.snapshot, judged.known.as_ref());
    let summary = snapshot.summary();
    let known = known.map_or_else(String::new, |known| format!("{}\n", known.text()));
    let more = more(judged);
    format!(
        "{} ({} declared and {} generated operators, judged as {})\n{known}{more}{}",
        findings::text(report, colour::of_output()).trim_end(),
        summary.operators,
        summary.generated,
        snapshot.release(),
        unknown_kernels::text(judged),
    )
}

/// What the flags `--fix` and `--info` would do.
fn more(judged: &CheckResult) -> String {
    let fixable = judged.findings.iter();
    let fixable = fixable.filter(|it| Wanted::Safe.takes(it)).count();
    let mut out = String::new();
    if fixable > 0 {
        out.push_str(&format!("{fixable} fixable with --fix\n"));
    }
    match judged.hidden_infos {
        0 => {}
        1 => out.push_str("1 info is hidden; --info shows it\n"),
        many => out.push_str(&format!("{many} infos are hidden; --info shows them\n")),
    }
    out
}

/// The answer of `POST /v1/validate`, with the user's file names.
fn json(judged: &[CheckResult]) -> serde_json::Value {
    let mut findings = Vec::new();
    let (mut operators, mut generated, mut valid) = (0, 0, true);
    for judged in judged {
        let summary = judged.snapshot.summary();
        operators += summary.operators;
        generated += summary.generated;
        valid &= judged.is_valid;
        for finding in &judged.findings {
            let mut shown = opatlas_wire::finding::one(&judged.snapshot, finding);
            let path = |file: &mut Option<String>| {
                if let Some(source) = file.as_deref().and_then(|f| judged.sources.get(f)) {
                    *file = Some(source.path.to_string());
                }
            };
            path(&mut shown.file);
            shown
                .related
                .iter_mut()
                .for_each(|related| path(&mut related.file));
            findings.push(shown);
        }
    }
    let all: Vec<Finding> = judged.iter().flat_map(|j| j.findings.clone()).collect();
    let omitted: Vec<Omitted> = judged.iter().flat_map(|j| j.omitted.clone()).collect();
    let counts = findings::Counts::new(&all, &omitted);
    let omitted: Vec<_> = omitted
        .into_iter()
        .map(opatlas_wire::finding::Omitted::from)
        .collect();
    let mut answer = serde_json::json!({
        "valid": valid,
        "summary": {
            "operators": operators,
            "generated": generated,
            "errors": counts.errors,
            "warnings": counts.warnings,
            "infos": counts.infos,
        },
        "findings": findings,
        "omitted": omitted,
        "unknown_kernels": unknown_kernels::json(judged),
    });
    if let [
        CheckResult {
            known: Some(known), ..
        },
    ] = judged
    {
        answer["base"] = known.base.as_str().into();
        answer["findings"] = serde_json::json!({
            "new": findings,
            "gone": known.since.gone,
            "head_errors": known.since.head_errors,
        });
    }
    answer
}
