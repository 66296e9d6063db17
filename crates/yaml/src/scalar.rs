//! Types plain scalars like PyYAML's Resolver: `no` and `12:30` are a bool and an integer.

/// The type that PyYAML's SafeLoader gives a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `datetime.date` or `datetime.datetime`.
    Timestamp,
    /// `str`.
    Str,
    /// `bytes`, from the tag `!!binary`.
    Binary,
    /// Plain `<<`, for which the loader has no constructor.
    Merge,
    /// Plain `=`, for which the loader has no constructor.
    Value,
}

/// The type of a plain scalar without a tag.
#[must_use]
pub fn resolve(value: &str) -> ScalarType {
    let Some(&first) = value.as_bytes().first() else {
        return ScalarType::Null;
    };
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' => resolve_number(value),
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => resolve_word(value),
        b'~' if value == "~" => ScalarType::Null,
        b'<' if value == "<<" => ScalarType::Merge,
        b'=' if value == "=" => ScalarType::Value,
        _ => ScalarType::Str,
    }
}

fn resolve_word(value: &str) -> ScalarType {
    if value.len() > "false".len() {
        return ScalarType::Str;
    }
    match value {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            ScalarType::Bool(true)
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            ScalarType::Bool(false)
        }
        "null" | "Null" | "NULL" => ScalarType::Null,
        _ => ScalarType::Str,
    }
}

/// The resolver tries float, int and timestamp in this order; no text matches two of them.
fn resolve_number(value: &str) -> ScalarType {
    if is_float(value) {
        ScalarType::Float
    } else if is_int(value) {
        ScalarType::Int
    } else if is_timestamp(value) {
        ScalarType::Timestamp
    } else {
        ScalarType::Str
    }
}

struct Scan<'t>(&'t [u8]);

