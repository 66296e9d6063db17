//! New findings: errors before all changes, warnings behind those that are dangerous.

use super::item::Item;
use super::listing::{Listing, Row};
use crate::changes::outline::Class;
use crate::changes::{Report, count};
use crate::escape::{code, cut, markdown};
use opatlas_source::diagnostic::{Finding, Severity};

/// The longest message in a row that is shown short.
const SHORT_MESSAGE: usize = 200;

/// The new errors, and the new warnings.
pub(super) fn items(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    let mut items = listing(report, Severity::Error, Class::Errors, room);
    items.extend(listing(report, Severity::Warning, Class::Warnings, room));
    items
}

fn listing(
    report: &Report<'_>,
    severity: Severity,
    class: Class,
    room: Option<usize>,
) -> Vec<Item> {
    let found = report.found;
    let number = found.count(severity);
    if number == 0 {
        return Vec::new();
    }
    let rows: Vec<Row> = found
        .listed()
        .filter(|finding| finding.severity == severity)
        .map(|finding| row(report, finding))
        .chain(omission(report, severity))
        .collect();
    let what = format!("new {severity}");
    let listing = Listing {
        class,
        title: format!("#### {}", count(number, &what)),
        meta: match severity {
            Severity::Error => "- PyTorch's code generator rejects the head.\n".to_owned(),
            _ => String::new(),
        },
        rows,
        separator: "",
        what: "finding",
        is_folded: true,
    };
    listing.items(report, room)
}

fn row(report: &Report<'_>, finding: &Finding) -> Row {
    let place = report.found.place(finding);
    let operator = finding.operator.as_deref();
    let name = operator.map_or_else(|| code(&finding.file), code);
    let rule = match report.rules_url.filter(|url| url.len() <= 200) {
        Some(url) => format!(
            "[{}]({}{})",
            finding.rule,
            super::item::address(url),
            finding.rule
        ),
        None => format!("`{}`", finding.rule),
    };
    let help = finding.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!(". {}", markdown(help)));
    let told = |message: &str, help: &str| {
        let message = markdown(message);
        format!("- {name}: {message} ({}, {rule}){help}\n", code(&place))
    };
    Row {
        text: told(&finding.message, &help),
        short: told(&cut(&finding.message, SHORT_MESSAGE), ""),
        name,
        changes: Vec::new(),
    }
}

/// The findings that are only counted.
fn omission(report: &Report<'_>, severity: Severity) -> Option<Row> {
    let omitted = report.found.new.omitted.iter();
    let omitted = omitted.filter(|omitted| omitted.severity == severity);
    let parts: Vec<String> = omitted
        .map(|omitted| format!("{} of `{}`", omitted.count, omitted.rule))
        .collect();
    let text = format!("- more that are not listed: {}\n", parts.join(", "));
    (!parts.is_empty()).then(|| Row {
        name: "more".to_owned(),
        short: text.clone(),
        text,
        changes: Vec::new(),
    })
}
