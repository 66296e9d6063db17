//! A comparison for a terminal, in the order of the Markdown report.

use std::fmt::Write as _;

use super::advice::why;
use super::markdown::impacts;
use super::outline::{Backends, Family, Group, Section, outline, weight};
use super::{Report, Side, accept, count, help, lists, message, official, verdict};
use crate::escape::line;
use crate::findings::Colour;
use opatlas_diff::policy::{Conclusion, Judged};
use opatlas_diff::revision::UnreadSide;
use opatlas_diff::rules::Level;
use opatlas_diff::{Change, Fragment};
use opatlas_source::diagnostic::Severity;

/// The whole report.
#[must_use]
pub fn text(report: &Report<'_>, colour: Colour) -> String {
    let mut shown = Shown {
        report,
        colour,
        out: String::new(),
    };
    shown.unread();
    shown.found();
    for section in outline(report) {
        if report.room.is_over(shown.out.len()) {
            return shown.out;
        }
        match &section {
            Section::Group(group) => shown.group(group),
            Section::Backends(backends) => shown.backends(backends),
            Section::Family(family) => shown.family(family),
        }
    }
    shown.verdict();
    for further in report.not_passed() {
        shown.line(&line(&further.sentence()));
    }
    shown.out
}

struct Shown<'a, 'r> {
    report: &'a Report<'r>,
    colour: Colour,
    out: String,
}

