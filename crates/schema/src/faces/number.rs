//! Numbers as Python prints them. torchgen passes the defaults of Python signatures through `int`
//! and `float`, so `1e-5` becomes `1e-05` (`pythonify_default`).

/// Includes leading spaces.
pub(super) fn may_start(c: char) -> bool {
    c.is_ascii_digit() || c.is_whitespace() || matches!(c, '+' | '-' | '.' | 'i' | 'I' | 'n' | 'N')
}

/// What Python prints for `int(text)` or `float(text)`; `None` if both fail.
pub(super) fn printed(text: &str) -> Option<String> {
    let trimmed = text.trim();
    integer(trimmed).or_else(|| float(trimmed))
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Removes underscores, which may only stand between two digits.
fn digits(text: &str) -> Option<String> {
    let between = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split('_').all(between).then(|| text.replace('_', ""))
}

fn integer(text: &str) -> Option<String> {
    /// The maximum number of digits that Python parses as an integer.
    const MOST_DIGITS: usize = 4300;
    let (negative, rest) = sign(text);
    let digits = digits(rest).filter(|digits| digits.len() <= MOST_DIGITS)?;
    let value = digits.trim_start_matches('0');
    Some(match (value, negative) {
        ("", _) => "0".to_owned(),
        (value, true) => format!("-{value}"),
        (value, false) => value.to_owned(),
    })
}

fn float(text: &str) -> Option<String> {
    let (negative, rest) = sign(text);
    let minus = if negative { "-" } else { "" };
    if rest.eq_ignore_ascii_case("nan") {
        return Some("nan".to_owned());
    }
    if rest.eq_ignore_ascii_case("inf") || rest.eq_ignore_ascii_case("infinity") {
        return Some(format!("{minus}inf"));
    }
    let value: f64 = decimal(rest)?.parse().ok()?;
    if value.is_infinite() {
        return Some(format!("{minus}inf"));
    }
    Some(format!("{minus}{}", shortest(value)))
}

/// A decimal float literal without underscores; `None` if Python rejects it.
fn decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let part = |text: &str| match text {
        "" => Some(String::new()),
        text => digits(text),
    };
    let (whole, fraction) = (part(whole)?, part(fraction)?);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match exponent {
        None => String::from("0"),
        Some(text) => {
            let (negative, rest) = sign(text);
            format!("{}{}", if negative { "-" } else { "" }, digits(rest)?)
        }
    };
    Some(format!("{whole}.{fraction}e{exponent}"))
}

/// The shortest round-trip digits, with an exponent below 1e-4 and from 1e16.
fn shortest(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(power @ -4..16) => {
            let plain = format!("{value}");
            if power >= 0 && !plain.contains('.') {
                format!("{plain}.0")
            } else {
                plain
            }
        }
        Ok(power) => {
            let minus = if power < 0 { '-' } else { '+' };
            format!("{mantissa}e{minus}{:02}", power.unsigned_abs())
        }
        Err(_) => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn as_python_prints_them() {
        for (text, want) in [
            ("0", Some("0")),
            ("-0", Some("0")),
            ("007", Some("7")),
            ("1_000", Some("1000")),
            ("1__0", None),
            ("0.5", Some("0.5")),
            (".5", Some("0.5")),
            ("5.", Some("5.0")),
            ("-0.0", Some("-0.0")),
            ("1e-5", Some("1e-05")),
            ("0.0001", Some("0.0001")),
            ("0.00001234", Some("1.234e-05")),
            ("1e15", Some("1000000000000000.0")),
            ("1e16", Some("1e+16")),
            ("1.5E300", Some("1.5e+300")),
            ("1e400", Some("inf")),
            ("-Infinity", Some("-inf")),
            ("0.30000000000000004", Some("0.30000000000000004")),
            ("True", None),
            ("", None),
            (".", None),
            ("at::kLong", None),
        ] {
            assert_eq!(printed(text).as_deref(), want, "{text}");
        }
    }
}
