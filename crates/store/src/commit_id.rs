//! Recognizes whole and abbreviated commit ids.

/// The minimum number of hexadecimal digits in an abbreviated id of a commit.
pub const MIN_COMMIT: usize = 7;
/// Lengths of a whole id: SHA-1, and SHA-256 (also a digest).
const WHOLE: [usize; 2] = [40, 64];

/// Whether a text can be an abbreviated commit id: [`MIN_COMMIT`] to 64 hexadecimal digits in
/// either case.
#[must_use]
pub fn is_commit_prefix(text: &str) -> bool {
    (MIN_COMMIT..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a text looks like a commit id or a digest to people: 40 or 64 hexadecimal digits, or at
/// least [`MIN_COMMIT`] with a letter among them. A date such as `20260101` does not.
pub(super) fn looks_like_commit(text: &str) -> bool {
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_hexadecimal && (WHOLE.contains(&text.len()) || text.len() >= MIN_COMMIT && has_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_has_seven_digits_or_more() {
        assert!(is_commit_prefix("0123abc") && is_commit_prefix(&"A".repeat(40)));
        for text in ["0123ab", "2.9.0", "main", "0123abg", &"a".repeat(65)] {
            assert!(!is_commit_prefix(text), "{text}");
        }
    }

    #[test]
    fn long_numbers_and_hexadecimal_digits_with_letters_look_like_commits() {
        for digits in [7, 8, 12, 39, 40, 63, 64, 65, 128] {
            for text in ["c".repeat(digits), format!("{}F", "0".repeat(digits - 1))] {
                assert!(looks_like_commit(&text), "{text}");
            }
        }
        assert!(
            [40, 64]
                .iter()
                .all(|digits| looks_like_commit(&"1".repeat(*digits)))
        );
        let long = "1".repeat(41);
        for text in [
            "20260101", "1234567", "facade", "c0ffee-1", "2.9.0", "g0ffee1", &long,
        ] {
            assert!(!looks_like_commit(text), "{text}");
        }
    }
}
