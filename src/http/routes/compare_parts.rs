//! The parts of a Markdown report as they are kept: all of them as one text, and in front of it a line
//! with the length of each in bytes. So a part is a slice of what is kept.

use std::ops::Range;

/// Puts parts together.
pub(super) fn join(parts: &[String]) -> Vec<u8> {
    let lengths: Vec<String> = parts.iter().map(|part| part.len().to_string()).collect();
    let mut kept = lengths.join(" ").into_bytes();
    kept.push(b'\n');
    kept.reserve_exact(parts.iter().map(String::len).sum());
    for part in parts {
        kept.extend(part.as_bytes());
    }
    kept
}

/// Where the parts are; `None` for what [`join`] has not made.
pub(super) fn places(kept: &[u8]) -> Option<Vec<Range<usize>>> {
    let head = kept.iter().position(|&byte| byte == b'\n')?;
    let lengths = std::str::from_utf8(&kept[..head]).ok()?;
    let mut begin = head + 1;
    let mut places = Vec::new();
    for length in lengths.split_ascii_whitespace() {
        let end = begin.checked_add(length.parse().ok()?)?;
        places.push(begin..end);
        begin = end;
    }
    (begin == kept.len()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        for parts in [&[][..], &["one\n"], &["ä\n", "", "7 8\n"]] {
            let kept = join(&parts.iter().copied().map(String::from).collect::<Vec<_>>());
            let places = places(&kept).unwrap();
            let back: Vec<&[u8]> = places.into_iter().map(|place| &kept[place]).collect();
            assert_eq!(back, parts.iter().map(|p| p.as_bytes()).collect::<Vec<_>>());
        }
        for not_kept in ["", "1", "3\nab", "x\nab", "1\nab"] {
            assert_eq!(places(not_kept.as_bytes()), None, "{not_kept}");
        }
    }
}
