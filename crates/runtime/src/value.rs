//! Values of defaults: comparison by kind and value (`docs/spec/compatibility.md`, section 2.3),
//! and printing (`operator<<` of `IValue`).

use std::borrow::Cow;

/// The value of a default. Equal values have the same kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// An integer, or a word for one (`Mean`, `strided`, a dtype).
    Int(i64),
    /// A float.
    Float(f64),
    /// An imaginary number; literals have no real part.
    Imaginary(f64),
    /// The bytes of a string, with escapes resolved.
    Str(Cow<'a, [u8]>),
    /// A device.
    Device(Device),
    /// A list of integers.
    Ints(List<i64>),
    /// A list of floats.
    Floats(List<f64>),
    /// A list of imaginary numbers.
    Imaginaries(List<f64>),
    /// A list of booleans.
    Bools(List<bool>),
}

/// The values of a list. A single default of a sized list is stored once, so `int[65536] x=1` costs
/// only its text.
#[derive(Debug, Clone)]
pub enum List<T> {
    /// Individual values.
    Written(Vec<T>),
    /// One value and its count.
    Repeated(T, usize),
}

impl<T: Copy + PartialEq> List<T> {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Written(values) => values.len(),
            Self::Repeated(_, count) => *count,
        }
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let (written, repeated) = match self {
            Self::Written(values) => (values.as_slice(), None),
            Self::Repeated(value, count) => (&[][..], Some(std::iter::repeat_n(*value, *count))),
        };
        let written = written.iter().copied();
        written.chain(repeated.into_iter().flatten())
    }

    /// The common value of a list with several equal values.
    pub(super) fn repeated(&self) -> Option<T> {
        match self {
            Self::Repeated(value, count) => (*count > 1).then_some(*value),
            Self::Written(values) => {
                let (first, rest) = values.split_first()?;
                let is_same = !rest.is_empty() && rest.iter().all(|value| value == first);
                is_same.then_some(*first)
            }
        }
    }
}

impl<T: Copy + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Repeated(a, m), Self::Repeated(b, n)) => m == n && (*m == 0 || a == b),
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Value<'_> {
    /// Whether it is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(
            self,
            Self::Ints(_) | Self::Floats(_) | Self::Imaginaries(_) | Self::Bools(_)
        )
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::None => out.push_str("None"),
            Self::Bool(value) => write_bool(out, *value),
            Self::Int(value) => write_int(out, *value),
            Self::Float(value) => write_float(out, *value),
            Self::Imaginary(value) => write_imaginary(out, *value),
            Self::Str(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
            Self::Device(device) => device.write(out),
            Self::Ints(values) => write_list(out, values, write_int),
            Self::Floats(values) => write_list(out, values, write_float),
            Self::Imaginaries(values) => write_list(out, values, write_imaginary),
            Self::Bools(values) => write_list(out, values, write_bool),
        }
    }
}

/// A device as parsed by `c10::Device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    kind: &'static str,
    /// -1 for none. PyTorch keeps eight bits.
    index: i8,
}

impl Device {
    const KINDS: [&'static str; 20] = [
        "cpu",
        "cuda",
        "ipu",
        "xpu",
        "mkldnn",
        "opengl",
        "opencl",
        "ideep",
        "hip",
        "ve",
        "fpga",
        "maia",
        "xla",
        "lazy",
        "vulkan",
        "mps",
        "meta",
        "hpu",
        "mtia",
        "privateuseone",
    ];

    /// Parses `KIND` or `KIND:INDEX`; the index has no leading zeros (`c10/core/Device.cpp`).
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (kind, index) = match text.split_once(':') {
            Some((kind, index)) => (kind, Some(index)),
            None => (text, None),
        };
        let kind = Self::KINDS.into_iter().find(|&known| known == kind)?;
        let Some(digits) = index else {
            return Some(Self { kind, index: -1 });
        };
        let well_formed = digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        let number: i32 = well_formed.then(|| digits.parse().ok())??;
        let [low, ..] = number.to_le_bytes();
        Some(Self {
            kind,
            index: low.cast_signed(),
        })
    }

    fn write(self, out: &mut String) {
        out.push_str(self.kind);
        if self.index != -1 {
            out.push(':');
            write_int(out, i64::from(self.index));
        }
    }
}

