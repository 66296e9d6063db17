//! How answers are serialized.

use std::cell::Cell;
use std::io;

use opatlas_source::{Pair, both};
use serde::Serialize;

use crate::service::LARGEST_ANSWER;

/// Serializes an answer. Ours have string keys only, so it cannot fail. One that is larger than
/// answers may be ends just beyond that, and is refused for its size where answers are counted.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut buffer = BUFFER.take();
    buffer.clear();
    let mut answer = Capped(buffer);
    // What is cut off is refused, as said above.
    let _ = serde_json::to_writer(&mut answer, value);
    if answer.0.capacity() > KEPT_BUFFER {
        return answer.0;
    }
    let exact = answer.0.as_slice().to_vec();
    BUFFER.set(answer.0);
    exact
}

/// A list of an answer in two halves, under its key.
pub(crate) type Halves<'k, L> = (&'k str, [L; 2]);

/// Serializes an object with two lists, which are empty in the object and take their places there; the first
/// halves of both at the same time as the second. In valid JSON only a key is followed by a colon, so a
/// place is found: the first of its key.
pub(crate) fn json_in_two<O, A, B>(
    object: &O,
    (first_key, [a, b]): Halves<'_, A>,
    (second_key, [c, d]): Halves<'_, B>,
    pair: &dyn Pair,
) -> Vec<u8>
where
    O: Serialize + Sync,
    A: Serialize + Sync,
    B: Serialize + Sync,
{
    let ((object, a, c), (b, d)) = both(
        pair,
        || (json(object), json(&a), json(&c)),
        || (json(&b), json(&d)),
    );
    let place = |key: &str| {
        let empty = format!("\"{key}\":[]");
        let at = memchr::memmem::find(&object, empty.as_bytes())?;
        Some(at + empty.len() - 1)
    };
    let (Some(first), Some(second)) = (place(first_key), place(second_key)) else {
        // It was cut off for its size.
        return object;
    };
    let mut lists = [(first, inside(&a, &b)), (second, inside(&c, &d))];
    lists.sort_by_key(|(place, _)| *place);
    let [(first, one), (second, other)] = lists;
    let around = [&object[..first], &object[first..second], &object[second..]];
    let parts = [around[0]].into_iter().chain(one).chain([around[1]]);
    let parts = parts.chain(other).chain([around[2]]);
    let length = object.len() + a.len() + b.len() + c.len() + d.len();
    let mut whole = Vec::with_capacity(length.min(LARGEST_ANSWER + 1));
    for part in parts {
        let rest = (LARGEST_ANSWER + 1).saturating_sub(whole.len());
        whole.extend_from_slice(&part[..part.len().min(rest)]);
    }
    whole
}

/// What stands between the brackets of the list that two lists make.
fn inside<'l>(one: &'l [u8], other: &'l [u8]) -> [&'l [u8]; 3] {
    // Without its end where it was cut off for its size.
    let bare = |list: &'l [u8]| {
        let list = list.strip_prefix(b"[").unwrap_or(list);
        list.strip_suffix(b"]").unwrap_or(list)
    };
    let (one, other) = (bare(one), bare(other));
    let comma: &[u8] = match one.is_empty() || other.is_empty() {
        true => b"",
        false => b",",
    };
    [one, comma, other]
}

/// A buffer up to this size is used again: growing one for each answer took a tenth of the time to make
/// it. What grew larger becomes the answer itself.
const KEPT_BUFFER: usize = 128 << 10;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Memory that takes a little more than answers may have.
pub(crate) struct Capped(Vec<u8>);

/// From this size on, the buffer reserves the largest answer at once: growing copies it, with both
/// copies in memory, while reserved pages that are never written take none.
const LARGE: usize = 512 << 10;
/// Room for the last write, which may go past the limit: about one string.
const BEYOND: usize = 1 << 20;

impl Capped {
    /// Writes what does not fit into what is reserved.
    #[cold]
    fn grow(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = self.0.len();
        if length > LARGEST_ANSWER {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        if length >= LARGE {
            let rest = (LARGEST_ANSWER + BEYOND).saturating_sub(length);
            self.0.reserve_exact(bytes.len().max(rest));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    /// Serializers write a name or a mark at a time: what fits is written without another look, since no
    /// more is reserved than answers may have.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.0.capacity() - self.0.len() < bytes.len() {
            return self.grow(bytes);
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use opatlas_source::InTurn;
    use serde_json::{Value, json as value};

    use super::*;

    #[test]
    fn lists_made_apart_stand_in_their_places() {
        let object = value!({
            "cells\":[]": "\"cells\":[]",
            "first": {"cells": [1]},
            "cells": [],
            "changes": [],
            "last": ["cells", "\\\"cells\":[]", {"changes": []}],
        });
        let lists = [value!([]), value!([1, "[]", {"cells": []}]), value!(["]"])];
        let all = |a: &Value, b: &Value| {
            let both = [a, b].map(|list| list.as_array().unwrap().clone());
            Value::from(both.concat())
        };
        for (one, other) in lists
            .iter()
            .flat_map(|one| lists.iter().map(move |it| (one, it)))
        {
            let (cells, changes) = ([one, other], [other, other]);
            let made = json_in_two(&object, ("cells", cells), ("changes", changes), &InTurn);
            let mut expected = object.clone();
            expected["cells"] = all(one, other);
            expected["changes"] = all(other, other);
            assert_eq!(serde_json::from_slice::<Value>(&made).unwrap(), expected);
            assert_eq!(made, json(&expected));
            let turned = json_in_two(&object, ("changes", changes), ("cells", cells), &InTurn);
            assert_eq!(turned, made);
        }
    }

    #[test]
    fn too_long_a_list_is_cut_off() {
        let halves = ["x", "y"].map(|letter| [letter.repeat(LARGEST_ANSWER / 2 + 1)]);
        let none = [[0; 0], [0; 0]];
        let object = value!({"list": [], "none": []});
        let made = json_in_two(&object, ("list", halves), ("none", none), &InTurn);
        assert_eq!(made.len(), LARGEST_ANSWER + 1);
    }
}
