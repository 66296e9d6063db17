//! A comparison for a terminal, in the order of the Markdown report. It begins with the verdict and ends
//! with the counts.

mod cards;
mod findings;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};

use super::advice::why;
use super::markdown::impacts;
use super::official::Word;
use super::outline::{Kind, SHOWN, Section, fails, impacts as affected, outline, shown, weight};
use super::reason::{reason, word};
use super::title::title;
use super::{Report, Side, accept, count, help, message, of_file, official, verdict};
use crate::escape::line;
use crate::findings::Colour;
use opatlas_diff::causes::{Cause, EntryEdit};
use opatlas_diff::policy::{Conclusion, Judged};
use opatlas_diff::rules::{ChangeRuleId, Level};
use opatlas_diff::{Change, Fragment};
use opatlas_source::Message;
use opatlas_source::diagnostic::Finding;

/// The lines after which only the edits are shown, without their details.
const DETAILED: usize = 100;

/// The whole report, until the room is used up.
#[must_use]
pub fn text(report: &Report<'_>, colour: Colour) -> String {
    let mut shown = TextReport {
        report,
        colour,
        out: String::new(),
        lines: 0,
        is_cut: false,
    };
    shown.reason();
    shown.unread();
    shown.sections(&outline(report));
    if report.room.is_over(shown.out.len()) {
        return shown.out;
    }
    shown.omitted();
    shown.verdict();
    for further in report.not_passed() {
        shown.line(format_args!("{}", line(&further.sentence())));
    }
    shown.out
}

struct TextReport<'a, 'r> {
    report: &'a Report<'r>,
    colour: Colour,
    out: String,
    lines: usize,
    /// Whether details are left out.
    is_cut: bool,
}

struct Painted<T> {
    code: Option<u8>,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.code {
            Some(code) => write!(f, "\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.fmt(f),
        }
    }
}

