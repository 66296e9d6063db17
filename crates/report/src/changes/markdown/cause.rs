//! One cause as a bullet: the edit, the affected audiences, and what to do. The schemas, operators
//! and consequences are folded below it.

use std::collections::BTreeMap;

use super::block::{Block, INDENT};
use super::found;
use super::item::{Item, impacts, in_full, line, lines, rule, short_name};
use super::listing::{Row, short_row};
use super::marked;
use crate::changes::advice::{FORMULA, why};
use crate::changes::entry_diff::entry_diff;
use crate::changes::official::Word;
use crate::changes::outline::{Class, Section, fails, weight};
use crate::changes::title::title;
use crate::changes::{Report, accept, count, help, message, official, verdict};
use crate::escape::{code, code_block, markdown};
use opatlas_diff::causes::{Cause, EntryEdit};
use opatlas_diff::policy::Judged;
use opatlas_diff::revision::Pair;
use opatlas_diff::rules::{ChangeRuleId, Level};
use opatlas_diff::{Change, Fragment, Note};
use opatlas_rules::{Stage, registry};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{Message, Span};
use rustc_hash::FxHashMap;

/// The operators of a comparison by name.
pub(super) type Pairs<'a> = FxHashMap<&'a str, &'a Pair>;

/// The most operators named in one row of consequences.
const NAMED: usize = 12;

/// The most sentences in the row of a harmless cause.
const SENTENCES: usize = 4;

/// The most errors shown with a cause; the others are folded.
const ERRORS: usize = 2;

pub(super) fn items(
    report: &Report<'_>,
    section: &Section<'_>,
    (cause, found): (&Cause, &[&Finding]),
    pairs: &Pairs<'_>,
    room: Option<usize>,
) -> Vec<Item> {
    let view = View {
        report,
        cause,
        pairs,
        class: section.class,
        level: section.level,
    };
    view.block(found).items(room)
}

struct View<'a, 'r> {
    report: &'a Report<'r>,
    cause: &'a Cause,
    pairs: &'a Pairs<'a>,
    class: Class,
    level: Level,
}

