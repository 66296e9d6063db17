//! Constructs scalars like PyYAML's SafeConstructor, to find values it rejects and equal keys.

use super::scalar::ScalarType;

/// Python 3.11 rejects decimal integers with more digits.
const MOST_DIGITS: usize = 4300;

/// A constructed scalar that compares as in Python: `1 == 1.0 == True`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Constructed<'t> {
    Null,
    Int(i128),
    /// Sign, base, and digits of an integer that does not fit.
    Huge(bool, u32, String),
    /// The bits; never an integer that fits.
    Float(u64),
    Str(&'t str),
    Bytes(Vec<u8>),
    /// Days.
    Date(i64),
    /// Microseconds, without a time zone.
    Naive(i64),
    /// Microseconds, in UTC.
    Instant(i64),
}

/// `None` if the loader fails.
pub(super) fn construct(ty: ScalarType, value: &str) -> Option<Constructed<'_>> {
    match ty {
        ScalarType::Str => Some(Constructed::Str(value)),
        ScalarType::Null => Some(Constructed::Null),
        ScalarType::Bool(value) => Some(Constructed::Int(i128::from(value))),
        ScalarType::Int => int(value),
        ScalarType::Float => float(value),
        ScalarType::Binary => base64(value).map(Constructed::Bytes),
        ScalarType::Timestamp => timestamp(value),
        ScalarType::Merge | ScalarType::Value => None,
    }
}

pub(super) fn bool_value(value: &str) -> Option<bool> {
    match value.to_lowercase().as_str() {
        "yes" | "true" | "on" => Some(true),
        "no" | "false" | "off" => Some(false),
        _ => None,
    }
}

/// PyYAML: SafeConstructor.construct_yaml_int.
fn int(value: &str) -> Option<Constructed<'static>> {
    let value = value.replace('_', "");
    let negative = value.starts_with('-');
    let digits = value.strip_prefix(['-', '+']).unwrap_or(&value);
    if digits == "0" {
        return Some(Constructed::Int(0));
    }
    if let Some(digits) = digits.strip_prefix("0b") {
        return python_int(digits, 2, negative);
    }
    if let Some(digits) = digits.strip_prefix("0x") {
        return python_int(digits, 16, negative);
    }
    if digits.starts_with('0') {
        return python_int(digits, 8, negative);
    }
    if !digits.contains(':') {
        return python_int(digits, 10, negative);
    }
    let mut sum = 0i128;
    for part in digits.split(':') {
        let Constructed::Int(part) = python_int(part, 10, false)? else {
            return Some(Constructed::Huge(negative, 60, digits.to_owned()));
        };
        match sum.checked_mul(60).and_then(|sum| sum.checked_add(part)) {
            Some(more) => sum = more,
            None => return Some(Constructed::Huge(negative, 60, digits.to_owned())),
        }
    }
    Some(Constructed::Int(if negative { -sum } else { sum }))
}

fn python_int(text: &str, base: u32, negative: bool) -> Option<Constructed<'static>> {
    let text = text.trim();
    let minus = text.starts_with('-');
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let prefix = match base {
        2 => digits
            .strip_prefix(['0'])
            .and_then(|rest| rest.strip_prefix(['b', 'B'])),
        8 => digits
            .strip_prefix(['0'])
            .and_then(|rest| rest.strip_prefix(['o', 'O'])),
        16 => digits
            .strip_prefix(['0'])
            .and_then(|rest| rest.strip_prefix(['x', 'X'])),
        _ => None,
    };
    let digits = prefix.unwrap_or(digits);
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
    if !valid || base == 10 && digits.len() > MOST_DIGITS {
        return None;
    }
    let negative = negative != minus;
    Some(match i128::from_str_radix(digits, base) {
        Ok(number) if negative => Constructed::Int(-number),
        Ok(number) => Constructed::Int(number),
        Err(_) => Constructed::Huge(
            negative,
            base,
            digits.trim_start_matches('0').to_lowercase(),
        ),
    })
}

/// PyYAML: SafeConstructor.construct_yaml_float.
fn float(value: &str) -> Option<Constructed<'static>> {
    let value = value.replace('_', "").to_lowercase();
    if value.is_empty() {
        return None;
    }
    let negative = value.starts_with('-');
    let digits = value.strip_prefix(['-', '+']).unwrap_or(&value);
    let number = match digits {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        _ => {
            let mut sum = 0.0;
            for part in digits.split(':') {
                sum = sum * 60.0 + part.trim().parse::<f64>().ok()?;
            }
            sum
        }
    };
    let number = if negative { -number } else { number };
    // Floats up to here are exact integers.
    let limit = 2f64.powi(126);
    Some(if number.fract() == 0.0 && number.abs() < limit {
        Constructed::Int(number as i128)
    } else if number.is_nan() {
        Constructed::Float(f64::NAN.to_bits())
    } else {
        Constructed::Float(number.to_bits())
    })
}

