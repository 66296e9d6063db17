//! Entries that were not compared, and new findings.

use std::fmt::Write as _;

use super::TextReport;
use crate::changes::outline::shown;
use crate::changes::verdict;
use crate::escape::line;
use opatlas_diff::revision::UnreadSide;
use opatlas_source::diagnostic::{Finding, Severity};

impl TextReport<'_, '_> {
    pub(super) fn unread(&mut self) {
        let report = self.report;
        let Some(unread) = verdict::unread(report) else {
            return;
        };
        let first = self.paint(31, format!("INCOMPLETE: {unread}"));
        self.line(format_args!("{first}"));
        let (listed, more) = shown(&report.comparison.unread);
        for one in listed {
            if report.room.is_over(self.out.len()) {
                return;
            }
            let side = match one.side {
                UnreadSide::Base => &report.base,
                UnreadSide::Head => &report.head,
            };
            let mut text = format!("  {}", one.side.as_str());
            if let Some(place) = one.place {
                let start = side.files.native_functions.lines(place).start;
                let path = line(&side.files.native_functions.path);
                let _ = write!(text, " {path}:{}:{}", start.line, start.column);
            }
            if let Some(operator) = &one.operator {
                let _ = write!(text, " {}", line(operator));
            }
            self.line(format_args!("{text}: {}", line(&one.message)));
        }
        self.more("  ", more, "entry");
        self.line(format_args!(""));
    }

    pub(super) fn findings(&mut self, findings: &[&Finding]) {
        let (listed, more) = shown(findings);
        for finding in listed {
            if self.report.room.is_over(self.out.len()) {
                return;
            }
            self.finding(finding, "");
        }
        self.more("", more, "place");
        self.line(format_args!(""));
    }

    pub(super) fn finding(&mut self, finding: &Finding, indent: &str) {
        let found = self.report.found;
        let code = match finding.severity {
            Severity::Error => 31,
            Severity::Warning => 33,
            Severity::Info => 32,
        };
        let severity = match finding.severity {
            Severity::Info => "convention".to_owned(),
            severity => format!("new {severity}"),
        };
        let severity = self.paint(code, severity);
        let operator = finding.operator.as_deref();
        let name = operator.map_or_else(String::new, |name| format!(" {}:", line(name)));
        let place = found.place(finding);
        let (place, message) = (line(&place), line(&finding.message));
        let rule = finding.rule;
        self.line(format_args!(
            "{indent}{severity}[{rule}]{name} {message}  {place}"
        ));
        if let Some(help) = &finding.help {
            self.line(format_args!("{indent}  help: {}", line(help)));
        }
    }

    pub(super) fn omitted(&mut self) {
        let found = self.report.found;
        if let Some(omission) = found.new.omission() {
            self.line(format_args!("new findings: {omission}"));
        }
        if let Some(others) = found.others().filter(|_| !found.is_quiet()) {
            self.line(format_args!("besides: {others}"));
        }
    }
}