impl<'a> View<'a, '_> {
    fn judged(&self, i: usize) -> &'a Judged {
        &self.report.judgement.changes[i]
    }

    fn block(&self, found: &[&Finding]) -> Block<'a> {
        let first = self.judged(self.cause.first());
        let root = found.iter().position(|finding| self.is_root(finding));
        let mut title = self.title(first);
        let mut lines = String::new();
        let mut others: Vec<&Finding> = found.to_vec();
        if let Some(root) = root {
            let follows = title.strip_prefix("- ").unwrap_or(&title);
            lines = format!("{INDENT}It follows: {follows}\n");
            title = format!("- {}", found::sentence(self.report, others.remove(root)));
        }
        let (shown, folded) = others.split_at(others.len().min(ERRORS));
        for finding in shown {
            lines.push_str(&format!(
                "{INDENT}{}\n",
                found::sentence(self.report, finding)
            ));
        }
        let mut followers = self
            .cause
            .consequences
            .iter()
            .map(|&i| &self.judged(i).change);
        if followers.any(|change| change.notes.contains(&Note::FormulaUnmatched)) {
            lines.push_str(&format!("{INDENT}{}\n", markdown(&FORMULA.into())));
        }
        if self.level >= Level::Dangerous
            && root.is_none()
            && !first.is_excused()
            && let Some(help) = help(&first.change)
        {
            lines.push_str(&format!("{INDENT}{}\n", markdown(&help)));
        }
        let mut rows: Vec<Row<'_>> = folded
            .iter()
            .map(|finding| plain(format!("- {}\n", found::sentence(self.report, finding))))
            .collect();
        let mut changes = Vec::new();
        match &*self.cause.edited {
            [only] => {
                self.details(only, &mut rows);
                changes.extend(&only.edits);
            }
            several => {
                rows.extend(several.iter().map(|edited| self.operator(edited)));
                rows.extend(self.reason(first));
                if fails(self.report, first) {
                    let rule = first.change.rule.id;
                    let command =
                        format!("opatlas exception add NAME {rule} --reason ... --until ...");
                    rows.push(plain(format!("- to accept each: {}\n", code(&command))));
                }
            }
        }
        rows.extend(self.consequences(&mut changes));
        Block {
            class: self.class,
            title,
            short: self.short(first),
            lines,
            summary: self.summary(folded.len()),
            rows,
            changes,
        }
    }

    /// Whether a finding explains the edit: a mistake in the entry itself, such as an unknown field.
    fn is_root(&self, finding: &Finding) -> bool {
        let [edited] = &*self.cause.edited else {
            return false;
        };
        let name = finding.operator.as_deref();
        registry::of(finding.rule).stage <= Stage::Entry && name == Some(&*edited.operator)
    }

    /// `- **`logit`: argument `eps` renamed to `epsilon`** (line 5367) · **breaking** · breaks ...`
    fn title(&self, first: &Judged) -> String {
        let title = title(&self.report.judgement.changes, self.cause);
        let names: Vec<String> = title.names.iter().map(|name| code(name)).collect();
        let colon = if names.is_empty() { "" } else { ": " };
        let accepted = match self.class {
            Class::Excused => "Accepted: ",
            _ => "",
        };
        let what = markdown(&title.what);
        let mut text = format!("- {accepted}**{}{colon}{what}**", names.join(", "));
        let place = match self.cause.edited.len() {
            1 => lines(self.report, &first.change),
            _ => None,
        };
        if let Some(place) = place {
            text.push_str(&format!(" ({place})"));
        }
        text.push_str(&format!(" · {}", rule(self.report, first.change.rule)));
        if self.level >= Level::Dangerous {
            text.push_str(&format!(" · **{}**", self.level));
            let hurt = impacts(first.change.impacts);
            if !hurt.is_empty() {
                text.push_str(&format!(" · {hurt}"));
            }
            let pair = self.pair(&self.cause.edited[0]);
            if pair.is_some_and(|pair| !pair.is_backward_compatible()) {
                text.push_str("; PyTorch's own check: not backward compatible");
            }
        }
        if let Some(standing) = verdict::standing(self.report, first) {
            text.push_str(&format!(" · **{}**", markdown(&standing)));
        }
        text
    }

    fn short(&self, first: &Judged) -> String {
        let id = first.change.rule.id;
        let number = self.cause.edited.len();
        let name = match number {
            1 => short_name(&self.cause.edited[0].operator),
            _ => count(number, "operator"),
        };
        format!(
            "- {name}: **{}**, {id} ({})",
            self.level,
            in_full(self.report)
        )
    }

    fn summary(&self, errors: usize) -> String {
        let mut parts = Vec::new();
        if errors > 0 {
            parts.push(count(errors, "more finding"));
        }
        parts.push(match self.cause.edited.len() {
            1 => "details".to_owned(),
            number => count(number, "operator"),
        });
        let followed = self.cause.consequences.iter();
        let followed = followed.filter(|&&i| !self.judged(i).change.is_compound());
        match followed.count() {
            0 => {}
            number => parts.push(count(number, "consequence")),
        }
        parts.join(", ")
    }

    fn pair(&self, edited: &EntryEdit) -> Option<&'a Pair> {
        self.pairs.get(&*edited.operator).copied()
    }

    /// The rows for a single edited operator: schemas, all edits, the reason, PyTorch's verdict, and
    /// how to accept it.
    fn details(&self, edited: &EntryEdit, rows: &mut Vec<Row<'_>>) {
        let edits: Vec<&Judged> = edited.edits.iter().map(|&i| self.judged(i)).collect();
        for text in sides(self.report, self.pair(edited), &edits) {
            rows.push(plain(text));
        }
        for judged in edits.iter().skip(1) {
            let told = markdown(&message(&judged.change));
            let rule = rule(self.report, judged.change.rule);
            let standing = verdict::standing(self.report, judged);
            let standing = standing.map_or_else(String::new, |s| format!(" · {}", markdown(&s)));
            rows.push(plain(format!(
                "- {told} · {rule} · {}{standing}\n",
                judged.level
            )));
        }
        if let Some(lines) = entry_diff(self.report, &edits[0].change) {
            rows.push(diff(&lines));
        }
        rows.extend(self.reason(edits[0]));
        let pair = self.pair(edited);
        if pair.is_some() {
            let words = official::verdict(pair);
            let words = words.iter().map(|word| match word {
                Word::Plain(text) => markdown(text),
                Word::No => "**no**".to_owned(),
            });
            let verdict: String = words.collect();
            rows.push(plain(format!("- PyTorch's own check: {verdict}\n")));
        }
        let own = self.cause.changes().map(|i| &*self.judged(i).change);
        let own = own.filter(|change| *change.operator == *edited.operator);
        if let Some(reason) = official::disagreement(pair, own).filter(|_| pair.is_some()) {
            let reason = markdown(&reason);
            rows.push(plain(format!("- it differs from Opatlas: {reason}\n")));
        }
        let rejected = self.cause.changes().map(|i| self.judged(i));
        let rejected = rejected.filter(|judged| fails(self.report, judged));
        let rejected = rejected.filter(|judged| judged.can_be_excused());
        for judged in rejected.take(NAMED) {
            let command = code(&accept(&judged.change));
            rows.push(plain(format!("- to accept it: {command}\n")));
        }
    }

    fn reason(&self, judged: &Judged) -> Option<Row<'static>> {
        let change = &judged.change;
        let matters = weight(judged) >= Level::Dangerous;
        matters.then(|| plain(format!("- why: {}\n", markdown(&why(change.rule).into()))))
    }

    fn operator(&self, edited: &'a EntryEdit) -> Row<'a> {
        let first = self.judged(edited.edits[0]);
        let change = &first.change;
        let mut text = format!("- {}", operator(&edited.operator, change));
        if let Some(place) = lines(self.report, change) {
            text.push_str(&format!(" · {place}"));
        }
        if let Some(standing) = verdict::standing(self.report, first) {
            text.push_str(&format!(" · {}", markdown(&standing)));
        }
        text.push('\n');
        Row {
            name: Some(&edited.operator),
            text,
            short: short_row(self.report, &edited.operator),
            changes: edited.edits.clone(),
        }
    }

    /// The consequences, grouped by message. Compound changes are not shown and count as covered.
    fn consequences(&self, covered: &mut Vec<usize>) -> Vec<Row<'a>> {
        let mut alike: Vec<(Message, &Judged, Vec<usize>)> = Vec::new();
        let mut places: BTreeMap<(ChangeRuleId, Message), usize> = BTreeMap::new();
        for &i in &self.cause.consequences {
            let judged = self.judged(i);
            if judged.change.is_compound() {
                covered.push(i);
                continue;
            }
            let told = message(&judged.change);
            let key = (judged.change.rule.id, told.clone());
            let place = *places.entry(key).or_insert(alike.len());
            if place == alike.len() {
                alike.push((told, judged, Vec::new()));
            }
            alike[place].2.push(i);
        }
        alike.sort_by_key(|(_, judged, all)| (std::cmp::Reverse(weight(judged)), all[0]));
        let rows = alike.into_iter();
        rows.map(|(told, judged, all)| self.consequence(&told, judged, all))
            .collect()
    }

    fn consequence(&self, told: &Message, judged: &Judged, all: Vec<usize>) -> Row<'a> {
        let names = all.iter().map(|&i| code(&self.judged(i).change.operator));
        let mut shown: Vec<String> = names.take(NAMED).collect();
        if let more @ 1.. = all.len() - shown.len() {
            shown.push(format!("{more} more"));
        }
        let level = match weight(judged) {
            level @ (Level::Breaking | Level::ForwardBreaking | Level::Dangerous) => {
                format!(" · **{level}**")
            }
            _ => String::new(),
        };
        let rule = rule(self.report, judged.change.rule);
        let standing = verdict::standing(self.report, judged);
        let standing = standing.map_or_else(String::new, |s| format!(" · {}", markdown(&s)));
        let text = format!(
            "- {}: {} · {rule}{level}{standing}\n",
            shown.join(", "),
            markdown(told)
        );
        Row {
            name: None,
            text,
            short: format!(
                "- {}: {}\n",
                count(all.len(), "consequence"),
                in_full(self.report)
            ),
            changes: all,
        }
    }
}

