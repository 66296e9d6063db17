//! Fates by operator and way, for the matrix.

use opatlas_operators::operator::OperatorId;
use opatlas_verdict::ways::{Fate, Way};
use opatlas_verdict::{Answer, View};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ways::WayName;

/// What stands where a way does not apply to an operator.
const NOTHING: char = ' ';

/// Fates by operator and way.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixWays {
    /// The ways.
    pub ways: Vec<WayName>,
    /// The distinct rows: one character per way, a blank if the way does not apply to the operator.
    #[schema(example = json!(["4ELA3PTX??????"]))]
    pub rows: Vec<String>,
    /// What the characters say.
    pub legend: Vec<MatrixFate>,
}

/// What a character of a row of fates says.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixFate {
    /// The character.
    #[schema(example = "F")]
    pub letter: char,
    /// The fate.
    #[schema(example = "lowered")]
    pub fate: &'static str,
    /// `yes`, `partly`, `no` or `unknown`; null if there is nothing to differentiate.
    #[schema(example = "yes")]
    pub works: Option<&'static str>,
    /// Whether nothing of the operator's own serves it, so that calls fail or fall back.
    pub missing: bool,
}

impl MatrixWays {
    pub(crate) fn of(rows: Vec<String>) -> Self {
        let fate = |fate: Fate| MatrixFate {
            letter: letter(fate),
            fate: fate.as_str(),
            works: fate.answer().map(Answer::as_str),
            missing: fate.is_missing(),
        };
        Self {
            ways: WayName::all(),
            rows,
            legend: Fate::ALL.map(fate).into(),
        }
    }
}

/// The distinct rows so far.
#[derive(Default)]
pub(crate) struct FateRows {
    pub(crate) rows: Vec<String>,
    known: FxHashMap<String, usize>,
}

impl FateRows {
    /// The place of the row of an operator.
    pub(crate) fn row(&mut self, view: View<'_>, id: OperatorId) -> usize {
        let mut row = [NOTHING; Way::ALL.len()];
        for (way, fate) in view.fates(id) {
            row[way as usize] = letter(fate);
        }
        let next = self.rows.len();
        *self
            .known
            .entry(row.iter().collect())
            .or_insert_with_key(|row| {
                self.rows.push(row.clone());
                next
            })
    }
}

/// `0` for the first fate, `1` for the second.
fn letter(fate: Fate) -> char {
    char::from(b'0' + fate as u8)
}
