//! One cause as a bullet: the edit, the affected audiences, and what to do. The schemas, operators
//! and consequences are folded below it.

use std::collections::BTreeMap;

use super::found;
use super::item::{impacts, in_full, lines, rule, short_name};
use super::piece::{Group, Piece, Row, Stage};
use super::schemas;
use crate::changes::advice::{FORMULA, why};
use crate::changes::entry_diff::entry_diff;
use crate::changes::official::Word;
use crate::changes::outline::{Class, Section, fails, impacts as affected, weight};
use crate::changes::reason::is_root;
use crate::changes::title::title;
use crate::changes::{Report, accept, count, help, message, official, verdict};
use crate::escape::{code, code_block, markdown};
use opatlas_diff::causes::{Cause, EntryEdit};
use opatlas_diff::policy::Judged;
use opatlas_diff::revision::Pair;
use opatlas_diff::rules::{ChangeRuleId, Group as RuleGroup, Level};
use opatlas_diff::{Change, Note};
use opatlas_rules::registry;
use opatlas_source::Message;
use opatlas_source::diagnostic::Finding;
use rustc_hash::FxHashMap;

/// The operators of a comparison by name.
pub(super) type Pairs<'a> = FxHashMap<&'a str, &'a Pair>;

/// The most operators named in one row of consequences, and the most commands to accept changes.
const NAMED: usize = 12;

/// The most operators named in the line of a cause.
const FIRST: usize = 3;

/// The most further edits in the line of a cause.
const ALSO: usize = 3;

/// The indentation of lines below a bullet.
pub(super) const INDENT: &str = "  ";