impl<'a> TextReport<'a, '_> {
    fn sections(&mut self, sections: &[Section<'_>]) {
        for of_class in sections.chunk_by(|a, b| a.class == b.class) {
            let (first, more) = shown(of_class);
            for section in first {
                if self.report.room.is_over(self.out.len()) {
                    return;
                }
                match &section.kind {
                    Kind::Cause(cause, found) => self.cause(cause, found, section.level),
                    Kind::Findings(findings) => self.findings(findings),
                    Kind::Exceptions(about) => self.exceptions(about),
                }
            }
            self.more("... ", more, "cause");
            self.is_cut |= more > 0;
        }
        if self.is_cut {
            let how = "Some details are left out. --operator NAME shows them for one operator; --level and \
                       --backend filter too, and --format json has all.";
            self.line(format_args!("{how}"));
            self.line(format_args!(""));
        }
    }

    /// Counts the entries of a list that are left out.
    fn more(&mut self, indent: &str, more: usize, one: &str) {
        if more > 0 {
            let what = count(more, &format!("more {one}"));
            self.line(format_args!("{indent}and {what}"));
        }
    }

    /// The verdict with its reason.
    fn reason(&mut self) {
        let report = self.report;
        if report.is_empty() && report.not_passed().next().is_none() {
            return;
        }
        let (conclusion, reason) = (report.conclusion(), reason(report));
        let verdict = format!("{}: {}", word(conclusion), line(&reason));
        let verdict = self.paint(of_conclusion(conclusion), verdict);
        self.line(format_args!("{verdict}"));
        if let Some(showing) = report.showing() {
            self.line(format_args!("{}", line(&showing)));
        }
        self.line(format_args!(""));
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        let begin = self.out.len();
        let _ = self.out.write_fmt(text);
        let length = self.out[begin..].trim_end().len();
        self.out.truncate(begin + length);
        self.out.push('\n');
        self.lines += 1;
    }

    fn paint<T: Display>(&self, code: u8, text: T) -> Painted<T> {
        let is_painted = matches!(self.colour, Colour::Always);
        Painted {
            code: is_painted.then_some(code),
            text,
        }
    }

    fn level(&self, level: Level) -> Painted<&'static str> {
        let code = match level {
            Level::Breaking => 31,
            Level::ForwardBreaking => 35,
            Level::Dangerous => 33,
            Level::Info | Level::Safe => 32,
            Level::None => 2,
        };
        self.paint(code, level.as_str())
    }

    fn judged(&self, number: usize) -> &'a Judged {
        &self.report.judgement.changes[number]
    }

    fn verdict(&mut self) {
        let report = self.report;
        let between = format!(
            "({} → {})",
            line(report.base.title),
            line(report.head.title)
        );
        self.line(format_args!("{} {between}", verdict::headline(report)));
        if !report.comparison.has_dispatch {
            self.line(format_args!("dispatch tables were not compared"));
        }
        for note in report.notes {
            self.line(format_args!("note: {}", line(note)));
        }
        if report.is_empty() {
            return;
        }
        let code = of_conclusion(report.own_conclusion());
        let conclusion = format!(
            "{}: {}",
            report.own_conclusion().as_str(),
            line(&verdict::conclusion(report))
        );
        let conclusion = self.paint(code, conclusion);
        self.line(format_args!("{conclusion}"));
    }

    fn cause(&mut self, cause: &Cause, found: &[&Finding], level: Level) {
        let title = title(&self.report.judgement.changes, cause);
        let first = self.judged(cause.first());
        let names: Vec<_> = title.names.iter().map(|name| line(name)).collect();
        let colon = if names.is_empty() { "" } else { ": " };
        let names = self.paint(1, names.join(", "));
        let rule = first.change.rule.id;
        let (level_shown, what) = (self.level(level.max(first.level)), title.counted());
        let what = line(&what);
        self.line(format_args!("{level_shown}[{rule}] {names}{colon}{what}"));
        let (findings, more) = shown(found);
        for finding in findings {
            self.finding(finding, "  ");
        }
        self.more("  ", more, "finding");
        if self.lines > DETAILED {
            self.is_cut = true;
            return;
        }
        match &*cause.edited {
            [only] => self.only(only),
            _ if first.change.rule.id == ChangeRuleId::EntryMoved => {}
            several => {
                let (several, more) = shown(several);
                several.iter().for_each(|edited| self.edited(edited));
                self.more("  ", more, "operator");
            }
        }
        self.cards(cause);
        if level >= Level::Dangerous {
            self.advice(cause, first);
        }
        self.consequences(cause);
        self.line(format_args!(""));
    }

    /// The only operator of a cause: its other edits, both sides, and PyTorch's verdict.
    fn only(&mut self, edited: &EntryEdit) {
        for (i, &number) in edited.edits.iter().enumerate() {
            let judged = self.judged(number);
            if i > 0 {
                let (text, rule) = (message(&judged.change), judged.change.rule.id);
                let level = self.level(judged.level);
                self.line(format_args!("  also {level}[{rule}] {}", line(&text)));
            }
            self.standing(judged);
            self.sides(&judged.change);
        }
        let pairs = &self.report.comparison.pairs;
        let pair = pairs.binary_search_by(|pair| (*pair.name).cmp(&edited.operator));
        let Ok(pair) = pair.map(|at| &pairs[at]) else {
            return;
        };
        let words = official::verdict(Some(pair));
        let words = words.iter().map(|word| match word {
            Word::Plain(text) => line(text),
            Word::No => "no".into(),
        });
        let verdict: String = words.collect();
        self.line(format_args!("  PyTorch's own check: {verdict}"));
        let own = edited.edits.iter().map(|&i| &*self.judged(i).change);
        if let Some(reason) = official::disagreement(Some(pair), own) {
            self.line(format_args!("  it differs from Opatlas: {}", line(&reason)));
        }
    }

    fn edited(&mut self, edited: &EntryEdit) {
        if self.report.room.is_over(self.out.len()) {
            return;
        }
        let judged = self.judged(edited.edits[0]);
        let change = &judged.change;
        let head = self.report.head.line(change.new.as_ref());
        let place = head.or_else(|| self.report.base.line(change.old.as_ref()));
        let place = place.map_or_else(String::new, |line| {
            let file = of_file(change.file());
            format!(" (line {line}{file})")
        });
        let (operator, told) = (line(&edited.operator), message(change));
        self.line(format_args!("  {operator}{place}: {}", line(&told)));
        self.standing(judged);
    }

    fn standing(&mut self, judged: &Judged) {
        if let Some(standing) = verdict::standing(self.report, judged) {
            self.line(format_args!("  {}", line(&standing)));
        }
    }

    fn consequences(&mut self, cause: &Cause) {
        let all = cause.consequences.iter().map(|&i| self.judged(i));
        let all = all.filter(|judged| !judged.change.is_compound());
        let mut alike: BTreeMap<(Reverse<Level>, ChangeRuleId, Message), Vec<&str>> =
            BTreeMap::new();
        for judged in all {
            let key = (
                Reverse(weight(judged)),
                judged.change.rule.id,
                message(&judged.change),
            );
            alike.entry(key).or_default().push(&judged.change.operator);
        }
        let beyond = alike.values().skip(SHOWN).map(Vec::len).sum();
        for ((Reverse(level), rule, told), names) in alike.into_iter().take(SHOWN) {
            if self.report.room.is_over(self.out.len()) {
                return;
            }
            let (level, told) = (self.level(level), line(&told));
            let names = listed(&names);
            self.line(format_args!("  follows: {level}[{rule}] {names}: {told}"));
        }
        self.more("  ", beyond, "consequence");
    }

    fn sides(&mut self, change: &Change) {
        let (base, head) = (self.report.base, self.report.head);
        self.side("-", &base, change.old.as_ref());
        self.side("+", &head, change.new.as_ref());
        if !change.also.is_empty() {
            let names: Vec<&str> = change.also.iter().map(|name| &**name).collect();
            self.line(format_args!("  also applies to {}", listed(&names)));
        }
    }

    fn side(&mut self, sign: &str, side: &Side<'_>, fragment: Option<&Fragment>) {
        let Some(fragment) = fragment else {
            return;
        };
        let code = if sign == "-" { 31 } else { 32 };
        let text = match &*fragment.text {
            "" => "(nothing)".into(),
            text => line(text),
        };
        let shown = self.paint(code, format!("{sign} {text}"));
        let place = side.place(Some(fragment));
        let place = place.map_or_else(String::new, |(source, span)| {
            let (path, start) = (line(&source.path), source.lines(span).start);
            format!("  {path}:{}:{}", start.line, start.column)
        });
        self.line(format_args!("  {shown}{place}"));
    }

    fn advice(&mut self, cause: &Cause, judged: &Judged) {
        let change = &judged.change;
        let hurt = impacts(affected(self.report, cause));
        if !hurt.is_empty() {
            self.line(format_args!("  {hurt}"));
        }
        self.line(format_args!("  why: {}", why(change.rule)));
        if let Some(help) = help(change) {
            self.line(format_args!("  instead: {}", line(&help)));
        }
        if fails(self.report, judged) && judged.can_be_excused() {
            self.line(format_args!("  to accept it: {}", accept(change)));
        }
    }

    /// The changes about exceptions.
    fn exceptions(&mut self, about: &[usize]) {
        let (about, more) = shown(about);
        for &i in about {
            let judged = self.judged(i);
            let (level, rule) = (self.level(judged.level), judged.change.rule.id);
            let (operator, told) = (line(&judged.change.operator), message(&judged.change));
            self.line(format_args!("{level}[{rule}] {operator}: {}", line(&told)));
        }
        self.more("", more, "exception");
        self.line(format_args!(""));
    }
}

/// Names with commas between them.
fn listed(names: &[&str]) -> String {
    let (names, more) = shown(names);
    let mut names: Vec<String> = names.iter().map(|name| line(name).into_owned()).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// The color of a conclusion.
fn of_conclusion(conclusion: Conclusion) -> u8 {
    match conclusion {
        Conclusion::Fail => 31,
        Conclusion::Warn => 33,
        Conclusion::Pass => 32,
    }
}
