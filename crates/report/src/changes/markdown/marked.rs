//! A schema as code, with changes in bold.

use crate::escape::code;
use opatlas_diff::Fragment;
use opatlas_source::Span;

pub(super) fn schema(schema: &str, marks: &[Span]) -> String {
    let marks = merged(marks, schema);
    let mut out = String::with_capacity(schema.len() + 16);
    let mut at = 0;
    let plain = |out: &mut String, text: &str| {
        if !text.is_empty() {
            out.push_str(&code(text));
        }
    };
    for (start, end) in marks {
        plain(&mut out, &schema[at..start]);
        out.push_str("**");
        plain(&mut out, &schema[start..end]);
        out.push_str("**");
        at = end;
    }
    plain(&mut out, &schema[at..]);
    out
}

/// The part of a fragment that the other side lacks, in whole words; `None` if nothing was added.
pub(super) fn difference(own: &Fragment, other: &Fragment) -> Option<Span> {
    let mark = own.mark?;
    let (words, others) = (words(&own.text), words(&other.text));
    let is_alike = |(a, b): &(&&str, &&str)| a == b;
    let front = words.iter().zip(&others).take_while(is_alike).count();
    let rest = words.len().min(others.len()) - front;
    let back = words.iter().rev().zip(others.iter().rev());
    let back = back.take(rest).take_while(is_alike).count();
    let length = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let offset = |words: &[&str]| u32::try_from(length(words)).unwrap_or(u32::MAX);
    let start = mark.start.saturating_add(offset(&words[..front]));
    let end = mark
        .start
        .saturating_add(offset(&words[..words.len() - back]));
    (start < end).then(|| Span::new(start, end))
}

/// Splits a text into words and single other characters.
fn words(text: &str) -> Vec<&str> {
    let is_letter = |c: char| c == '_' || c.is_alphanumeric();
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match rest.find(|c| !is_letter(c)) {
            Some(0) => first.len_utf8(),
            Some(length) => length,
            None => rest.len(),
        };
        let (word, more) = rest.split_at(length);
        words.push(word);
        rest = more;
    }
    words
}

/// Sorted marks, with adjacent ones merged. A mark of the whole text is dropped.
fn merged(marks: &[Span], text: &str) -> Vec<(usize, usize)> {
    let mut marks: Vec<(usize, usize)> = marks
        .iter()
        .map(|mark| (mark.start as usize, (mark.end as usize).min(text.len())))
        .filter(|&(start, end)| {
            start < end && text.is_char_boundary(start) && text.is_char_boundary(end)
        })
        .collect();
    marks.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (start, end) in marks {
        match merged.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged.retain(|&mark| mark != (0, text.len()));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_diff::Part;

    #[test]
    fn marks_stand_out_and_code_stays_code() {
        let shown = |marks: &[(u32, u32)]| {
            let marks: Vec<Span> = marks.iter().map(|&(a, b)| Span::new(a, b)).collect();
            schema("f(Tensor a, int b)", &marks)
        };
        assert_eq!(shown(&[]), "`f(Tensor a, int b)`");
        assert_eq!(shown(&[(12, 17)]), "`f(Tensor a, `**`int b`**`)`");
        let two = "`f(`**`Tensor a`**`, `**`int b`**`)`";
        assert_eq!(shown(&[(12, 17), (2, 10)]), two);
        assert_eq!(shown(&[(0, 18)]), "`f(Tensor a, int b)`");
        assert_eq!(shown(&[(90, 99)]), "`f(Tensor a, int b)`");
    }

    #[test]
    fn only_what_differs_is_marked() {
        let fragment = |text: &str| {
            let end = u32::try_from(text.len()).unwrap();
            Fragment::of_schema(text, Part::Argument(0), Some(Span::new(0, end)))
        };
        let differs = |own: &str, other: &str| {
            let span = difference(&fragment(own), &fragment(other))?;
            Some(span.slice(own).to_owned())
        };
        assert_eq!(
            differs("ScalarType from", "ScalarType from_").unwrap(),
            "from"
        );
        assert_eq!(differs("int[2] x=0", "int[2] x").unwrap(), "=0");
        assert_eq!(differs("int x", "int x=0"), None);
        assert_eq!(differs("SymInt[] x", "int[] x").unwrap(), "SymInt");
    }
}