pub(super) fn piece(
    report: &Report<'_>,
    section: &Section<'_>,
    (cause, found): (&Cause, &[&Finding]),
    pairs: &Pairs<'_>,
) -> Piece {
    let view = View {
        report,
        cause,
        pairs,
        class: section.class,
        level: section.level,
    };
    view.piece(found)
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

    fn piece(&self, found: &[&Finding]) -> Piece {
        let first = self.judged(self.cause.first());
        let roots = found.iter().enumerate();
        let roots = roots.filter(|(_, finding)| is_root(self.cause, finding));
        let root = roots.min_by_key(|(_, finding)| registry::of(finding.rule).stage);
        let mut others: Vec<&Finding> = found.to_vec();
        let mut visible = Vec::new();
        let head = match root {
            None => format!("- {}\n", self.title(first)),
            Some((at, _)) => {
                visible.push(Row::plain(format!(
                    "{INDENT}It follows: {}\n",
                    self.title(first)
                )));
                format!("- {}\n", found::sentence(self.report, others.remove(at)))
            }
        };
        visible.extend(found::sentences(self.report, &others).map(|sentence| {
            let text = format!("{INDENT}- {sentence}\n");
            Row::counted(text, "finding")
        }));
        Piece {
            class: self.class,
            head,
            short: self.short(first),
            groups: vec![
                Group::of(Stage::List, visible),
                Group::of(Stage::Advice, self.advice(first, root.is_some())),
                self.details(first),
            ],
        }
    }

    /// `**`logit`: argument `eps` renamed to `epsilon`** (line 5367) · **breaking** · breaks ...`
    fn title(&self, first: &Judged) -> String {
        let mut text = self.what();
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
        }
        let affected = affected(self.report, self.cause);
        let is_harmless = affected.breaks.is_empty() && self.level < Level::Dangerous;
        let hurt = impacts(affected);
        if !hurt.is_empty() && !is_harmless {
            text.push_str(&format!(" · {hurt}"));
        }
        let pair = self.pair(&self.cause.edited[0]);
        if self.level >= Level::Dangerous && pair.is_some_and(|pair| !pair.is_backward_compatible())
        {
            text.push_str("; PyTorch's own check: not backward compatible");
        }
        if let Some(standing) = verdict::standing(self.report, first) {
            text.push_str(&format!(" · **{}**", markdown(&standing)));
        }
        text
    }

    /// The edit, the first operators, and the first further edits.
    fn what(&self) -> String {
        let title = title(&self.report.judgement.changes, self.cause);
        let what = markdown(&title.named(&title.what));
        let mut text = match self.class {
            Class::Quiet => what,
            Class::Excused => format!("Accepted: **{what}**"),
            _ => format!("**{what}**"),
        };
        if title.names.is_empty() && !self.is_move() {
            let edited = self.cause.edited.iter();
            let mut names: Vec<String> =
                edited.take(FIRST).map(|one| code(&one.operator)).collect();
            if let more @ 1.. = self.cause.edited.len() - names.len() {
                names.push(format!("{more} more"));
            }
            text.push_str(&format!(" ({})", names.join(", ")));
        }
        let also = self.also();
        let (shown, rest) = also.split_at(also.len().min(ALSO));
        for sentence in shown {
            text.push_str(&format!("; {sentence}"));
        }
        if !rest.is_empty() {
            text.push_str(&format!("; {}", count(rest.len(), "more change")));
        }
        text
    }

    /// Whether entries only moved.
    fn is_move(&self) -> bool {
        self.judged(self.cause.first()).change.rule.id == ChangeRuleId::EntryMoved
    }

    /// The further edits of the only operator.
    fn also(&self) -> Vec<String> {
        let [only] = &*self.cause.edited else {
            return Vec::new();
        };
        let edits = only.edits.iter().skip(1).map(|&i| &self.judged(i).change);
        let edits =
            edits.filter(|change| change.rule.group != RuleGroup::File && !change.is_compound());
        edits.map(|change| markdown(&message(change))).collect()
    }

    fn short(&self, first: &Judged) -> String {
        let id = first.change.rule.id;
        let number = self.cause.edited.len();
        let name = match number {
            1 => short_name(&self.cause.edited[0].operator),
            _ => count(number, "operator"),
        };
        let full = in_full(self.report);
        format!("- {name}: **{}**, {id} ({full})\n", self.level)
    }

    /// What to do about it.
    fn advice(&self, first: &Judged, has_root: bool) -> Vec<Row> {
        let mut advice: Vec<Message> = Vec::new();
        let consequences = self.cause.consequences.iter();
        let mut followers = consequences.map(|&i| &self.judged(i).change);
        if followers.any(|change| change.notes.contains(&Note::FormulaUnmatched)) {
            advice.push(FORMULA.into());
        }
        if self.level >= Level::Dangerous && !has_root && !first.is_excused() {
            advice.extend(help(&first.change));
        }
        let lines = advice.iter();
        lines
            .map(|text| Row::plain(format!("{INDENT}{}\n", markdown(text))))
            .collect()
    }

    fn details(&self, first: &Judged) -> Group {
        let mut rows = match &*self.cause.edited {
            _ if self.is_move() => Vec::new(),
            [only] => self.only(only),
            several => {
                let mut rows: Vec<String> = self.reason(first).into_iter().collect();
                if fails(self.report, first) {
                    let rule = first.change.rule.id;
                    let command =
                        format!("opatlas exception add NAME {rule} --reason ... --until ...");
                    rows.push(format!("- to accept each: {}\n", code(&command)));
                }
                let mut rows: Vec<Row> = rows.into_iter().map(indented).collect();
                rows.extend(several.iter().map(|edited| {
                    Row::counted(format!("{INDENT}{}", self.operator(edited)), "operator")
                }));
                rows
            }
        };
        rows.extend(self.consequences());
        Group {
            open: format!("{INDENT}<details><summary>{}</summary>\n\n", self.summary()),
            close: "\n  </details>\n",
            ..Group::of(Stage::Details, rows)
        }
    }

    fn summary(&self) -> String {
        let mut parts = vec![match self.cause.edited.len() {
            1 => "details".to_owned(),
            number => count(number, "operator"),
        }];
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

    /// The rows for a single edited operator: schemas, all edits, the reason, PyTorch's verdict, how to
    /// accept it, and the entry.
    fn only(&self, edited: &EntryEdit) -> Vec<Row> {
        let edits: Vec<&Judged> = edited.edits.iter().map(|&i| self.judged(i)).collect();
        let mut rows = schemas::sides(self.report, self.pair(edited), &edits);
        for judged in edits.iter().skip(1) {
            let told = markdown(&message(&judged.change));
            let rule = rule(self.report, judged.change.rule);
            let standing = verdict::standing(self.report, judged);
            let standing = standing.map_or_else(String::new, |s| format!(" · {}", markdown(&s)));
            rows.push(format!("- {told} · {rule} · {}{standing}\n", judged.level));
        }
        rows.extend(self.reason(edits[0]));
        rows.extend(self.official(edited));
        let rejected = self.cause.changes().map(|i| self.judged(i));
        let rejected = rejected.filter(|judged| fails(self.report, judged));
        let rejected = rejected.filter(|judged| judged.can_be_excused());
        for judged in rejected.take(NAMED) {
            let command = code(&accept(&judged.change));
            rows.push(format!("- to accept it: {command}\n"));
        }
        let mut rows: Vec<Row> = rows.into_iter().map(indented).collect();
        if let Some(lines) = entry_diff(self.report, &edits[0].change) {
            let block = code_block("diff", &lines, "    ");
            rows.push(Row::plain(format!("{INDENT}- the entry:\n\n{block}")));
        }
        rows
    }

    /// PyTorch's own verdict on the schema, and why it differs from that of the rules.
    fn official(&self, edited: &EntryEdit) -> Vec<String> {
        let pair = self.pair(edited);
        if pair.is_none() {
            return Vec::new();
        }
        let words = official::verdict(pair);
        let words = words.iter().map(|word| match word {
            Word::Plain(text) => markdown(text),
            Word::No => "**no**".to_owned(),
        });
        let mut rows = vec![format!(
            "- PyTorch's own check: {}\n",
            words.collect::<String>()
        )];
        let own = self.cause.changes().map(|i| &*self.judged(i).change);
        let own = own.filter(|change| *change.operator == *edited.operator);
        if let Some(reason) = official::disagreement(pair, own) {
            let reason = markdown(&reason);
            rows.push(format!("- it differs from Opatlas: {reason}\n"));
        }
        rows
    }

    fn reason(&self, judged: &Judged) -> Option<String> {
        let change = &judged.change;
        let matters = weight(judged) >= Level::Dangerous;
        matters.then(|| format!("- why: {}\n", markdown(&why(change.rule).into())))
    }

    fn operator(&self, edited: &EntryEdit) -> String {
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
        text
    }

    /// The consequences, grouped by message. Compound changes are not shown.
    fn consequences(&self) -> Vec<Row> {
        let mut alike: Vec<(Message, Vec<&Judged>)> = Vec::new();
        let mut places: BTreeMap<(ChangeRuleId, Message), usize> = BTreeMap::new();
        let all = self.cause.consequences.iter().map(|&i| self.judged(i));
        for judged in all.filter(|judged| !judged.change.is_compound()) {
            let told = message(&judged.change);
            let key = (judged.change.rule.id, told.clone());
            let place = *places.entry(key).or_insert(alike.len());
            if place == alike.len() {
                alike.push((told, Vec::new()));
            }
            alike[place].1.push(judged);
        }
        alike.sort_by_key(|(_, all)| std::cmp::Reverse(weight(all[0])));
        let rows = alike.iter();
        rows.map(|(told, all)| Row {
            amount: all.len(),
            ..Row::counted(self.consequence(told, all), "consequence")
        })
        .collect()
    }

    fn consequence(&self, told: &Message, all: &[&Judged]) -> String {
        let names = all.iter().map(|judged| code(&judged.change.operator));
        let mut shown: Vec<String> = names.take(NAMED).collect();
        if let more @ 1.. = all.len() - shown.len() {
            shown.push(format!("{more} more"));
        }
        let level = match weight(all[0]) {
            level @ (Level::Breaking | Level::ForwardBreaking | Level::Dangerous) => {
                format!(" · **{level}**")
            }
            _ => String::new(),
        };
        let rule = rule(self.report, all[0].change.rule);
        let standing = verdict::standing(self.report, all[0]);
        let standing = standing.map_or_else(String::new, |s| format!(" · {}", markdown(&s)));
        format!(
            "{INDENT}- {}: {} · {rule}{level}{standing}\n",
            shown.join(", "),
            markdown(told)
        )
    }
}

fn indented(text: String) -> Row {
    Row::plain(format!("{INDENT}{text}"))
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
