//! How answers are serialized.

use std::cell::Cell;
use std::io;

use serde::Serialize;

mod inside;
mod written;

use crate::service::LARGEST_ANSWER;

/// Serializes an answer. Ours have string keys only, so it cannot fail. One that is larger than
/// answers may be ends just beyond that, and is refused for its size where answers are counted.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut buffer = BUFFER.take();
    buffer.clear();
    let mut answer = Capped(buffer);
    // What is cut off is refused, as said above.
    let _ = written::to_writer(&mut answer, value);
    if answer.0.capacity() > KEPT_BUFFER {
        return answer.0;
    }
    let exact = answer.0.as_slice().to_vec();
    BUFFER.set(answer.0);
    exact
}

/// Appends a value. Writing to memory does not fail, and ours have string keys only.
pub(crate) fn push(text: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = written::to_writer(text, value);
}

/// The text of an object whose lists of some keys are empty, and where those stand in it.
#[derive(Debug)]
pub struct Around<const LISTS: usize> {
    text: Vec<u8>,
    lists: [usize; LISTS],
}

impl<const LISTS: usize> Around<LISTS> {
    /// Writes an object into so many bytes, or more. `None` where it was cut off for its size, or has no such
    /// lists in this order. In valid JSON only a key is followed by a colon, so a place is found: the first of
    /// its key.
    pub(crate) fn of(object: &impl Serialize, keys: [&str; LISTS], room: usize) -> Option<Self> {
        let mut text = Vec::with_capacity(room);
        push_capped(&mut text, object)?;
        let (mut lists, mut from) = ([0; LISTS], 0);
        for (place, key) in lists.iter_mut().zip(keys) {
            from += inside(&text[from..], key)?;
            *place = from;
        }
        Some(Self { text, lists })
    }

    /// What stands between the list of this number and the next one, or the end.
    pub(crate) fn behind(&self, list: usize) -> &[u8] {
        let to = self.lists.get(list + 1).copied();
        &self.text[self.lists[list]..to.unwrap_or(self.text.len())]
    }
}

/// Appends the text of an object up to the inside of its list of this key, which is empty in it. `None` where that was
/// cut off for its size, or has no such list.
pub(crate) fn push_before(text: &mut Vec<u8>, object: &impl Serialize, key: &str) -> Option<()> {
    let from = text.len();
    push_capped(text, object)?;
    let inside = inside(&text[from..], key)?;
    text.truncate(from + inside);
    Some(())
}

/// Appends a value, unless the text becomes larger than answers may be.
fn push_capped(text: &mut Vec<u8>, value: &impl Serialize) -> Option<()> {
    let mut answer = Capped(std::mem::take(text));
    let _ = written::to_writer(&mut answer, value);
    *text = answer.0;
    (text.len() <= LARGEST_ANSWER).then_some(())
}

/// Where the empty list of this key has its inside.
fn inside(object: &[u8], key: &str) -> Option<usize> {
    let empty = format!("\"{key}\":[]");
    let at = memchr::memmem::find(object, empty.as_bytes())?;
    Some(at + empty.len() - 1)
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
    use serde_json::{Value, json as value};

    use super::*;

    #[test]
    fn lists_have_their_places() {
        let object = value!({
            "cells\":[]": "\"cells\":[]",
            "first": {"cells": [1]},
            "cells": [],
            "changes": [],
            "last": ["cells", "\\\"cells\":[]", {"changes": []}],
        });
        let keys = ["cells", "changes"];
        let around = Around::of(&object, keys, 0).unwrap();
        let mut text = b"before ".to_vec();
        push_before(&mut text, &object, "cells").unwrap();
        assert!(text.starts_with(b"before "));
        let mut filled = text.split_off("before ".len());
        let mut empty = filled.clone();
        for (list, items) in ["1,{\"cells\":[]}", "\"]\""].into_iter().enumerate() {
            filled.extend_from_slice(items.as_bytes());
            for text in [&mut filled, &mut empty] {
                text.extend_from_slice(around.behind(list));
            }
        }
        let mut expected = object.clone();
        expected["cells"] = value!([1, {"cells": []}]);
        expected["changes"] = value!(["]"]);
        assert_eq!(serde_json::from_slice::<Value>(&filled).unwrap(), expected);
        assert_eq!(empty, json(&object));
        for keys in [["changes", "cells"], ["cells", "none"]] {
            assert!(Around::of(&object, keys, 0).is_none());
        }
        assert!(push_before(&mut text, &object, "none").is_none());
    }

    #[test]
    fn too_long_an_object_has_no_places() {
        let object = value!({"list": [], "more": "x".repeat(LARGEST_ANSWER)});
        assert!(Around::of(&object, ["list"], 0).is_none());
        assert!(push_before(&mut Vec::new(), &object, "list").is_none());
    }
}