impl Scan<'_> {
    fn eat(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        match self.0.split_first() {
            Some((&byte, rest)) if wanted(byte) => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn byte(&mut self, wanted: u8) -> bool {
        self.eat(|byte| byte == wanted)
    }

    fn digit(&mut self) -> bool {
        self.eat(|byte| byte.is_ascii_digit())
    }

    /// Skips all matching bytes and returns their number.
    fn run(&mut self, wanted: impl Fn(u8) -> bool) -> usize {
        let count = self.0.iter().take_while(|&&byte| wanted(byte)).count();
        self.0 = &self.0[count..];
        count
    }

    fn sign(&mut self) -> bool {
        self.eat(|byte| matches!(byte, b'+' | b'-'))
    }

    fn done(&self) -> bool {
        self.0.is_empty()
    }

    /// `(?::[0-5]?[0-9])+`, then what follows it.
    fn sixties(&mut self) -> bool {
        let mut count = 0;
        while self.0.first() == Some(&b':') {
            self.byte(b':');
            let first = self.0.first().copied().unwrap_or(0);
            if !self.digit() {
                return false;
            }
            if first <= b'5' {
                self.digit();
            }
            count += 1;
        }
        count > 0
    }
}

fn digit_or_low_line(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

fn is_float(value: &str) -> bool {
    let mut scan = Scan(value.as_bytes());
    let signed = scan.sign();
    if scan.byte(b'.') {
        let rest = scan.0;
        if matches!(rest, b"inf" | b"Inf" | b"INF") {
            return true;
        }
        if signed {
            return false;
        }
        return matches!(rest, b"nan" | b"NaN" | b"NAN") || scan.digit() && fraction(scan);
    }
    if !scan.digit() {
        return false;
    }
    scan.run(digit_or_low_line);
    if scan.byte(b'.') {
        return fraction(scan);
    }
    scan.sixties() && scan.byte(b'.') && {
        scan.run(digit_or_low_line);
        scan.done()
    }
}

/// `[0-9_]*(?:[eE][-+][0-9]+)?` to the end.
fn fraction(mut scan: Scan<'_>) -> bool {
    scan.run(digit_or_low_line);
    scan.done()
        || scan.eat(|byte| matches!(byte, b'e' | b'E'))
            && scan.sign()
            && scan.run(|byte| byte.is_ascii_digit()) > 0
            && scan.done()
}

fn is_int(value: &str) -> bool {
    let mut scan = Scan(value.as_bytes());
    scan.sign();
    match scan.0 {
        b"0" => true,
        [b'0', b'b', rest @ ..] => all(rest, |byte| matches!(byte, b'0' | b'1' | b'_')),
        [b'0', b'x', rest @ ..] => all(rest, |byte| byte.is_ascii_hexdigit() || byte == b'_'),
        [b'0', rest @ ..] => all(rest, |byte| matches!(byte, b'0'..=b'7' | b'_')),
        [b'1'..=b'9', ..] => {
            scan.run(digit_or_low_line);
            scan.done() || scan.sixties() && scan.done()
        }
        _ => false,
    }
}

fn all(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| wanted(byte))
}

fn is_timestamp(value: &str) -> bool {
    let mut scan = Scan(value.as_bytes());
    let digits = |scan: &mut Scan<'_>| scan.run(|byte| byte.is_ascii_digit());
    if digits(&mut scan) != 4 || !scan.byte(b'-') {
        return false;
    }
    let month = digits(&mut scan);
    if !scan.byte(b'-') {
        return false;
    }
    let day = digits(&mut scan);
    if scan.done() {
        return month == 2 && day == 2;
    }
    matches!(month, 1 | 2) && matches!(day, 1 | 2) && is_time(scan)
}

/// `(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?` and a time zone.
fn is_time(mut scan: Scan<'_>) -> bool {
    let blank = |byte| matches!(byte, b' ' | b'\t');
    let digit = |byte: u8| byte.is_ascii_digit();
    let separated = scan.eat(|byte| matches!(byte, b'T' | b't')) || scan.run(blank) > 0;
    if !separated || !matches!(scan.run(digit), 1 | 2) {
        return false;
    }
    if !(scan.byte(b':') && scan.run(digit) == 2 && scan.byte(b':') && scan.run(digit) == 2) {
        return false;
    }
    if scan.byte(b'.') {
        scan.run(digit);
    }
    if scan.done() {
        return true;
    }
    scan.run(blank);
    if scan.byte(b'Z') {
        return scan.done();
    }
    if !scan.sign() || !matches!(scan.run(digit), 1 | 2) {
        return false;
    }
    scan.done() || scan.byte(b':') && scan.run(digit) == 2 && scan.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_have_the_types_of_yaml_1_1() {
        let cases = [
            (ScalarType::Null, "|~|null|Null|NULL"),
            (
                ScalarType::Bool(true),
                "yes|Yes|YES|true|True|TRUE|on|On|ON",
            ),
            (
                ScalarType::Bool(false),
                "no|No|NO|false|False|FALSE|off|Off|OFF",
            ),
            (
                ScalarType::Int,
                "0|017|0x1F|0b11|1_000|12:30:45|-0b_|+0_|1:2|190:20:30|-1_",
            ),
            (
                ScalarType::Float,
                "1.|1.0e+5|.5|-.inf|.NaN|1_0._5|190:20:30.15|1:2.",
            ),
            (
                ScalarType::Timestamp,
                "2001-12-14|2001-1-1 1:00:00|2001-12-14t21:59:43.10-05:00|2001-12-14 21:59:43 Z|9999-99-99",
            ),
            (
                ScalarType::Str,
                "y|n|nO|yES|1e5|0o17|089|08|-.nan|+.|.|-|+1:|1:60|1:6x|0:30|2001-1-1|0b|0x|_1|NULLX\
                 |2001-12-14 21:59:43 +05:0|2001-12-14T|a|1.0e5|1.0e+|=a|<<<|~a|..|._5|._e+3",
            ),
        ];
        for (expected, texts) in cases {
            for text in texts.split('|') {
                assert_eq!(resolve(text), expected, "{text:?}");
            }
        }
        assert_eq!(resolve("<<"), ScalarType::Merge);
        assert_eq!(resolve("="), ScalarType::Value);
    }
}