fn operator(name: &str, change: &Change) -> String {
    match change.rule.id {
        ChangeRuleId::OperatorRemoved
        | ChangeRuleId::OverloadRemoved
        | ChangeRuleId::OperatorAdded
        | ChangeRuleId::OverloadAdded => {
            let there = change.old.as_ref().or(change.new.as_ref());
            let namespace = name.split_once("::");
            let namespace = namespace.map_or_else(String::new, |(name, _)| format!("{name}::"));
            let schema = there.map_or(name, |schema| &schema.text);
            code(&format!("{namespace}{schema}"))
        }
        _ => format!("{}: {}", code(name), markdown(&message(change))),
    }
}

fn diff(lines: &[String]) -> Row<'static> {
    let block = code_block("diff", lines, "    ");
    plain(format!("- the entry:\n\n{block}\n"))
}

fn plain(text: String) -> Row<'static> {
    Row {
        name: None,
        short: "- too long to show here\n".to_owned(),
        text,
        changes: Vec::new(),
    }
}

fn sides(report: &Report<'_>, pair: Option<&Pair>, changes: &[&Judged]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut add = |word: &str, place: Option<String>, shown: String| {
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        rows.push(format!("- {word}{place}: {shown}\n"));
    };
    let first = |side: fn(&Change) -> Option<&Fragment>| {
        changes.iter().find_map(move |judged| side(&judged.change))
    };
    if let Some(pair) = pair {
        if let Some(schema) = &pair.old {
            let place = line(&report.base, first(|change| change.old.as_ref()));
            add("old", place, marked::schema(schema, &marks(changes, false)));
        }
        if let Some(schema) = &pair.new {
            let place = line(&report.head, first(|change| change.new.as_ref()));
            add("new", place, marked::schema(schema, &marks(changes, true)));
        }
        return rows;
    }
    for (word, side, fragment) in [
        ("old", &report.base, changes[0].change.old.as_ref()),
        ("new", &report.head, changes[0].change.new.as_ref()),
    ] {
        if let Some(fragment) = fragment {
            let shown = match &*fragment.text {
                "" => "nothing".to_owned(),
                text => code(text),
            };
            add(word, line(side, Some(fragment)), shown);
        }
    }
    rows
}