/// Python's `base64.decodebytes`, which skips characters outside the alphabet.
fn base64(value: &str) -> Option<Vec<u8>> {
    if !value.is_ascii() {
        return None;
    }
    let mut bytes = Vec::with_capacity(value.len() / 4 * 3);
    let (mut quad, mut left, mut pads) = (0u8, 0u8, 0u8);
    for byte in value.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                pads = if quad >= 2 { pads + 1 } else { pads };
                if quad >= 2 && quad + pads >= 4 {
                    return Some(bytes);
                }
                continue;
            }
            _ => continue,
        };
        pads = 0;
        match quad {
            0 => left = six,
            1 => {
                bytes.push(left << 2 | six >> 4);
                left = six & 0xF;
            }
            2 => {
                bytes.push(left << 4 | six >> 2);
                left = six & 3;
            }
            _ => bytes.push(left << 6 | six),
        }
        quad = (quad + 1) % 4;
    }
    (quad == 0).then_some(bytes)
}

/// PyYAML: SafeConstructor.construct_yaml_timestamp.
fn timestamp(value: &str) -> Option<Constructed<'static>> {
    let value = value.strip_suffix('\n').unwrap_or(value);
    let end = value.find(['T', 't', ' ', '\t']).unwrap_or(value.len());
    let mut parts = value[..end].split('-');
    let year = number(parts.next()?, 4, 4)?;
    let month = number(parts.next()?, 1, 2)?;
    let day = number(parts.next()?, 1, 2)?;
    if parts.next().is_some() {
        return None;
    }
    let days = day_number(year, month, day)?;
    if end == value.len() {
        return Some(Constructed::Date(days));
    }
    let separator = value[end..]
        .chars()
        .take_while(|char| matches!(char, ' ' | '\t'))
        .count();
    let time = &value[end + separator.max(1)..];
    let length = time
        .find(|char: char| !matches!(char, '0'..='9' | ':' | '.'))
        .unwrap_or(time.len());
    let micros = days * 86_400_000_000 + time_of_day(&time[..length])?;
    let zone = time[length..].trim_start_matches([' ', '\t']);
    if zone.is_empty() {
        return (length == time.len()).then_some(Constructed::Naive(micros));
    }
    Some(Constructed::Instant(micros - zone_offset(zone)?))
}

fn number(text: &str, least: usize, most: usize) -> Option<i64> {
    let fits =
        (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

/// Days since year 0 in the proleptic Gregorian calendar; `None` if the day does not exist.
fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [
        31,
        28 + i64::from(leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let before = usize::try_from(month - 1).ok()?;
    let length = *lengths.get(before)?;
    if year == 0 || !(1..=length).contains(&day) {
        return None;
    }
    let past = year - 1;
    let years = past * 365 + past / 4 - past / 100 + past / 400;
    Some(years + lengths[..before].iter().sum::<i64>() + day)
}

/// `hours:minutes:seconds.fraction` in microseconds.
fn time_of_day(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 1, 2)?;
    let minute = number(parts.next()?, 2, 2)?;
    let second = number(parts.next()?, 2, 2)?;
    let exists = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    if !exists || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let micros: i64 = format!("{fraction:0<6}")[..6].parse().ok()?;
    Some(((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

/// Microseconds from UTC.
fn zone_offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'-' => -1,
        b'+' => 1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "00"));
    let minutes = number(hours, 1, 2)? * 60 + number(minutes, 2, 2)?;
    (minutes < 24 * 60).then_some(sign * minutes * 60_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::resolve;

    fn plain(value: &str) -> Option<Constructed<'_>> {
        construct(resolve(value), value)
    }

    #[test]
    fn keys_are_equal_as_python_has_it() {
        let equal = [
            "1|01|0x1|0b1|1.0|+1|true|on|0_1|1.e+0",
            "0|-0|0.0|-0.0|no|0_|00",
            "60|1:0|0b111100|6_0.|1:0.",
            ".nan|.NaN|.NAN",
            "~|null|",
            "2001-12-14 01:00:00 +1|2001-12-14t00:00:00Z|2001-12-13 23:59:00.0 -0:01",
        ];
        for group in equal {
            let first = plain(group.split('|').next().unwrap_or(""));
            assert!(first.is_some(), "{group}");
            for value in group.split('|') {
                assert_eq!(plain(value), first, "{value}");
            }
        }
        let apart = [
            "1",
            "'1'",
            "2001-12-14",
            "2001-12-14 00:00:00",
            "2001-12-14 00:00:00Z",
            ".inf",
            "-.inf",
            "a",
        ];
        for (number, one) in apart.iter().enumerate() {
            for other in &apart[..number] {
                assert_ne!(plain(one), plain(other));
            }
        }
    }

    #[test]
    fn what_looks_typed_but_is_nothing_fails() {
        let nothing = [
            "0b_",
            "0x_",
            "2001-02-29",
            "2001-13-01",
            "0000-01-01",
            "2001-12-14 24:00:00",
            "2001-12-14 01:60:00",
            "2001-12-14 01:00:00 +24",
        ];
        for value in nothing {
            assert_eq!(plain(value), None, "{value}");
        }
        assert_eq!(plain(&"9".repeat(4301)), None);
        assert!(plain(&"9".repeat(4300)).is_some());
    }

    #[test]
    fn base64_passes_over_what_is_not_of_it() {
        assert_eq!(base64("cXVveA=="), Some(b"quox".to_vec()));
        assert_eq!(base64("cX-Vv\neA=="), Some(b"quox".to_vec()));
        assert_eq!(base64("cXVv=eA"), None);
        assert_eq!(base64("c"), None);
        assert_eq!(base64("é"), None);
    }
}