/// Prints a string like `c10::printQuotedString`, which prints invalid octal escapes for bytes
/// above 127.
pub(super) fn write_quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &byte in bytes {
        let escape = match byte {
            b'\\' => '\\',
            b'\'' => '\'',
            b'"' => '"',
            0x07 => 'a',
            0x08 => 'b',
            0x0c => 'f',
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            0x0b => 'v',
            0x20..=0x7e => {
                out.push(char::from(byte));
                continue;
            }
            _ => {
                write_octal(out, byte.cast_signed());
                continue;
            }
        };
        out.push('\\');
        out.push(escape);
    }
    out.push('"');
}

fn write_octal(out: &mut String, byte: i8) {
    let digit = |value: i8| char::from(b'0'.wrapping_add_signed(value));
    out.push('\\');
    out.push(digit(byte / 8 / 8));
    out.push(digit(byte / 8 % 8));
    out.push(digit(byte % 8));
}

pub(super) fn write_int(out: &mut String, value: i64) {
    out.push_str(&value.to_string());
}

fn write_bool(out: &mut String, value: bool) {
    out.push_str(if value { "True" } else { "False" });
}

/// A whole number ends in a point; others have 17 significant digits.
fn write_float(out: &mut String, value: f64) {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if value.trunc() == value && (-LIMIT..LIMIT).contains(&value) {
        // In range, so the conversion is exact.
        write_int(out, value as i64);
        out.push('.');
    } else {
        write_shortest_of_17(out, value);
    }
}

/// `%.17g` in C.
fn write_shortest_of_17(out: &mut String, value: f64) {
    let scientific = format!("{value:.16e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        out.push_str(&scientific);
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or(0);
        out.push_str(&trimmed(&format!("{value:.decimals$}")));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = exponent.unsigned_abs();
        out.push_str(&format!("{}e{sign}{digits:02}", trimmed(mantissa)));
    }
}

fn write_imaginary(out: &mut String, value: f64) {
    out.push_str(if value >= 0.0 { "0.+" } else { "0.-" });
    write_float(out, value.abs());
    out.push('j');
}

fn write_list<T: Copy + PartialEq>(out: &mut String, values: &List<T>, write: fn(&mut String, T)) {
    out.push('[');
    for (i, value) in values.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write(out, value);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_torch_prints_them() {
        for (value, text) in [
            (1.0, "1."),
            (-0.0, "0."),
            (1e-5, "1.0000000000000001e-05"),
            (0.0001, "0.0001"),
            (123_456.789, "123456.789"),
            (1e22, "1e+22"),
            (1e18, "1000000000000000000."),
            (-2.5, "-2.5"),
            (1.0 / 3.0, "0.33333333333333331"),
            (1.5e300, "1.5000000000000001e+300"),
        ] {
            let mut out = String::new();
            write_float(&mut out, value);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn lists_are_equal_by_their_values() {
        let written = |values: &[i64]| List::Written(values.to_vec());
        assert_eq!(List::Repeated(1, 3), written(&[1, 1, 1]));
        assert_ne!(List::Repeated(1, 3), written(&[1, 1]));
        assert_ne!(List::Repeated(1, 3), written(&[1, 2, 1]));
        assert_eq!(List::Repeated(1, 0), List::Repeated(2, 0));
        assert_ne!(List::Repeated(f64::NAN, 2), List::Repeated(f64::NAN, 2));
        assert_eq!(List::Repeated(7, 2).repeated(), Some(7));
        assert_eq!(List::Repeated(7, 1).repeated(), None);
        assert_eq!(written(&[7, 8]).repeated(), None);
    }

    #[test]
    fn devices_wrap_their_index() {
        let printed = |text: &str| {
            let mut out = String::new();
            Device::parse(text.as_bytes())?.write(&mut out);
            Some(out)
        };
        assert_eq!(printed("cuda:300").as_deref(), Some("cuda:44"));
        assert_eq!(printed("cuda:255").as_deref(), Some("cuda"));
        assert_eq!(printed("cpu:0").as_deref(), Some("cpu:0"));
        for bad in ["", "cpu:", "cuda:01", ":0", "CPU", "cu:da", "ort"] {
            assert_eq!(printed(bad), None, "{bad}");
        }
    }
}
