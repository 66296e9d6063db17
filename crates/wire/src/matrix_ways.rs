//! Fates by operator and way, for the matrix.

use opatlas_operators::operator::OperatorId;
use opatlas_verdict::ways::{Fate, Way};
use opatlas_verdict::{Answer, View};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ways::WayName;

/// The character for a way that does not apply to an operator.
const NOTHING: char = ' ';

/// Fates by operator and way.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixWays {
    /// The ways.
    pub ways: Vec<WayName>,
    /// The distinct rows: one character per way, a blank if the way does not apply to the operator.
    #[schema(example = json!(["4ELA3PTX??????"]))]
    pub rows: Vec<String>,
    /// The meaning of each character.
    pub legend: Vec<MatrixFate>,
}

/// The meaning of a character in a row of fates.
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
    /// True if nothing of the operator's own serves it, so that calls fail or fall back.
    pub missing: bool,
}

/// The distinct rows so far, and what their characters say.
#[derive(Default)]
pub(crate) struct FateRows {
    rows: Vec<String>,
    known: FxHashMap<String, usize>,
    legend: Vec<(Fate, Option<Answer>)>,
}

impl FateRows {
    /// The place of the row of an operator.
    pub(crate) fn row(&mut self, view: View<'_>, id: OperatorId) -> usize {
        let row = self.letters(view, id);
        let next = self.rows.len();
        *self.known.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            next
        })
    }

    /// The row of an operator.
    pub(crate) fn letters(&mut self, view: View<'_>, id: OperatorId) -> String {
        let mut row = [NOTHING; Way::ALL.len()];
        for (way, fate) in view.fates(id) {
            row[way as usize] = self.letter(fate, view.works(id, way, fate));
        }
        row.iter().collect()
    }

    fn letter(&mut self, fate: Fate, works: Option<Answer>) -> char {
        let known = self.legend.iter().position(|of| *of == (fate, works));
        letter(known.unwrap_or_else(|| {
            self.legend.push((fate, works));
            self.legend.len() - 1
        }))
    }

    pub(crate) fn into_answer(self) -> MatrixWays {
        let legend = self.legend.into_iter().enumerate();
        let legend = legend.map(|(place, (fate, works))| MatrixFate {
            letter: letter(place),
            fate: fate.as_str(),
            works: works.map(Answer::as_str),
            missing: fate.is_missing(),
        });
        MatrixWays {
            ways: WayName::all(),
            rows: self.rows,
            legend: legend.collect(),
        }
    }
}

/// `0` for the first entry of the legend, `1` for the second.
fn letter(place: usize) -> char {
    u8::try_from(place).map_or(NOTHING, |place| char::from(b'0'.saturating_add(place)))
}
