//! Runs of the probe as text. Names come from workers, so every line is escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use opatlas_source::visible;
use opatlas_wire::probe::ProbeProgress;
use opatlas_wire::probe_runs::{
    Agrees, AgreesUnknown, ProbeRevision, ProbeRunItem, ProbeVerdict, ProbeVerdicts,
};

const SHORT: usize = 12;

/// A line per run.
pub(super) fn runs(runs: &[ProbeRunItem], has_more: bool) -> String {
    let mut out = String::new();
    if runs.is_empty() {
        line(&mut out, "no runs of the probe");
    }
    for run in runs {
        let (shards, revision) = (run.shards, revision(&run.revision));
        let text = format!(
            "{}  {}  {revision} with torch {} on {}: {} of {} shards done, {} items{}",
            run.created_at,
            run.run,
            run.torch,
            run.device,
            shards.done,
            shards.total,
            run.items,
            counted(&run.outcomes),
        );
        line(&mut out, &text);
    }
    if has_more {
        line(&mut out, "and more; --limit 0 lists all");
    }
    out
}

/// The progress of a run, with at most `limit` lines in each of its lists.
pub(super) fn progress(run: &ProbeProgress, limit: usize) -> String {
    let mut out = String::new();
    let shards = &run.shards;
    let text = format!(
        "{}: {} with torch {} on {}, opened {}",
        run.run, run.revision, run.torch, run.device, run.created_at
    );
    line(&mut out, &text);
    let all = shards.done + shards.leased + shards.waiting;
    let text = format!(
        "  {} of {all} shards done, {} leased, {} waiting",
        shards.done, shards.leased, shards.waiting
    );
    line(&mut out, &text);
    for (outcome, count) in &run.outcomes {
        line(&mut out, &format!("  {outcome}: {count}"));
    }
    let ranks = run.ranks.iter().map(|(rank, share)| {
        let (shards, items) = (share.shards, share.items);
        format!("  rank {rank}: {shards} shards, {items} items")
    });
    some(&mut out, ranks, limit, "ranks");
    let quarantined = run.quarantined.iter();
    let quarantined = quarantined.map(|item| format!("  quarantined: {item}"));
    some(&mut out, quarantined, limit, "quarantined items");
    let working = run.working.iter().map(|working| {
        let (shard, worker) = (working.shard, &working.worker);
        let item = working.item.as_deref().unwrap_or("no item yet");
        format!(
            "  shard {shard}: rank {} on {}, {item}",
            worker.rank, worker.host
        )
    });
    some(&mut out, working, limit, "leased shards");
    out
}

/// A run next to the verdicts: the counts, then the listed tests, one per line.
pub(super) fn verdicts(view: &ProbeVerdicts, has_more: bool) -> String {
    let mut out = String::new();
    let (shards, counts) = (view.shards, view.counts);
    let text = format!(
        "{}: torch {} on {}, and the verdicts of {} on {}",
        view.run,
        view.torch,
        view.device,
        revision(&view.revision),
        view.key.unwrap_or("no known dispatch key"),
    );
    line(&mut out, &text);
    let text = format!(
        "  of {} tests, {} agree, {} contradict the verdicts, {} are unknown; {} of {} shards done{}",
        counts.yes + counts.no + counts.unknown,
        counts.yes,
        counts.no,
        counts.unknown,
        shards.done,
        shards.total,
        counted(&view.outcomes),
    );
    line(&mut out, &text);
    for test in &view.items {
        line(&mut out, &format!("  {}", of_test(test)));
    }
    if has_more {
        line(&mut out, "  and more; --limit 0 lists all");
    }
    out
}

fn of_test(test: &ProbeVerdict) -> String {
    let mut text = format!("{}: {}", test.item, test.outcome);
    if !test.missing.is_empty() {
        let _ = write!(text, " {}", test.missing.join(", "));
    }
    let roots = test.roots.iter().map(|root| {
        let verdict = root.verdict.unwrap_or("unknown");
        format!("{} {verdict}", root.operator)
    });
    let roots: Vec<String> = roots.collect();
    if !roots.is_empty() {
        let _ = write!(text, "; predicted {}", roots.join(", "));
    }
    let _ = match test.agrees {
        Agrees::Yes => write!(text, "; agrees"),
        Agrees::No => write!(text, "; contradicts"),
        Agrees::Unknown => write!(text, "; unknown: {}", why(test.because)),
    };
    text
}

fn why(because: Option<AgreesUnknown>) -> &'static str {
    match because {
        Some(AgreesUnknown::Outcome) => "the outcome says nothing about dispatch",
        Some(AgreesUnknown::Device) => "the device has no known dispatch key",
        Some(AgreesUnknown::Verdict) | None => "a verdict is unknown",
        Some(AgreesUnknown::Layout) => "tensors of another layout have another key",
        Some(AgreesUnknown::SomeCalls) => "some calls fail, perhaps none of these",
    }
}

fn revision(revision: &ProbeRevision) -> String {
    let digest = revision.digest.chars().take(SHORT).collect::<String>();
    match &revision.label {
        Some(label) => label.clone(),
        None => format!("sha256:{digest}"),
    }
}

fn counted(outcomes: &BTreeMap<String, u64>) -> String {
    let mut text = String::new();
    for (at, (outcome, count)) in outcomes.iter().enumerate() {
        let between = if at == 0 { "; " } else { ", " };
        let _ = write!(text, "{between}{count} {outcome}");
    }
    text
}

fn some(out: &mut String, lines: impl ExactSizeIterator<Item = String>, limit: usize, of: &str) {
    let more = lines.len().saturating_sub(limit);
    for text in lines.take(limit) {
        line(out, &text);
    }
    if more > 0 {
        line(out, &format!("  and {more} more {of}; --limit 0 lists all"));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(&visible::line(text));
    out.push('\n');
}
