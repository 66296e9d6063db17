//! Encodes lists of row ids as differences in zigzag LEB128: consecutive ids take one byte each.

pub(crate) fn encode(ids: &[i64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(ids.len() + 8);
    let mut before = 0i64;
    for &id in ids {
        let step = id.wrapping_sub(before);
        let mut rest = (step.cast_unsigned() << 1) ^ (step >> 63).cast_unsigned();
        while rest >= 0x80 {
            out.push(low_bits(rest) | 0x80);
            rest >>= 7;
        }
        out.push(low_bits(rest));
        before = id;
    }
    out
}

pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<i64>> {
    let mut ids = Vec::with_capacity(bytes.len());
    let (mut before, mut value, mut shift) = (0i64, 0u64, 0u32);
    for &byte in bytes {
        if shift > 63 || (shift == 63 && byte > 1) {
            return None;
        }
        value |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let step = (value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg();
            before = before.wrapping_add(step);
            ids.push(before);
            (value, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(ids)
}

fn low_bits(value: u64) -> u8 {
    (value & 0x7F) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_in_sequence_take_a_byte_each() {
        let ids: Vec<i64> = (5000..5024).collect();
        assert_eq!(encode(&ids).len(), 25);
        assert_eq!(decode(&[]), Some(vec![]));
        assert_eq!(decode(&[0x80]), None);
        assert_eq!(decode(&[0xFF; 11]), None);
    }

    proptest! {
        #[test]
        fn lists_come_back(ids in prop::collection::vec(any::<i64>(), 0..50)) {
            prop_assert_eq!(decode(&encode(&ids)), Some(ids));
        }

        #[test]
        fn any_bytes_are_a_list_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            let _ = decode(&bytes);
        }
    }
}
