//! Reads arguments from text: `tensor, 1, alpha=2`.

use std::fmt;

use super::value::{Scalar, Tensor, Value};

/// The maximum length of the text, in characters.
pub const MOST_CHARACTERS: usize = 4_000;
const MOST_NESTED: usize = 16;

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    /// The positional arguments.
    pub positional: Vec<Value>,
    /// The keyword arguments, in order.
    pub keywords: Vec<(String, Value)>,
}

/// The error for a text that is not a list of arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The text from the point where reading stopped.
    pub rest: String,
    /// The problem there.
    pub problem: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rest, problem } = self;
        if rest.is_empty() {
            return write!(f, "{problem} at the end of the arguments");
        }
        let shown: String = rest.chars().take(40).collect();
        write!(f, "{problem} at `{shown}`")
    }
}

const DTYPES: [&str; 42] = [
    "float16",
    "half",
    "float32",
    "float",
    "float64",
    "double",
    "bfloat16",
    "complex32",
    "chalf",
    "complex64",
    "cfloat",
    "complex128",
    "cdouble",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "short",
    "int32",
    "int",
    "int64",
    "long",
    "bool",
    "quint8",
    "qint8",
    "qint32",
    "quint4x2",
    "quint2x4",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
    "bits8",
    "bits16",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "int4",
];
const LAYOUTS: [&str; 8] = [
    "strided",
    "sparse_coo",
    "sparse_csr",
    "sparse_csc",
    "sparse_bsr",
    "sparse_bsc",
    "_mkldnn",
    "jagged",
];
const MEMORY_FORMATS: [&str; 4] = [
    "contiguous_format",
    "channels_last",
    "channels_last_3d",
    "preserve_format",
];
const QSCHEMES: [&str; 5] = [
    "per_tensor_affine",
    "per_channel_affine",
    "per_tensor_symmetric",
    "per_channel_symmetric",
    "per_channel_affine_float_qparams",
];