impl<'a> Shown<'a, '_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}", text.trim_end());
    }

    fn paint(&self, code: u8, text: &str) -> String {
        match self.colour {
            Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Colour::Never => text.to_owned(),
        }
    }

    fn level(&self, level: Level) -> String {
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
        self.line(&format!("{} {between}", verdict::headline(report)));
        if !report.comparison.has_dispatch {
            self.line("dispatch tables were not compared");
        }
        for note in report.notes {
            self.line(&format!("note: {}", line(note)));
        }
        if report.is_empty() {
            return;
        }
        let code = match report.own_conclusion() {
            Conclusion::Fail => 31,
            Conclusion::Warn => 33,
            Conclusion::Pass => 32,
        };
        let conclusion = self.paint(
            code,
            &format!(
                "{}: {}",
                report.own_conclusion().as_str(),
                verdict::conclusion(report)
            ),
        );
        self.line(&conclusion);
    }

    fn unread(&mut self) {
        let report = self.report;
        let Some(unread) = verdict::unread(report) else {
            return;
        };
        let first = self.paint(31, &format!("INCOMPLETE: {unread}"));
        self.line(&first);
        for one in &report.comparison.unread {
            if report.room.is_over(self.out.len()) {
                return;
            }
            let side = match one.side {
                UnreadSide::Base => &report.base,
                UnreadSide::Head => &report.head,
            };
            let mut text = format!("  {}", one.side.as_str());
            if let Some(place) = one.place {
                let start = side.source.lines(place).start;
                let path = line(&side.source.path);
                let _ = write!(text, " {path}:{}:{}", start.line, start.column);
            }
            if let Some(operator) = &one.operator {
                let _ = write!(text, " {}", line(operator));
            }
            self.line(&format!("{text}: {}", line(&one.message)));
        }
        self.line("");
    }

    /// The new errors and warnings, a line each.
    fn found(&mut self) {
        let report = self.report;
        let found = report.found;
        if found.is_quiet() {
            return;
        }
        for finding in found.listed() {
            if report.room.is_over(self.out.len()) {
                return;
            }
            let code = if finding.severity == Severity::Error {
                31
            } else {
                33
            };
            let severity = self.paint(code, &format!("new {}", finding.severity));
            let operator = finding.operator.as_deref();
            let name = operator.map_or_else(String::new, |name| format!(" {}:", line(name)));
            let (place, message) = (line(&found.place(finding)), line(&finding.message));
            let rule = finding.rule;
            self.line(&format!("{severity}[{rule}]{name} {message}  {place}"));
            if let Some(help) = &finding.help {
                self.line(&format!("  help: {}", line(help)));
            }
        }
        if let Some(omission) = found.new.omission() {
            self.line(&omission);
        }
        if let Some(others) = found.others() {
            self.line(&format!("  besides: {others}"));
        }
        self.line("");
    }

    fn group(&mut self, group: &Group<'_>) {
        let changes: Vec<&Judged> = group.changes.iter().map(|&i| self.judged(i)).collect();
        let operator = line(group.operator);
        let name = self.paint(1, &operator);
        for judged in &changes {
            let told = line(&message(&judged.change));
            let level = self.level(judged.level);
            self.line(&format!(
                "{level}[{}] {name}: {told}",
                judged.change.rule.id
            ));
            if let Some(standing) = verdict::standing(self.report, judged) {
                self.line(&format!("  {}", line(&standing)));
            }
            self.sides(&judged.change);
            if weight(judged) >= Level::Dangerous {
                self.advice(judged);
            }
        }
        let own = || changes.iter().map(|judged| &judged.change);
        let is_about_exception = own().all(|change| change.rule.id.as_str().starts_with("allow-"));
        if !is_about_exception {
            let verdict = official::verdict(group.pair).replace("**", "");
            self.line(&format!("  PyTorch's own check: {}", line(&verdict)));
            let reason = official::disagreement(group.pair, own());
            if let Some(reason) = reason.filter(|_| group.pair.is_some()) {
                self.line(&format!("  it differs from Opatlas: {reason}"));
            }
        }
        self.line("");
    }

    fn sides(&mut self, change: &Change) {
        let (base, head) = (self.report.base, self.report.head);
        self.side("-", &base, change.old.as_ref());
        self.side("+", &head, change.new.as_ref());
        if !change.also.is_empty() {
            let names: Vec<String> = change.also.iter().map(|name| line(name)).collect();
            self.line(&format!("  also applies to {}", names.join(", ")));
        }
    }

    fn side(&mut self, sign: &str, side: &Side<'_>, fragment: Option<&Fragment>) {
        let Some(fragment) = fragment else {
            return;
        };
        let code = if sign == "-" { 31 } else { 32 };
        let text = match &*fragment.text {
            "" => "(nothing)".to_owned(),
            text => line(text),
        };
        let shown = self.paint(code, &format!("{sign} {text}"));
        let place = side
            .lines(Some(fragment))
            .map_or_else(String::new, |lines| {
                let path = line(&side.source.path);
                format!("  {path}:{}:{}", lines.start.line, lines.start.column)
            });
        self.line(&format!("  {shown}{place}"));
    }

    fn advice(&mut self, judged: &Judged) {
        let change = &judged.change;
        let hurt = impacts(change.impacts);
        if !hurt.is_empty() {
            self.line(&format!("  {hurt}"));
        }
        self.line(&format!("  why: {}", why(change.rule)));
        if let Some(help) = help(change) {
            self.line(&format!("  instead: {}", line(&help)));
        }
        let fails = self
            .report
            .policy
            .fail_on
            .is_some_and(|least| judged.level >= least);
        if fails && !change.rule.id.as_str().starts_with("allow-") {
            self.line(&format!("  to accept it: {}", accept(change)));
        }
    }

    fn family(&mut self, family: &Family<'_>) {
        let level = self.level(family.level);
        let number = count(family.groups.len(), "operator");
        match family.rule {
            Some(rule) => self.line(&format!("{level}[{}] {number}: {}", rule.id, rule.what)),
            None => self.line(&format!("{level} {number} with several changes")),
        }
        if let Some(rule) = family.rule.filter(|_| family.level >= Level::Dangerous) {
            let first = family
                .groups
                .first()
                .and_then(|group| group.changes.first());
            let hurt = impacts(first.map_or(rule.impacts, |&i| self.judged(i).change.impacts));
            if !hurt.is_empty() {
                self.line(&format!("  {hurt}"));
            }
            self.line(&format!("  why: {}", why(rule)));
            if let Some(instead) = rule.instead {
                self.line(&format!("  instead: {instead}"));
            }
        }
        for group in &family.groups {
            if self.report.room.is_over(self.out.len()) {
                return;
            }
            let told: Vec<String> = group
                .changes
                .iter()
                .map(|&i| line(&message(&self.judged(i).change)))
                .collect();
            let place = group.changes.first().and_then(|&i| {
                let change = &self.judged(i).change;
                let head = self.report.head.line(change.new.as_ref());
                head.or_else(|| self.report.base.line(change.old.as_ref()))
            });
            let place = place.map_or_else(String::new, |line| format!(" (line {line})"));
            let standing = group
                .changes
                .iter()
                .find_map(|&i| verdict::standing(self.report, self.judged(i)));
            let standing = standing.map_or_else(String::new, |text| format!("; {}", line(&text)));
            let operator = line(group.operator);
            self.line(&format!(
                "  {operator}{place}: {}{standing}",
                told.join("; ")
            ));
        }
        self.line("");
    }

    fn backends(&mut self, backends: &Backends<'_>) {
        let level = self.level(backends.level);
        let number = count(backends.changes.len(), "operator");
        let keys = lists::keys(backends.keys);
        let rule = backends.rule;
        self.line(&format!("{level}[{}] {number} on {keys}", rule.id));
        let names: Vec<String> = backends
            .changes
            .iter()
            .map(|&i| {
                let judged = self.judged(i);
                let standing = verdict::standing(self.report, judged);
                let standing = standing.map_or_else(String::new, |text| format!(" ({text})"));
                line(&format!("{}{standing}", judged.change.operator))
            })
            .collect();
        self.line(&format!("  {}", names.join(", ")));
        if backends.level >= Level::Dangerous {
            self.line(&format!("  why: {}", why(rule)));
            if let Some(instead) = rule.instead {
                self.line(&format!("  instead: {instead}"));
            }
        }
        self.line("");
    }
}
