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

/// Serializes an object at the same time as one of its lists, which is empty in the object and takes its
/// place there. In valid JSON only a key is followed by a colon, so the place is found.
pub(crate) fn json_in_two<O, L>(object: &O, key: &str, list: &L, pair: &dyn Pair) -> Vec<u8>
where
    O: Serialize + Sync,
    L: Serialize + Sync,
{
    let (object, list) = both(pair, || json(object), || json(list));
    let place = format!("\"{key}\":[]");
    let Some(at) = memchr::memmem::rfind(&object, place.as_bytes()) else {
        // It was cut off for its size.
        return object;
    };
    let (begin, end) = (at + place.len() - "[]".len(), at + place.len());
    let length = object.len() + list.len() - "[]".len();
    let mut whole = Vec::with_capacity(length.min(LARGEST_ANSWER + 1));
    for part in [&object[..begin], &list, &object[end..]] {
        let rest = (LARGEST_ANSWER + 1).saturating_sub(whole.len());
        whole.extend_from_slice(&part[..part.len().min(rest)]);
    }
    whole
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
    fn a_list_made_apart_stands_in_its_place() {
        let object = value!({
            "cells\":[]": "\"cells\":[]",
            "first": {"cells": [1]},
            "cells": [],
            "last": ["cells", "\\\"cells\":[]"],
        });
        for list in [value!([]), value!([1, "[]", {"cells": []}])] {
            let made = json_in_two(&object, "cells", &list, &InTurn);
            let mut expected = object.clone();
            expected["cells"] = list;
            assert_eq!(serde_json::from_slice::<Value>(&made).unwrap(), expected);
            assert_eq!(made, json(&expected));
        }
    }

    #[test]
    fn too_long_a_list_is_cut_off() {
        let list = [
            "x".repeat(LARGEST_ANSWER / 2 + 1),
            "y".repeat(LARGEST_ANSWER / 2),
        ];
        let made = json_in_two(&value!({"list": []}), "list", &list, &InTurn);
        assert_eq!(made.len(), LARGEST_ANSWER + 1);
    }
}
