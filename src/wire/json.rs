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

/// The text of an object around its lists of these keys, which are empty in it: what stands before the
/// first one, between them, and behind the last. `None` where it was cut off for its size, or has no such
/// lists in this order. In valid JSON only a key is followed by a colon, so a place is found: the first of
/// its key.
pub(crate) fn around<const LISTS: usize>(
    object: &impl Serialize,
    keys: [&str; LISTS],
) -> Option<Vec<Vec<u8>>> {
    let object = json(object);
    let mut parts = Vec::with_capacity(LISTS + 1);
    let mut from = 0;
    for key in keys {
        let empty = format!("\"{key}\":[]");
        let at = memchr::memmem::find(&object, empty.as_bytes())? + empty.len() - 1;
        parts.push(object.get(from..at)?.to_vec());
        from = at;
    }
    parts.push(object.get(from..)?.to_vec());
    (object.len() <= LARGEST_ANSWER).then_some(parts)
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
        let parts = around(&object, ["cells", "changes"]).unwrap();
        let lists = ["1,{\"cells\":[]}", "\"]\"", ""];
        let with: Vec<u8> = parts
            .iter()
            .zip(lists)
            .flat_map(|(part, list)| [part, list.as_bytes()].concat())
            .collect();
        let mut expected = object.clone();
        expected["cells"] = value!([1, {"cells": []}]);
        expected["changes"] = value!(["]"]);
        assert_eq!(serde_json::from_slice::<Value>(&with).unwrap(), expected);
        assert_eq!(parts.concat(), json(&object));
        assert_eq!(around(&object, ["changes", "cells"]), None);
        assert_eq!(around(&object, ["none"]), None);
    }

    #[test]
    fn too_long_an_object_has_no_places() {
        let object = value!({"list": [], "more": "x".repeat(LARGEST_ANSWER)});
        assert_eq!(around(&object, ["list"]), None);
    }
}
