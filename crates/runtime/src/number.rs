//! Number literals as in C: their length (`strtod` in the lexer), and their value by `std::stod`
//! and `std::stoll`, which may be another number.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    /// No digit at the start.
    NoDigits,
    /// Too large, or so small that digits are lost.
    OutOfRange,
}

/// Length of the number at the start of `bytes`: a decimal or hexadecimal float without sign, and
/// an optional `j`; 0 if there is none.
pub(super) fn literal_len(bytes: &[u8]) -> usize {
    match float_len(bytes) {
        0 => 0,
        len if bytes.get(len) == Some(&b'j') => len + 1,
        len => len,
    }
}

/// `std::stod`: the float at the start of `text`.
pub(super) fn float(text: &str) -> Result<f64, NumberError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let len = float_len(digits.as_bytes());
    let digits = match digits.get(..len) {
        None | Some("") => return Err(NumberError::NoDigits),
        Some(digits) => digits,
    };
    let value = match digits.as_bytes() {
        [b'0', b'x' | b'X', hex @ ..] => hexadecimal(hex),
        _ => decimal(digits),
    }?;
    Ok(if negative { -value } else { value })
}

/// `std::stoll`: the decimal integer at the start of `text`.
pub(super) fn integer(text: &str) -> Result<i64, NumberError> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(NumberError::NoDigits);
    }
    let end = text.len() - unsigned.len() + digits;
    let number = text.get(..end).unwrap_or("");
    number.parse().map_err(|_| NumberError::OutOfRange)
}

fn float_len(bytes: &[u8]) -> usize {
    if let [b'0', b'x' | b'X', rest @ ..] = bytes {
        let mantissa = mantissa_len(rest, u8::is_ascii_hexdigit);
        if mantissa > 0 {
            let len = 2 + mantissa;
            return len + exponent_len(bytes.get(len..).unwrap_or_default(), b'p');
        }
    }
    match mantissa_len(bytes, u8::is_ascii_digit) {
        0 => 0,
        len => len + exponent_len(bytes.get(len..).unwrap_or_default(), b'e'),
    }
}

/// Digits with at most one point; 0 without a digit.
fn mantissa_len(bytes: &[u8], is_digit: fn(&u8) -> bool) -> usize {
    let whole = bytes.iter().take_while(|&byte| is_digit(byte)).count();
    let Some((b'.', rest)) = bytes.get(whole..).unwrap_or_default().split_first() else {
        return whole;
    };
    let part = rest.iter().take_while(|&byte| is_digit(byte)).count();
    if whole + part == 0 {
        0
    } else {
        whole + 1 + part
    }
}

/// `e` or `p` in either case, an optional sign, decimal digits; 0 without an exponent.
fn exponent_len(bytes: &[u8], letter: u8) -> usize {
    let rest = match bytes.split_first() {
        Some((first, rest)) if first.to_ascii_lowercase() == letter => rest,
        _ => return 0,
    };
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let digits = rest.get(sign..).unwrap_or_default();
    match digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
    {
        0 => 0,
        count => 1 + sign + count,
    }
}

fn decimal(digits: &str) -> Result<f64, NumberError> {
    let value: f64 = digits.parse().map_err(|_| NumberError::NoDigits)?;
    let mantissa = digits.split(['e', 'E']).next().unwrap_or("");
    let is_zero = !mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    // Decimal texts have no exact subnormal value, so the C library reports an underflow.
    if value.is_normal() || is_zero {
        Ok(value)
    } else {
        Err(NumberError::OutOfRange)
    }
}

fn hexadecimal(hex: &[u8]) -> Result<f64, NumberError> {
    let mantissa_len = mantissa_len(hex, u8::is_ascii_hexdigit);
    let (mantissa, exponent) = hex.split_at_checked(mantissa_len).unwrap_or((hex, b""));
    let (bits, mut scale) = hexadecimal_mantissa(mantissa);
    if bits == 0 {
        return Ok(0.0);
    }
    if let Some(exponent) = exponent.get(1..) {
        let text = std::str::from_utf8(exponent).unwrap_or("0");
        let negative = text.starts_with('-');
        let far = if negative { -100_000 } else { 100_000 };
        let exponent: i64 = text.parse().unwrap_or(far);
        scale = scale.saturating_add(exponent.clamp(-100_000, 100_000));
    }
    let value = scaled(bits, scale);
    if value == 0.0 || value.is_infinite() {
        return Err(NumberError::OutOfRange);
    }
    Ok(value)
}

/// The digits as an integer and a power of two. Digits beyond 128 bits only set the lowest bit,
/// which is enough for correct rounding.
fn hexadecimal_mantissa(mantissa: &[u8]) -> (u128, i64) {
    let (mut bits, mut scale, mut after_point) = (0_u128, 0_i64, false);
    for &byte in mantissa {
        let Some(digit) = char::from(byte).to_digit(16) else {
            after_point = true;
            continue;
        };
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if after_point { 4 } else { 0 };
        } else {
            bits |= u128::from(digit != 0);
            scale += if after_point { 0 } else { 4 };
        }
    }
    (bits, scale)
}

fn scaled(bits: u128, scale: i64) -> f64 {
    let mut value = bits as f64;
    let mut left = scale;
    // Each step is exact until the result leaves the normal range.
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-1000, 1000);
        value *= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_end_where_strtod_stops() {
        for (text, len) in [
            ("12]", 2),
            (".5x", 2),
            ("5.", 2),
            (".", 0),
            ("...", 0),
            ("1e5j", 4),
            ("1e+", 1),
            ("0x", 1),
            ("0x.8p1", 6),
            ("0xg", 1),
            ("1_0", 1),
        ] {
            assert_eq!(literal_len(text.as_bytes()), len, "{text}");
        }
    }

    #[test]
    fn the_two_readings_differ_on_hexadecimal_text() {
        assert_eq!((integer("0x10"), float("0x10")), (Ok(0), Ok(16.0)));
        assert_eq!(float("0x1.8p3"), Ok(12.0));
        assert_eq!(
            float("0xABCDEF0123456789ABCDEFp-10"),
            Ok(2.028_308_682_977_627e23)
        );
        assert_eq!(integer("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer("9223372036854775808"), Err(NumberError::OutOfRange));
        assert_eq!(float("1e"), Ok(1.0));
        assert_eq!(float("-"), Err(NumberError::NoDigits));
        for out_of_range in ["1e999", "4.9e-324", "1e-400", "0x1p5000", "0x1p-5000"] {
            assert_eq!(float(out_of_range), Err(NumberError::OutOfRange));
        }
        assert_eq!(float("0.0e-999"), Ok(0.0));
    }
}
