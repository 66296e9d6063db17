//! What happened to many operators: told once, with a list of them that may be dealt out over
//! several pieces, each with its own heading.

use opatlas_diff::rules::ChangeRuleId;
use std::collections::BTreeMap;

use super::item::{Item, chars, fits, impacts, in_full, lines, rule, short_name};
use crate::changes::advice::why;
use crate::changes::outline::{Class, Family, Group};
use crate::changes::{Report, accept, count, message, official, verdict};
use crate::escape::{code, cut, markdown};
use opatlas_diff::Change;
use opatlas_diff::policy::Judged;
use opatlas_diff::rules::{ChangeRule, Group as RuleGroup, Level};

/// Longer lists are folded.
const FOLDED: usize = 8;

/// A list under a heading.
pub(super) struct Listing {
    pub class: Class,
    /// The heading's line, without its end.
    pub title: String,
    /// What holds for all rows: items of a list, each with its end.
    pub meta: String,
    pub rows: Vec<Row>,
    /// What stands between rows.
    pub separator: &'static str,
    /// What a row is about.
    pub what: &'static str,
    /// Whether a long list is folded.
    pub is_folded: bool,
}

/// One row.
pub(super) struct Row {
    /// The operator as code, for the summary of a folded list.
    pub name: String,
    pub text: String,
    /// Instead of `text` where that alone is over the room.
    pub short: String,
    pub changes: Vec<usize>,
}

impl Listing {
    /// One item, or as many as the room asks for.
    pub(super) fn items(self, report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
        let whole = self.item(report, 0..self.rows.len(), &self.meta, false);
        if fits(&whole.text, room) {
            return vec![whole];
        }
        let room = room.unwrap_or(usize::MAX);
        // What holds for all rows is left off where it would leave no room for them.
        let is_brief = chars(&self.meta) + chars(&self.title) + 600 > room;
        let meta = if is_brief { "" } else { &self.meta };
        let lengths: Vec<usize> = self.rows.iter().map(|row| chars(&row.text)).collect();
        let mut items = Vec::new();
        let mut start = 0;
        while start < self.rows.len() {
            // As many rows as may fit, then fewer until they do with the heading around them.
            let (mut end, mut sum) = (start, 0);
            while end < self.rows.len() && sum + lengths[end] <= room {
                sum += lengths[end] + self.separator.len();
                end += 1;
            }
            end = end.max(start + 1);
            let mut item = self.item(report, start..end, meta, false);
            while chars(&item.text) > room && end > start + 1 {
                end -= 1;
                item = self.item(report, start..end, meta, false);
            }
            if chars(&item.text) > room {
                item = self.item(report, start..end, meta, true);
            }
            items.push(item);
            start = end;
        }
        items
    }

    fn item(
        &self,
        report: &Report<'_>,
        range: std::ops::Range<usize>,
        meta: &str,
        is_short: bool,
    ) -> Item {
        let rows = &self.rows[range.clone()];
        let all = self.rows.len();
        let mut text = format!("\n{}", self.title);
        if rows.len() < all {
            text.push_str(&format!(" ({} to {} of {all})", range.start + 1, range.end));
        }
        text.push_str("\n\n");
        text.push_str(meta);
        let shown: Vec<&str> = rows
            .iter()
            .map(|row| if is_short { &*row.short } else { &*row.text })
            .collect();
        let mut list = shown.join(self.separator);
        if !self.separator.is_empty() {
            list.push('\n');
        }
        if self.is_folded && rows.len() > FOLDED {
            let names: Vec<String> = rows.iter().take(3).map(|row| html(&row.name)).collect();
            text.push_str(&format!(
                "\n<details><summary>{}: {}, …</summary>\n\n{list}\n</details>\n",
                count(rows.len(), self.what),
                names.join(", ")
            ));
        } else {
            if !self.separator.is_empty() && !meta.is_empty() {
                text.push('\n');
            }
            text.push_str(&list);
        }
        if is_short && report.permalink.is_none() {
            text.push('\n');
        }
        Item {
            class: self.class,
            text,
            changes: rows.iter().flat_map(|row| row.changes.clone()).collect(),
            is_short,
        }
    }
}

/// A code span as HTML, for a summary, in which Markdown is not read.
fn html(span: &str) -> String {
    let text = span.trim_matches('`').trim();
    let mut out = String::from("<code>");
    for char in cut(text, 60).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out + "</code>"
}

/// The same rule for many operators.
pub(super) fn family(report: &Report<'_>, family: &Family<'_>, room: Option<usize>) -> Vec<Item> {
    let changes = &report.judgement.changes;
    let all = || family.groups.iter().flat_map(|group| &group.changes);
    let title = match family.rule {
        Some(known) => format!(
            "#### {} × {}: {}",
            family.groups.len(),
            rule(report, known),
            markdown(known.what.trim_end_matches('.'))
        ),
        None => "#### Several changes each".to_owned(),
    };
    let mut meta = String::new();
    if let Some(known) = family.rule {
        let first = all()
            .map(|&i| &changes[i])
            .find(|judged| judged.change.rule.id == known.id);
        meta = about(report, known, family.level, first, all().count());
        if family.class < Class::Backends && known.group != RuleGroup::Policy {
            meta.push_str(&verdicts(report, family));
        }
    }
    let rows = family.groups.iter();
    let listing = Listing {
        class: family.class,
        title,
        meta,
        rows: rows.map(|group| row(report, family.rule, group)).collect(),
        separator: "",
        what: "operator",
        is_folded: true,
    };
    listing.items(report, room)
}

