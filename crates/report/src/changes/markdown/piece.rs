//! The pieces of a report and the budget of lines that they share.
//!
//! Each piece has one line that is always shown, and groups of rows that are shown as long as the
//! budget lasts: first those that are not folded, then the details of the most important pieces.

use super::item::chars;
use crate::changes::count;
use crate::changes::outline::{Class, SHOWN};

/// The most lines of a report with few causes.
pub(super) const MOST_LINES: usize = 60;

/// The fewest lines that the details of a piece get, if that many are left.
const LEAST_DETAILS: usize = 14;

/// The fewest rows of a folded list or table that are shown without the others.
const LEAST_ROWS: usize = 3;

/// A section of the report.
pub(super) struct Piece {
    pub class: Class,
    /// What is always shown, with its newlines.
    pub head: String,
    /// Replaces the piece if the head is too long for a part.
    pub short: String,
    pub groups: Vec<Group>,
}

/// Rows with what surrounds them, the most important first.
pub(super) struct Group {
    pub stage: Stage,
    pub open: String,
    pub rows: Vec<Row>,
    /// Begins the line that counts the rows that are left out.
    pub before: &'static str,
    pub close: &'static str,
}

/// A row is shown as a whole or left out.
pub(super) struct Row {
    pub text: String,
    /// What it lists, in singular. If such rows are left out, a last row counts this.
    pub unit: Option<&'static str>,
    /// How many of these it lists.
    pub amount: usize,
}

impl Row {
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            unit: None,
            amount: 0,
        }
    }

    pub(super) fn counted(text: String, unit: &'static str) -> Self {
        Self {
            text,
            unit: Some(unit),
            amount: 1,
        }
    }
}

/// When a group gets its share of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Visible entries of a list, and findings.
    List,
    /// What to do.
    Advice,
    /// Cards of new operators.
    Card,
    Details,
    /// Counts over all operators.
    Overview,
}

impl Stage {
    const ALL: [Self; 5] = [
        Self::List,
        Self::Advice,
        Self::Card,
        Self::Details,
        Self::Overview,
    ];
}

/// A piece with as much as the budget allows.
pub(super) struct Rendered {
    pub class: Class,
    pub text: String,
    /// The piece in at most a few hundred characters.
    pub short: String,
    head: String,
    /// Whether something is left out without being counted.
    pub is_cut: bool,
}

impl Group {
    /// Rows without anything around them.
    pub(super) fn of(stage: Stage, rows: Vec<Row>) -> Self {
        Self {
            stage,
            open: String::new(),
            rows,
            before: "  - ",
            close: "",
        }
    }

    /// The text with as many rows as fit into the lines, and whether it lacks any.
    fn fitted(&self, room: usize) -> (String, bool) {
        let lines = |text: &str| newlines(text);
        let frame = lines(&self.open) + lines(self.close);
        let whole = frame + self.rows.iter().map(|row| lines(&row.text)).sum::<usize>();
        let mut left = room.saturating_sub(frame);
        let mut taken: Vec<(&str, usize)> = Vec::new();
        let mut missing: Vec<(&str, usize)> = Vec::new();
        let mut all: Vec<(&str, usize)> = Vec::new();
        for unit in self.rows.iter().filter_map(|row| row.unit) {
            add(&mut all, unit, 1);
        }
        let is_whole = whole <= room && all.iter().all(|(_, number)| *number <= SHOWN);
        if !is_whole && !all.is_empty() {
            left = left.saturating_sub(1 + lines(self.before));
        }
        let mut text = self.open.clone();
        let mut rows = 0;
        for row in &self.rows {
            let is_next = row
                .unit
                .is_none_or(|unit| amount(&missing, unit) == 0 && amount(&taken, unit) < SHOWN);
            if is_next && lines(&row.text) <= left {
                left -= lines(&row.text);
                text.push_str(&row.text);
                rows += 1;
                row.unit.inspect(|unit| add(&mut taken, unit, 1));
            } else {
                row.unit.inspect(|unit| add(&mut missing, unit, row.amount));
            }
        }
        let least = if is_whole || self.open.is_empty() {
            1
        } else {
            LEAST_ROWS
        };
        if rows < least {
            return (String::new(), !self.rows.is_empty());
        }
        if !missing.is_empty() {
            let more = missing.iter();
            let more = more.map(|(unit, number)| count(*number, &format!("more {unit}")));
            let more: Vec<String> = more.collect();
            text.push_str(&format!("{}and {}\n", self.before, more.join(", ")));
        }
        text.push_str(self.close);
        (text, rows < self.rows.len())
    }
}

fn amount(counts: &[(&str, usize)], unit: &str) -> usize {
    let own = counts.iter().find(|(known, _)| *known == unit);
    own.map_or(0, |(_, number)| *number)
}

fn add<'a>(counts: &mut Vec<(&'a str, usize)>, unit: &'a str, by: usize) {
    match counts.iter_mut().find(|(known, _)| *known == unit) {
        Some((_, number)) => *number += by,
        None => counts.push((unit, by)),
    }
}

pub(super) fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

/// Renders the pieces within a number of lines. The heads are always shown.
pub(super) fn render(pieces: Vec<Piece>, lines: usize) -> Vec<Rendered> {
    let heads: usize = pieces.iter().map(|piece| newlines(&piece.head)).sum();
    let mut left = lines.saturating_sub(heads);
    let mut texts: Vec<Vec<String>> = pieces
        .iter()
        .map(|piece| vec![String::new(); piece.groups.len()])
        .collect();
    let mut cut = vec![false; pieces.len()];
    for stage in Stage::ALL {
        let of_stage = pieces.iter().enumerate().flat_map(|(i, piece)| {
            let groups = piece.groups.iter().enumerate();
            groups
                .filter(|(_, group)| group.stage == stage)
                .map(move |(j, group)| (i, j, group))
        });
        let of_stage: Vec<_> = of_stage.collect();
        for (at, (i, j, group)) in of_stage.iter().enumerate() {
            let share = match stage {
                Stage::Details => (left / (of_stage.len() - at)).max(LEAST_DETAILS).min(left),
                _ => left,
            };
            let (text, is_cut) = group.fitted(share);
            left -= newlines(&text);
            texts[*i][*j] = text;
            cut[*i] |= is_cut && stage != Stage::Overview;
        }
    }
    let pieces = pieces.into_iter().zip(texts).zip(cut);
    pieces
        .map(|((piece, texts), is_cut)| Rendered {
            class: piece.class,
            text: format!("{}{}", piece.head, texts.concat()),
            short: piece.short,
            head: piece.head,
            is_cut,
        })
        .collect()
}

impl Rendered {
    /// The piece in at most this many characters, and whether that left something out.
    pub(super) fn within(&self, room: usize) -> (&str, bool) {
        let fits = |text: &str| chars(text) <= room;
        if fits(&self.text) {
            (&self.text, self.is_cut)
        } else if fits(&self.head) {
            (&self.head, true)
        } else {
            (&self.short, true)
        }
    }
}
