//! What functions that are written in Python call (`data/python_calls.txt`): recorded in real processes,
//! by running PyTorch's own tests of the functions.
//!
//! ```
//! use opatlas_pytorch::{Release, python_functions::{self, Phase}};
//!
//! let relu = python_functions::find("torch.nn.functional.relu", Release::V2_9).unwrap();
//! let in_place = relu.calls(Phase::Top).find(|call| call.operator == "relu_").unwrap();
//! assert_eq!(in_place.when[0].to_string(), "inplace=True");
//! ```

use std::fmt;

use crate::Release;

// MEASURED has a bit for each recorded release.
include!(concat!(env!("OUT_DIR"), "/python_functions.rs"));

/// A function, or a module by its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// The full name: `torch.nn.functional.relu`, `torch.nn.Linear`, `torch.Tensor.norm`.
    pub name: &'static str,
    /// The release that was recorded.
    pub recorded_with: Release,
    fields: &'static str,
}

/// Where in a call operators run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Those that the function itself calls.
    Top,
    /// Those below autograd, on the CPU and without oneDNN.
    Below,
    /// Those of the backward.
    Backward,
}

/// An operator that a function calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCall {
    /// The operator of `aten`: `add.Tensor`.
    pub operator: &'static str,
    /// All recorded calls that meet the conditions call it.
    pub is_certain: bool,
    /// No recorded call calls it unless it meets these.
    pub when: Vec<Condition>,
}

/// What a call passes, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// The parameter.
    pub parameter: &'static str,
    /// A literal such as `'mean'` and `None`, or a kind: `4-dim` of a tensor, `number`, `dtype`, `list`,
    /// `tensors`.
    pub value: &'static str,
    /// The parameter has the value; otherwise it has another one.
    pub is_equal: bool,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name, with stars for those that take any number of arguments.
    pub name: &'static str,
    /// The default, `...` if it is no literal.
    pub default: Option<&'static str>,
    /// It follows `*`.
    pub is_keyword_only: bool,
}

/// The function of a full name, in the recorded release that is nearest.
#[must_use]
pub fn find(name: &str, release: Release) -> Option<Function> {
    let recorded_with = recorded_for(release)?;
    let found = row(FUNCTIONS, name, recorded_with)?;
    Some(function(found, recorded_with))
}

/// All functions of the recorded release that is nearest, by name.
pub fn all(release: Release) -> impl Iterator<Item = Function> {
    let recorded = recorded_for(release);
    recorded.into_iter().flat_map(|recorded_with| {
        let rows = FUNCTIONS
            .iter()
            .filter(move |row| holds(row.1, recorded_with));
        rows.map(move |row| function(row, recorded_with))
    })
}

/// The binding of a function of `torch.nn.functional` that is no function in Python: `torch.conv2d` of
/// `torch.nn.functional.conv2d`.
#[must_use]
pub fn binding(name: &str, release: Release) -> Option<&'static str> {
    row(SAME, name, recorded_for(release)?).map(|row| row.2)
}

type Row = (&'static str, u64, &'static str);

fn function(row: &Row, recorded_with: Release) -> Function {
    Function {
        name: row.0,
        recorded_with,
        fields: row.2,
    }
}

fn row(rows: &'static [Row], name: &str, release: Release) -> Option<&'static Row> {
    let begin = rows.partition_point(|row| row.0 < name);
    let mut named = rows[begin..].iter().take_while(|row| row.0 == name);
    named.find(|row| holds(row.1, release))
}

/// The newest recorded release up to this one, or the oldest.
fn recorded_for(release: Release) -> Option<Release> {
    let recorded = || Release::all().filter(|known| holds(MEASURED, *known));
    let up_to = recorded().rfind(|known| *known <= release);
    up_to.or_else(|| recorded().next())
}

fn holds(mask: u64, release: Release) -> bool {
    mask >> release.index() & 1 == 1
}

impl Function {
    /// The parameters, in order; none if Python does not know them.
    pub fn parameters(self) -> impl Iterator<Item = Parameter> {
        let list = self.fields.split('\t').next().unwrap_or_default();
        let list = list
            .strip_prefix('(')
            .and_then(|list| list.strip_suffix(')'));
        let mut is_keyword_only = false;
        let words = list.unwrap_or_default().split(", ");
        words.filter_map(move |word| {
            let (name, default) = match word.split_once('=') {
                Some((name, default)) => (name, Some(default)),
                None => (word, None),
            };
            let parameter = Parameter {
                name,
                default,
                is_keyword_only,
            };
            is_keyword_only |= name.starts_with('*');
            (!matches!(name, "" | "*")).then_some(parameter)
        })
    }

    /// Whether a recorded call passes a literal for a parameter, or none passes any.
    #[must_use]
    pub fn is_recorded_with(self, parameter: &str, value: &str) -> bool {
        let mut passed = self.field("passed").split("; ");
        let values = passed.find_map(|of| of.strip_prefix(parameter)?.strip_prefix('='));
        values.is_none_or(|values| values.split('|').any(|known| known == value))
    }

    /// The operators that a call runs, in the order in which they were first seen.
    pub fn calls(self, phase: Phase) -> impl Iterator<Item = RecordedCall> {
        let field = match phase {
            Phase::Top => self.field("top"),
            Phase::Below => match self.field("below") {
                "" => self.field("top"),
                below => below,
            },
            Phase::Backward => self.field("backward"),
        };
        field.split("; ").filter(|text| !text.is_empty()).map(call)
    }

    fn field(self, name: &str) -> &'static str {
        let mut fields = self.fields.split('\t');
        let found = fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_default()
    }
}

