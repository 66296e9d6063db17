//! Changes as JSON. A comparison of two releases has thousands of them but only some dozen sorts, so what the sort
//! alone decides is written once for each.

use std::borrow::Cow;

use opatlas_diff::rules::Audiences;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::wire::change::Change;
use crate::wire::json;
use crate::wire::names::Names;
use crate::wire::static_text::StaticText;

/// What has been written of the changes of a comparison: what stands in front of the operator of each sort, and
/// between its message and the old text.
#[derive(Debug, Default)]
pub(super) struct ChangeTexts(FxHashMap<Sort, [Vec<u8>; 2]>);

/// The rule, its explanation, both levels, and who is affected.
type Sort = ([StaticText; 4], [Audiences; 2]);

impl ChangeTexts {
    /// Appends what a change is as JSON.
    pub(super) fn push(&mut self, text: &mut Vec<u8>, change: &Change<'_>) {
        let words = [change.rule, change.why, change.level, change.strict_level];
        let sort = (words.map(StaticText::of), [change.breaks, change.risks]);
        let known = self.0.entry(sort);
        let [before, between] = known.or_insert_with(|| of_sort(change));
        text.extend_from_slice(before);
        json::push(text, &change.operator);
        field(text, br#","argument":"#, &change.argument);
        names(text, br#","keys":"#, &change.keys);
        names(text, br#","names":"#, &change.names);
        field(text, br#","message":"#, &change.message);
        text.extend_from_slice(between);
        json::push(text, &change.old);
        field(text, br#","new":"#, &change.new);
        field(text, br#","file":"#, change.file);
        field(text, br#","base_span":"#, &change.base_span);
        field(text, br#","head_span":"#, &change.head_span);
        field(text, br#","base_mark":"#, &change.base_mark);
        field(text, br#","head_mark":"#, &change.head_mark);
        field(text, br#","help":"#, &change.help);
        field(text, br#","accept":"#, &change.accept);
        names(text, br#","also":"#, &change.also);
        field(text, br#","confidence":"#, &change.confidence);
        field(text, br#","exception":"#, &change.exception);
        text.extend_from_slice(br#","fingerprint":""#);
        text.extend_from_slice(change.fingerprint.digits().as_str().as_bytes());
        text.extend_from_slice(br#""}"#);
    }
}

/// Always inlined, so that the name is a few stores.
#[inline(always)]
fn field(text: &mut Vec<u8>, name: &[u8], value: &(impl Serialize + ?Sized)) {
    text.extend_from_slice(name);
    json::push(text, value);
}

#[inline(always)]
fn names(text: &mut Vec<u8>, name: &[u8], names: &Names<'_>) {
    text.extend_from_slice(name);
    match names.is_empty() {
        true => text.extend_from_slice(b"[]"),
        false => json::push(text, names),
    }
}

/// What the sort of a change decides.
fn of_sort(change: &Change<'_>) -> [Vec<u8>; 2] {
    const OPERATOR: &[u8] = br#""operator":"#;
    const MESSAGE: &[u8] = br#""message":"""#;
    const OLD: &[u8] = br#","old":"#;
    let plain = json::json(&Change {
        operator: Cow::Borrowed(""),
        argument: None,
        keys: Names::NONE,
        names: Names::NONE,
        message: String::new(),
        old: None,
        new: None,
        base_span: None,
        head_span: None,
        help: None,
        accept: String::new(),
        also: Names::NONE,
        exception: None,
        ..*change
    });
    // In JSON, a quotation mark within a text has a backslash before it, so these are names.
    let end_of = |name: &[u8]| memchr::memmem::find(&plain, name).map_or(0, |at| at + name.len());
    let (operator, message, old) = (end_of(OPERATOR), end_of(MESSAGE), end_of(OLD));
    [plain[..operator].to_vec(), plain[message..old].to_vec()]
}

#[cfg(test)]
mod tests {
    use opatlas_diff::rules::ChangeRuleId;
    use opatlas_diff::{Change as DiffChange, Fragment, Subject};

    use super::*;
    use crate::wire::change::{Excuse, change};
    use crate::wire::finding::Span;

    #[test]
    fn a_change_is_what_it_is_by_itself() {
        let names = || vec!["\"operator\":\"\"".into(), ",\"old\":\n".into()];
        let subjects = [
            Subject::Operator,
            Subject::Argument("\"message\":\"\"".into()),
            Subject::Return(1),
            Subject::Names(names()),
        ];
        let mut texts = ChangeTexts::default();
        for (at, &id) in ChangeRuleId::ALL.iter().cycle().take(1000).enumerate() {
            let subject = subjects[at % subjects.len()].clone();
            let mut found = DiffChange::new(id, ["add.Tensor", "\"é\u{1}"][at % 2], subject);
            if at % 3 > 0 {
                found = found.old(Fragment::of_field("\",\"old\":", None));
                found.also = names();
            }
            if at % 5 > 0 {
                found = found.new_side(Fragment::of_field("Tensor", None));
            }
            if at % 7 == 0 {
                std::mem::swap(&mut found.impacts.breaks, &mut found.impacts.risks);
            }
            let mut told = change(&found, None, None);
            if at % 2 == 0 {
                told.level = "none";
                told.base_mark = Some([at, 2]);
                told.confidence = Some(77);
            }
            if at % 11 == 0 {
                let [line, column, end_line, end_column] = [1, 20, 300, 4000];
                told.head_span = Some(Span {
                    line,
                    column,
                    end_line,
                    end_column,
                });
                told.exception = Some(Excuse {
                    id: "e".to_owned(),
                    holds: true,
                    status: "active",
                    reason: "\",\"old\":".to_owned(),
                    owner: None,
                    until: None,
                });
            }
            let mut text = b"x".to_vec();
            texts.push(&mut text, &told);
            let text = String::from_utf8_lossy(&text[1..]);
            assert_eq!(text, String::from_utf8_lossy(&json::json(&told)));
        }
    }
}
