//! Parses versions such as `2.9`, `v2.9.1`, `2.10.0rc1`, `2.9.0+cu128`.

use std::cmp::Ordering;

/// A version, ordered by PEP 440; the local part (`+cu128`) is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// `2` of `2.9.1rc3`.
    pub major: u32,
    /// `9` of `2.9.1rc3`.
    pub minor: u32,
    /// `1` of `2.9.1rc3`; 0 if missing.
    pub patch: u32,
    stage: Stage,
    stage_number: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Stage {
    Dev,
    Alpha,
    Beta,
    Candidate,
    Final,
    Post,
}

impl Version {
    /// Parses `[v]MAJOR.MINOR[.PATCH][STAGE][+LOCAL]`. STAGE is `.dev`, `a`, `b`, `rc` or `.post`
    /// (also after `-` or `_`, or spelled out) and a number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let (public, local) = text
            .split_once('+')
            .map_or((text, None), |(a, b)| (a, Some(b)));
        if local.is_some_and(|local| !is_local(local)) {
            return None;
        }
        let (major, rest) = number(public)?;
        let (minor, mut rest) = number(rest.strip_prefix('.')?)?;
        let mut patch = 0;
        if let Some((value, after)) = rest.strip_prefix('.').and_then(number) {
            (patch, rest) = (value, after);
        }
        let (stage, stage_number) = stage(rest)?;
        Some(Self {
            major,
            minor,
            patch,
            stage,
            stage_number,
        })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |v: &Self| (v.major, v.minor, v.patch, v.stage, v.stage_number);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The decimal number at the start, and the rest.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

fn stage(rest: &str) -> Option<(Stage, u32)> {
    if rest.is_empty() {
        return Some((Stage::Final, 0));
    }
    let rest = rest.strip_prefix(['.', '-', '_']).unwrap_or(rest);
    let names = [
        ("dev", Stage::Dev),
        ("alpha", Stage::Alpha),
        ("beta", Stage::Beta),
        ("post", Stage::Post),
        ("rc", Stage::Candidate),
        ("a", Stage::Alpha),
        ("b", Stage::Beta),
    ];
    let found = names
        .iter()
        .find_map(|&(name, stage)| Some((rest.strip_prefix(name)?, stage)));
    let (after, stage) = found?;
    if after.is_empty() {
        return Some((stage, 0));
    }
    let (value, end) = number(after.strip_prefix('.').unwrap_or(after))?;
    end.is_empty().then_some((stage, value))
}

fn is_local(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_ordered_as_they_were_released() {
        let order = [
            "1.13.1",
            "2.0",
            "2.0.1",
            "v2.9.0.dev20250801",
            "2.9.0a0+gitabc",
            "2.9.0-rc1",
            "2.9.0rc2",
            "2.9.0+cu128",
            "2.9.0.post1",
            "2.9.1",
            "2.10",
            "3.0",
        ];
        let parsed: Vec<_> = order
            .iter()
            .map(|text| Version::parse(text).unwrap())
            .collect();
        assert!(
            parsed.windows(2).all(|pair| pair[0] < pair[1]),
            "{parsed:?}"
        );
        assert_eq!(Version::parse("2.9"), Version::parse("v2.9.0"));
    }

    #[test]
    fn other_texts_are_not_versions() {
        let others = [
            "",
            "2",
            "main",
            "2.",
            ".9",
            "2.x",
            "2.9.",
            "2.9.0.1",
            "2.9-12-gabc",
            "2.9+",
            "2.9 ",
            "2.99999999999",
            "é.1",
        ];
        for text in others {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