/// Reads `?upsample_bilinear2d.vec if mode='bilinear' & antialias=False`.
fn call(text: &'static str) -> RecordedCall {
    let (is_certain, text) = match text.strip_prefix('?') {
        Some(text) => (false, text),
        None => (true, text),
    };
    let (operator, when) = text.split_once(" if ").unwrap_or((text, ""));
    let when = when.split(" & ").filter_map(condition);
    RecordedCall {
        operator,
        is_certain,
        when: when.collect(),
    }
}

fn condition(text: &'static str) -> Option<Condition> {
    let (parameter, value, is_equal) = match text.split_once("!=") {
        Some((parameter, value)) => (parameter, value, false),
        None => {
            let (parameter, value) = text.split_once('=')?;
            (parameter, value, true)
        }
    };
    Some(Condition {
        parameter,
        value,
        is_equal,
    })
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            parameter, value, ..
        } = self;
        match (value.strip_suffix("-dim"), self.is_equal) {
            (Some(count), true) => write!(f, "{parameter} is {count}-dimensional"),
            (Some(count), false) => write!(f, "{parameter} is not {count}-dimensional"),
            (None, is_equal) => match (kind(value), is_equal) {
                (Some(kind), true) => write!(f, "{parameter} is {kind}"),
                (Some(kind), false) => write!(f, "{parameter} is not {kind}"),
                (None, true) => write!(f, "{parameter}={value}"),
                (None, false) => write!(f, "{parameter} is not {value}"),
            },
        }
    }
}

fn kind(value: &str) -> Option<&'static str> {
    Some(match value {
        "number" => "a number",
        "dtype" => "a dtype",
        "list" => "a list",
        "tensors" => "a list of tensors",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let interpolate = find("torch.nn.functional.interpolate", Release::V2_15).unwrap();
        let mut calls = interpolate.calls(Phase::Top);
        let bilinear = calls
            .find(|call| call.operator == "upsample_bilinear2d.vec")
            .unwrap();
        let when: Vec<String> = bilinear.when.iter().map(ToString::to_string).collect();
        assert!(bilinear.is_certain);
        assert_eq!(when, ["mode='bilinear'", "antialias=False"]);
        assert!(interpolate.is_recorded_with("mode", "'bicubic'"));
        assert!(!interpolate.is_recorded_with("mode", "'other'"));
        assert!(interpolate.is_recorded_with("input", "3"));
        let names: Vec<_> = interpolate
            .parameters()
            .map(|parameter| parameter.name)
            .collect();
        assert_eq!(names[..4], ["input", "size", "scale_factor", "mode"]);
    }

    #[test]
    fn a_release_has_the_nearest_recording() {
        for (release, recorded) in [
            (Release::V2_0, Release::V2_9),
            (Release::V2_14, Release::V2_9),
            (Release::V2_15, Release::V2_15),
        ] {
            let found = find("torch.nn.Linear", release).unwrap();
            assert_eq!(found.recorded_with, recorded);
        }
        assert!(find("torch.nn.NoSuchModule", Release::V2_9).is_none());
        assert_eq!(
            binding("torch.nn.functional.conv2d", Release::V2_9),
            Some("torch.conv2d")
        );
    }

    #[test]
    fn lines_are_sorted_and_readable() {
        for table in [FUNCTIONS, SAME] {
            assert!(table.is_sorted_by_key(|row| row.0));
        }
        for function in [Release::V2_9, Release::V2_15].into_iter().flat_map(all) {
            for phase in [Phase::Top, Phase::Below, Phase::Backward] {
                for call in function.calls(phase) {
                    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.:".contains(c);
                    assert!(call.operator.chars().all(is_word), "{call:?}");
                }
            }
        }
    }
}
