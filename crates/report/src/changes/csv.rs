//! A comparison as CSV (RFC 4180): a line for each change.

use super::{Report, message};
use crate::csv;
use opatlas_diff::rules::{Audiences, Level};

/// The first line.
const HEADER: &str = "operator,rule,level,accepted,message,breaks,risks,old,new,file,old_line,\
                      new_line,fingerprint\r\n";

/// The listed changes, in the order of the comparison. Compound changes, changes without effect and changes
/// about exceptions are left out.
#[must_use]
pub fn csv(report: &Report<'_>) -> String {
    let mut out = String::from(HEADER);
    let audiences = |audiences: Audiences| -> String {
        let names = audiences.iter().map(|audience| audience.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    for judged in report.listed_changes() {
        if report.room.is_over(out.len()) {
            return out;
        }
        let change = &judged.change;
        if !change.is_counted() || judged.level == Level::None {
            continue;
        }
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        let line = |line: Option<u32>| line.map_or_else(String::new, |line| line.to_string());
        let accepted = if judged.is_excused() { "yes" } else { "no" };
        let fields = [
            (*change.operator).to_owned(),
            change.rule.id.as_str().to_owned(),
            judged.level.as_str().to_owned(),
            accepted.to_owned(),
            message(change).to_string(),
            audiences(change.impacts.breaks),
            audiences(change.impacts.risks),
            old.map_or_else(String::new, |fragment| fragment.text.to_string()),
            new.map_or_else(String::new, |fragment| fragment.text.to_string()),
            report.head.path(change).to_owned(),
            line(report.base.line(old)),
            line(report.head.line(new)),
            change.fingerprint().to_string(),
        ];
        csv::line(&mut out, fields);
    }
    out
}