/// What holds for all changes of a rule: whom they hurt, why, what to do.
pub(super) fn about(
    report: &Report<'_>,
    rule: &ChangeRule,
    level: Level,
    first: Option<&Judged>,
    number: usize,
) -> String {
    let mut meta = String::new();
    let hurt = impacts(first.map_or(rule.impacts, |judged| judged.change.impacts));
    match (level, hurt.is_empty()) {
        (Level::None | Level::Safe | Level::Info, true) => {}
        (level, true) => meta.push_str(&format!("- **{level}**\n")),
        (level, false) => meta.push_str(&format!("- **{level}** · {hurt}\n")),
    }
    if level < Level::Dangerous && rule.level.is_none_or(|level| level < Level::Dangerous) {
        return meta;
    }
    meta.push_str(&format!("- why: {}\n", markdown(why(rule))));
    if let Some(instead) = rule.instead {
        meta.push_str(&format!("- instead: {}\n", markdown(instead)));
    }
    if level >= Level::ForwardBreaking || report.policy.fail_on.is_some_and(|l| l <= level) {
        let (each, command) = match first.filter(|_| number == 1) {
            Some(judged) => ("", accept(&judged.change)),
            None => (
                ", each by its name",
                format!(
                    "opatlas exception add NAME {} --reason ... --until ...",
                    rule.id
                ),
            ),
        };
        meta.push_str(&format!("- to accept{each}: {}\n", code(&command)));
    }
    meta
}

/// Torch's verdicts on all operators of a family, counted, and where they differ from ours.
fn verdicts(report: &Report<'_>, family: &Family<'_>) -> String {
    let changes = &report.judgement.changes;
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for group in &family.groups {
        *said.entry(official::in_short(group.pair)).or_default() += 1;
        let own = group.changes.iter().map(|&i| &changes[i].change);
        if let Some(reason) =
            official::disagreement(group.pair, own).filter(|_| group.pair.is_some())
        {
            *why.entry(reason).or_default() += 1;
        }
    }
    let all = family.groups.len();
    let counted = |texts: BTreeMap<String, usize>| -> Vec<String> {
        let texts = texts.into_iter();
        texts
            .map(|(text, number)| match number == all {
                true => text,
                false => format!("{text} ({number} of {all})"),
            })
            .collect()
    };
    let mut out = format!("- PyTorch's own check: {}\n", counted(said).join("; "));
    for reason in counted(why) {
        out.push_str(&format!("- it differs from ours: {}\n", markdown(&reason)));
    }
    out
}

fn row(report: &Report<'_>, shared: Option<&ChangeRule>, group: &Group<'_>) -> Row {
    let changes = group.changes.iter().map(|&i| &report.judgement.changes[i]);
    let name = code(group.operator);
    let mut text = String::from("- ");
    let mut standings: Vec<String> = Vec::new();
    for (i, judged) in changes.enumerate() {
        let change = &judged.change;
        let told = told(group, change, shared);
        match (i, told) {
            (0, RowText::Whole(whole)) => text.push_str(&whole),
            (0, RowText::Message(message)) => text.push_str(&format!("{name}: {message}")),
            (0, RowText::Nothing) => text.push_str(&name),
            (_, RowText::Whole(told) | RowText::Message(told)) => {
                text.push_str(&format!("; {told}"))
            }
            (_, RowText::Nothing) => {}
        }
        if i == 0
            && let Some(place) = lines(report, change)
        {
            text.push_str(&format!(" · {place}"));
        }
        if !change.also.is_empty() {
            let names: Vec<String> = change.also.iter().map(|name| code(name)).collect();
            text.push_str(&format!(", also of {}", names.join(", ")));
        }
        standings.extend(verdict::standing(report, judged));
    }
    standings.dedup();
    for standing in standings {
        text.push_str(&format!(" · {}", markdown(&standing)));
    }
    text.push('\n');
    Row {
        text,
        short: format!("- {}: {}\n", short_name(group.operator), in_full(report)),
        changes: group.all(),
        name,
    }
}

/// What a row says of a change.
enum RowText {
    /// The schema of an operator that came or went, which holds its name.
    Whole(String),
    /// What changed.
    Message(String),
    /// Nothing that the heading does not say.
    Nothing,
}

fn told(group: &Group<'_>, change: &Change, shared: Option<&ChangeRule>) -> RowText {
    match change.rule.id {
        ChangeRuleId::OperatorRemoved
        | ChangeRuleId::OverloadRemoved
        | ChangeRuleId::OperatorAdded
        | ChangeRuleId::OverloadAdded => {
            let there = change.old.as_ref().or(change.new.as_ref());
            let namespace = group.operator.split_once("::");
            let namespace = namespace.map_or_else(String::new, |(name, _)| format!("{name}::"));
            there.map_or(RowText::Nothing, |schema| {
                RowText::Whole(code(&format!("{namespace}{}", schema.text)))
            })
        }
        ChangeRuleId::EntryMoved | ChangeRuleId::SignatureRespelled if shared.is_some() => {
            RowText::Nothing
        }
        _ => RowText::Message(markdown(&message(change))),
    }
}