impl Arguments {
    /// Reads arguments.
    ///
    /// # Errors
    /// If the text is too long, nests too deeply, or is not a list of arguments.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let mut reader = Reader { rest: text.trim() };
        if text.chars().count() > MOST_CHARACTERS {
            return Err(reader.problem(&format!("more than {MOST_CHARACTERS} characters")));
        }
        let mut arguments = Self::default();
        while !reader.rest.is_empty() {
            reader.argument(&mut arguments)?;
            if !reader.rest.is_empty() && !reader.takes(",") {
                return Err(reader.problem("expected a comma"));
            }
        }
        Ok(arguments)
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn problem(&self, problem: &str) -> Unreadable {
        Unreadable {
            rest: self.rest.to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn takes(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    /// Reads the characters that satisfy a test.
    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn argument(&mut self, arguments: &mut Arguments) -> Result<(), Unreadable> {
        let before = self.rest;
        let name = self.word(|c| c.is_alphanumeric() || c == '_');
        if !name.is_empty() && self.takes("=") {
            if arguments.keywords.iter().any(|(known, _)| known == name) {
                return Err(self.problem(&format!("keyword argument repeated: {name}")));
            }
            let value = self.value(0)?;
            arguments.keywords.push((name.to_owned(), value));
            return Ok(());
        }
        self.rest = before;
        if !arguments.keywords.is_empty() {
            return Err(self.problem("positional argument follows keyword argument"));
        }
        arguments.positional.push(self.value(0)?);
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Value, Unreadable> {
        if depth > MOST_NESTED {
            return Err(self.problem("too many brackets in one another"));
        }
        if self.takes("...") {
            return Ok(Value::Other("ellipsis"));
        }
        match self.rest.chars().next() {
            Some('(') => self.tuple(depth),
            Some('[') => {
                self.takes("[");
                self.elements("]", depth).map(|(list, _)| Value::List(list))
            }
            Some('\'' | '"') => self.string().map(Value::Str),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(depth),
            _ => Err(self.problem("expected an argument")),
        }
    }

    /// Reads a tuple, or one value in parentheses.
    fn tuple(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.takes("(");
        let (mut elements, ends_with_comma) = self.elements(")", depth)?;
        Ok(match (elements.len(), ends_with_comma) {
            (1, false) => elements.remove(0),
            _ => Value::Tuple(elements),
        })
    }

    /// Reads values up to the closing bracket. Also returns `true` if a comma follows the last one.
    fn elements(&mut self, close: &str, depth: usize) -> Result<(Vec<Value>, bool), Unreadable> {
        let mut elements = Vec::new();
        let mut ends_with_comma = true;
        while !self.takes(close) {
            if !ends_with_comma {
                return Err(self.problem(&format!("expected a comma or `{close}`")));
            }
            elements.push(self.value(depth + 1)?);
            ends_with_comma = self.takes(",");
        }
        Ok((elements, ends_with_comma))
    }

    fn string(&mut self) -> Result<String, Unreadable> {
        let mut characters = self.rest.char_indices();
        let quote = characters.next().map(|(_, c)| c);
        let mut text = String::new();
        while let Some((at, c)) = characters.next() {
            if Some(c) == quote {
                self.rest = self.rest[at + c.len_utf8()..].trim_start();
                return Ok(text);
            }
            let is_escape = c == '\\';
            text.push(match is_escape.then(|| characters.next()).flatten() {
                Some((_, escaped)) => escaped,
                None => c,
            });
        }
        Err(self.problem("this string does not end"))
    }

    fn number(&mut self) -> Result<Value, Unreadable> {
        let before = self.rest;
        let _ = self.takes("-") || self.takes("+");
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while let Some(&byte) = bytes.get(end) {
            let follows_e = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            let is_part = byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_')
                || (follows_e && matches!(byte, b'+' | b'-'));
            if !is_part {
                break;
            }
            end += 1;
        }
        let text = self.rest[..end].replace('_', "");
        let Some(scalar) = number(&text) else {
            self.rest = before;
            return Err(self.problem("expected a number"));
        };
        self.rest = self.rest[end..].trim_start();
        Ok(Value::Scalar(scalar))
    }

    fn name(&mut self, depth: usize) -> Result<Value, Unreadable> {
        let before = self.rest;
        let name = self.word(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        if matches!(name, "b" | "r" | "f") && self.rest.starts_with(['\'', '"']) {
            let text = self.string()?;
            return Ok(match name {
                "b" => Value::Bytes,
                _ => Value::Str(text),
            });
        }
        if matches!(name, "Tensor" | "tensor" | "torch.Tensor") {
            return self.tensor();
        }
        let (value, may_call) = named(name).ok_or_else(|| Unreadable {
            rest: before.to_owned(),
            problem: format!("unknown value `{name}`"),
        })?;
        if may_call && self.takes("(") {
            self.elements_of_call(depth)?;
        }
        Ok(value)
    }

    /// Skips the arguments of `slice(0, 1)` or `torch.device('cpu')`.
    fn elements_of_call(&mut self, depth: usize) -> Result<(), Unreadable> {
        self.elements(")", depth).map(drop)
    }

    /// Reads the dtype and other properties in parentheses that may follow `tensor`.
    fn tensor(&mut self) -> Result<Value, Unreadable> {
        let mut tensor = Tensor::PLAIN;
        if !self.takes("(") {
            return Ok(Value::Tensor(tensor));
        }
        while !self.takes(")") {
            let word = self.word(|c| !matches!(c, ',' | ')'));
            let word = word.trim_end();
            let dtype = word.strip_prefix("torch.").unwrap_or(word);
            if let Some(count) = word.strip_suffix("-dim").and_then(|n| n.parse().ok()) {
                tensor.dimensions = count;
            } else if matches!(word, "requires_grad" | "requires grad") {
                tensor.requires_grad = true;
            } else if DTYPES.contains(&dtype) {
                tensor.dtype = class_of(dtype);
            } else if word != "named" {
                return Err(self.problem(&format!(
                    "`{word}` is not a dtype, `N-dim`, `named` or `requires_grad`"
                )));
            }
            if !self.takes(",") && !self.rest.starts_with(')') {
                return Err(self.problem("expected `)`"));
            }
        }
        Ok(Value::Tensor(tensor))
    }
}

pub(super) fn number(text: &str) -> Option<Scalar> {
    if let Some(imaginary) = text.strip_suffix(['j', 'J']) {
        return imaginary.parse::<f64>().ok().map(|_| Scalar::Complex);
    }
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit());
    let in_base = |prefix: &str, base| {
        let digits = text.strip_prefix(prefix)?;
        let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
        all.then_some(Scalar::Int)
    };
    if is_integer && !text.is_empty() {
        return Some(Scalar::Int);
    }
    let based = in_base("0x", 16).or_else(|| in_base("0b", 2));
    let starts_right = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    based.or_else(|| (starts_right && text.parse::<f64>().is_ok()).then_some(Scalar::Float))
}

fn class_of(dtype: &str) -> Scalar {
    if dtype == "bool" {
        Scalar::Bool(false)
    } else if dtype.contains("complex") || matches!(dtype, "chalf" | "cfloat" | "cdouble") {
        Scalar::Complex
    } else if dtype.starts_with("int")
        || dtype.starts_with("uint")
        || matches!(dtype, "short" | "long")
    {
        Scalar::Int
    } else {
        Scalar::Float
    }
}

/// Returns the value of a name, and `true` if arguments in parentheses may follow.
pub(super) fn named(name: &str) -> Option<(Value, bool)> {
    let plain = |value| Some((value, false));
    let called = |value| Some((value, true));
    let short = name.strip_prefix("torch.").unwrap_or(name);
    match short {
        "True" => return plain(Value::Scalar(Scalar::Bool(true))),
        "False" => return plain(Value::Scalar(Scalar::Bool(false))),
        "None" => return plain(Value::None),
        "Ellipsis" => return plain(Value::Other("ellipsis")),
        "slice" => return called(Value::Other("slice")),
        "device" | "Device" => return called(Value::Device),
        "Generator" | "generator" => return called(Value::Generator),
        "Storage" | "storage" | "UntypedStorage" => return called(Value::Storage),
        "Stream" | "stream" => return called(Value::Stream),
        "inf" | "nan" | "pi" => return plain(Value::Scalar(Scalar::Float)),
        _ => {}
    }
    if name == short && matches!(name, "float" | "int" | "bool" | "complex") {
        return plain(Value::NumberType);
    }
    if DTYPES.contains(&short) {
        return plain(Value::Dtype);
    }
    if LAYOUTS.contains(&short) {
        return plain(Value::Layout);
    }
    if let Some(format) = MEMORY_FORMATS.into_iter().find(|it| *it == short) {
        return plain(Value::MemoryFormat(format));
    }
    QSCHEMES.contains(&short).then_some((Value::QScheme, false))
}
