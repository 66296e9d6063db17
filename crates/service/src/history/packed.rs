//! Compresses the rows of a step with a dictionary of typical rows (`data/steps.txt`), because a
//! single row is short. Changing the dictionary requires a new step format.

use std::cell::RefCell;
use std::sync::LazyLock;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

use super::step::unreadable;
use opatlas_store::StoreError;

const DICTIONARY: &[u8] = include_bytes!("../../../../data/steps.txt");
/// Higher levels take longer and save nothing.
const LEVEL: i32 = 9;
/// Begins every frame; not stored.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Marks bytes that are not compressed. The byte sets a bit that is reserved in frames.
const PLAIN: u8 = 0xFF;
/// Maximum size of a row, larger than any accepted file can cause.
const LONGEST: usize = 256 << 20;

/// Preparing the dictionary takes longer than compressing a row.
static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

thread_local! {
    /// `None` if memory could not be allocated.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::with_prepared_dictionary(&ENCODER).ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
        RefCell::new(Decompressor::with_prepared_dictionary(&DECODER).ok());
}

pub(super) fn pack(plain: &[u8]) -> Vec<u8> {
    let frame = COMPRESSOR.with_borrow_mut(|it| it.as_mut()?.compress(plain).ok());
    let packed = frame.as_ref().and_then(|it| it.strip_prefix(&MAGIC));
    packed.map_or_else(|| [&[PLAIN], plain].concat(), <[u8]>::to_vec)
}

pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    if let Some((&PLAIN, plain)) = packed.split_first() {
        return Ok(plain.to_vec());
    }
    let frame = [&MAGIC, packed].concat();
    let plain = DECOMPRESSOR.with_borrow_mut(|it| Some(it.as_mut()?.decompress(&frame, LONGEST)));
    match plain {
        Some(plain) => plain.map_err(|error| unreadable(&error)),
        None => Err(unreadable(&"not enough memory to decompress it")),
    }
}

#[cfg(test)]
mod tests {
    use opatlas_source::Digest;
    use proptest::prelude::*;

    use super::*;
    use crate::history::STEP_FORMAT;

    #[test]
    fn another_dictionary_is_another_format() {
        let digest = Digest::of(DICTIONARY).to_string();
        assert_eq!((STEP_FORMAT, &digest[..16]), (12, "bfa83d53b51a1e80"));
    }

    #[test]
    fn what_was_not_packed_is_an_error() {
        let whole = pack(&DICTIONARY[..3000]);
        assert!(unpack(&[]).is_err());
        for end in 0..whole.len() {
            assert!(unpack(&whole[..end]).is_err(), "{end}");
        }
        assert!(unpack(&[&*whole, &[0]].concat()).is_err());
        assert!(unpack(b"{\"events\":[]}").is_err());
        assert_eq!(unpack(b"\xFF{}").unwrap(), b"{}");
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(
            parts in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..40),
                    (0..DICTIONARY.len() - 300, 0..300_usize)
                        .prop_map(|(from, size)| DICTIONARY[from..from + size].to_vec()),
                ],
                0..12,
            ),
        ) {
            let plain = parts.concat();
            prop_assert_eq!(unpack(&pack(&plain)).unwrap(), plain);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes);
        }
    }
}
