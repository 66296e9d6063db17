//! Decodes files, within limits.

use std::borrow::Cow;

use opatlas_source::Span;

use crate::{Fault, FaultKind, LARGEST_FILE};

/// `None` if the file registers nothing, or cannot be read, which is a fault.
pub(crate) fn decode<'b>(
    bytes: &'b [u8],
    may_register: bool,
    file: u32,
    faults: &mut Vec<Fault>,
) -> Option<Cow<'b, str>> {
    let mut fault = |kind, at| faults.push(Fault { kind, file, at });
    if bytes.len() > LARGEST_FILE {
        fault(FaultKind::TooLarge, Span::at(0));
        return None;
    }
    if let Some(at) = memchr::memchr(0, bytes) {
        fault(FaultKind::Binary, place(at));
        return None;
    }
    if !may_register {
        return None;
    }
    match str::from_utf8(bytes) {
        Ok(text) => Some(Cow::Borrowed(text)),
        Err(error) => {
            fault(FaultKind::Encoding, place(error.valid_up_to()));
            Some(String::from_utf8_lossy(bytes).into_owned().into())
        }
    }
}

fn place(at: usize) -> Span {
    Span::at(u32::try_from(at).unwrap_or(u32::MAX))
}
