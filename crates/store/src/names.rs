//! Names of projects and labels, and references to revisions (`docs/spec/registry.md`, section 1).

use std::fmt;

use opatlas_source::Digest;

use super::commit_id::looks_like_commit;

/// The longest project or label name, in characters.
pub const MAX_NAME: usize = 128;
/// The minimum number of hexadecimal digits in an abbreviated digest.
pub const MIN_PREFIX: usize = 8;
/// The scheme of a digest that refers to a revision, as in `sha256:1f0c...`.
pub const DIGEST_SCHEME: &str = "sha256:";

/// The name of a project, such as `pytorch` or `acme-npu`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectName(Box<str>);

/// The name of a label, such as `2.9.0`, `main` or `pr-1234`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelName(Box<str>);

/// A whole or abbreviated digest: [`MIN_PREFIX`] to 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DigestPrefix(Box<str>);

/// A reference to a revision: `LABEL` or `sha256:HEX`. The service resolves `latest`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RevisionKey {
    /// The revision that a label names.
    Label(LabelName),
    /// The revision whose digest begins with these digits.
    Digest(DigestPrefix),
}

/// Why a text is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not a valid {kind}: {fault}")]
pub struct NameError {
    /// `project name`, `label` or `digest`.
    pub kind: &'static str,
    /// The text, truncated if it is long.
    pub shown: String,
    /// What is wrong with it.
    pub fault: NameFault,
}

/// What is wrong with a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// The name is empty.
    #[error("it is empty")]
    Empty,
    /// It is longer than [`MAX_NAME`].
    #[error("it has {0} characters; the limit is {MAX_NAME}")]
    TooLong(usize),
    /// It does not begin with a letter or a digit.
    #[error("it must start with an ASCII letter or digit, not with {0:?}")]
    Start(char),
    /// It contains a character that is not allowed.
    #[error("{0:?} is not allowed; use ASCII letters, digits, `.`, `_`, `+` and `-`")]
    Character(char),
    /// It contains `..`, the separator of ranges (`BASE...HEAD`).
    #[error("it cannot contain `..`")]
    Dots,
    /// It is reserved, or begins with a reserved word.
    #[error("`{0}` is reserved")]
    Reserved(&'static str),
    /// It looks like a commit id or a digest; see [`LabelName::looks_like_commit`].
    #[error(
        "it looks like the id of a commit or a digest and could be taken for one; use a label with \
         a character that is not a hexadecimal digit, such as `build-c0ffee1`"
    )]
    Commit,
    /// Too few or too many hexadecimal digits.
    #[error("it has {0} hexadecimal digits; use {MIN_PREFIX} to 64")]
    Digits(usize),
    /// A character that is not a hexadecimal digit.
    #[error("{0:?} is not a hexadecimal digit")]
    Hexadecimal(char),
}

impl ProjectName {
    /// Parses a project name. Fails if it breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        checked("project name", text).map(|()| Self(text.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl LabelName {
    /// Parses the name of an existing label. Accepts labels that look like commits, which earlier
    /// versions allowed. Fails if it breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        checked("label", text).map(|()| Self(text.into()))
    }

    /// Parses the name of a label to be created or moved. Fails as [`LabelName::parse`] does, or
    /// with [`NameFault::Commit`].
    pub fn parse_new(text: &str) -> Result<Self, NameError> {
        let name = Self::parse(text)?;
        if name.looks_like_commit() {
            Err(NameError::new("label", text, NameFault::Commit))
        } else {
            Ok(name)
        }
    }

    /// Whether the label looks like a commit id or a digest to people.
    #[must_use]
    pub fn looks_like_commit(&self) -> bool {
        looks_like_commit(&self.0)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl DigestPrefix {
    /// The digest, if all 64 digits are given.
    #[must_use]
    pub fn whole(&self) -> Option<Digest> {
        Digest::parse(&self.0)
    }

    /// Parses the digits after `sha256:`, in either case. Fails if there are fewer than
    /// [`MIN_PREFIX`] or more than 64, or if one is not hexadecimal.
    pub fn parse(hex: &str) -> Result<Self, NameError> {
        let fault = if let Some(odd) = hex.chars().find(|c| !c.is_ascii_hexdigit()) {
            NameFault::Hexadecimal(odd)
        } else if !(MIN_PREFIX..=64).contains(&hex.len()) {
            NameFault::Digits(hex.len())
        } else {
            return Ok(Self(hex.to_ascii_lowercase().into()));
        };
        Err(NameError::new("digest", hex, fault))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The least and the greatest digest with this prefix.
    #[must_use]
    pub fn range(&self) -> (Digest, Digest) {
        let mut bounds = [[0x00; 32], [0xFF; 32]];
        for (at, digit) in self.0.bytes().enumerate() {
            let value = if digit.is_ascii_digit() {
                digit - b'0'
            } else {
                digit - b'a' + 10
            };
            for bound in &mut bounds {
                let byte = &mut bound[at / 2];
                *byte = match at % 2 {
                    0 => value << 4 | *byte & 0x0F,
                    _ => *byte & 0xF0 | value,
                };
            }
        }
        let [least, greatest] = bounds;
        (Digest::from_bytes(least), Digest::from_bytes(greatest))
    }
}

impl From<Digest> for DigestPrefix {
    fn from(digest: Digest) -> Self {
        Self(digest.to_string().into())
    }
}

impl RevisionKey {
    /// Parses `LABEL` or `sha256:HEX`. Fails if it is neither.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text.strip_prefix(DIGEST_SCHEME) {
            Some(hex) => DigestPrefix::parse(hex).map(Self::Digest),
            None => LabelName::parse(text).map(Self::Label),
        }
    }
}