/// The changed pieces of one side's schema. If both sides have a piece, only the difference.
fn marks(changes: &[&Judged], is_new: bool) -> Vec<Span> {
    let of_change = |judged: &&Judged| {
        let (old, new) = (judged.change.old.as_ref(), judged.change.new.as_ref());
        let (own, other) = if is_new { (new, old) } else { (old, new) };
        let own = own?;
        match other.filter(|other| other.mark.is_some()) {
            Some(other) => marked::difference(own, other),
            None => own.mark,
        }
    };
    changes.iter().filter_map(of_change).collect()
}

pub(super) fn row<'a>(report: &Report<'_>, cause: &'a Cause) -> Row<'a> {
    let changes = &report.judgement.changes;
    let edited = &cause.edited[0];
    let name = code(&edited.operator);
    let mut told: Vec<String> = Vec::new();
    for i in cause
        .changes()
        .filter(|&i| !changes[i].change.is_compound())
    {
        let sentence = markdown(&message(&changes[i].change));
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    if let more @ 1.. = told.len().saturating_sub(SENTENCES) {
        told.truncate(SENTENCES);
        told.push(count(more, "more effect"));
    }
    let first = &changes[cause.first()];
    let mut text = format!("- {name}: {}", told.join("; "));
    if let Some(place) = lines(report, &first.change) {
        text.push_str(&format!(" · {place}"));
    }
    text.push_str(&format!(" · {}", rule(report, first.change.rule)));
    if let Some(standing) = verdict::standing(report, first) {
        text.push_str(&format!(" · {}", markdown(&standing)));
    }
    text.push('\n');
    Row {
        text,
        short: short_row(report, &edited.operator),
        changes: cause.changes().collect(),
        name: Some(&edited.operator),
    }
}