impl From<Digest> for RevisionKey {
    fn from(digest: Digest) -> Self {
        Self::Digest(digest.into())
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for LabelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for DigestPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DIGEST_SCHEME}{}", self.0)
    }
}

impl fmt::Display for RevisionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(label) => label.fmt(f),
            Self::Digest(prefix) => prefix.fmt(f),
        }
    }
}

impl NameError {
    fn new(kind: &'static str, text: &str, fault: NameFault) -> Self {
        let mut shown: String = text.chars().take(40).collect();
        if shown.len() < text.len() {
            shown.push_str("...");
        }
        Self { kind, shown, fault }
    }
}

fn checked(kind: &'static str, text: &str) -> Result<(), NameError> {
    fault(text).map_or(Ok(()), |fault| Err(NameError::new(kind, text, fault)))
}

fn fault(text: &str) -> Option<NameFault> {
    let Some(first) = text.chars().next() else {
        return Some(NameFault::Empty);
    };
    if !first.is_ascii_alphanumeric() {
        return Some(NameFault::Start(first));
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "._+-".contains(*c);
    if let Some(odd) = text.chars().find(|c| !allowed(c)) {
        return Some(NameFault::Character(odd));
    }
    if text.len() > MAX_NAME {
        return Some(NameFault::TooLong(text.len()));
    }
    if text.contains("..") {
        return Some(NameFault::Dots);
    }
    if text == "latest" {
        return Some(NameFault::Reserved("latest"));
    }
    text.starts_with("sha256")
        .then_some(NameFault::Reserved("sha256"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_grammar() {
        let long = "x".repeat(128);
        for good in [
            "2.9.0",
            "main",
            "pr-1234",
            "a",
            "v2.1+cu118",
            "Latest",
            "latest2",
            &long,
        ] {
            assert_eq!(
                LabelName::parse(good).map(|l| l.to_string()).as_deref(),
                Ok(good)
            );
            assert!(ProjectName::parse(good).is_ok(), "{good}");
        }
        let faults = [
            ("", NameFault::Empty),
            (".a", NameFault::Start('.')),
            ("-a", NameFault::Start('-')),
            ("é", NameFault::Start('é')),
            ("a/b", NameFault::Character('/')),
            ("a\n", NameFault::Character('\n')),
            ("a..b", NameFault::Dots),
            ("latest", NameFault::Reserved("latest")),
            ("sha256", NameFault::Reserved("sha256")),
            ("sha256-x", NameFault::Reserved("sha256")),
            (&format!("{long}y"), NameFault::TooLong(129)),
        ];
        for (bad, fault) in faults {
            assert_eq!(
                LabelName::parse(bad).map_err(|e| e.fault),
                Err(fault.clone()),
                "{bad:?}"
            );
            assert_eq!(
                ProjectName::parse(bad).map_err(|e| e.fault),
                Err(fault),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn a_new_label_does_not_look_like_a_commit() {
        let fault = LabelName::parse_new("C0FFEE1").map_err(|error| error.fault);
        assert_eq!(fault, Err(NameFault::Commit));
        assert!(LabelName::parse("C0FFEE1").is_ok());
        assert!(LabelName::parse_new("20260101").is_ok());
    }

    #[test]
    fn errors_name_the_text_and_the_fault() {
        let error = LabelName::parse("a b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a b` is not a valid label: ' ' is not allowed; use ASCII letters, digits, `.`, `_`, `+` and `-`"
        );
    }

    #[test]
    fn prefixes_cover_the_digests_that_begin_so() {
        let prefix = DigestPrefix::parse("ABCDEF012").unwrap();
        let (least, greatest) = prefix.range();
        assert_eq!(least.to_string(), format!("abcdef012{}", "0".repeat(55)));
        assert_eq!(greatest.to_string(), format!("abcdef012{}", "f".repeat(55)));
        let whole = Digest::of(b"x");
        assert_eq!(DigestPrefix::from(whole).range(), (whole, whole));
        let fault = |hex: &str| DigestPrefix::parse(hex).unwrap_err().fault;
        assert_eq!(fault("abcdef0"), NameFault::Digits(7));
        let long = "a".repeat(65);
        assert_eq!(fault(&long), NameFault::Digits(65));
        assert_eq!(fault("abcdefgh"), NameFault::Hexadecimal('g'));
    }

    #[test]
    fn a_key_is_a_label_or_a_digest() {
        for text in ["2.9.0", "sha256:0123abcd"] {
            assert_eq!(RevisionKey::parse(text).unwrap().to_string(), text);
        }
        assert!(RevisionKey::parse("sha256:0123").is_err());
        assert!(RevisionKey::parse("latest").is_err());
    }
}
