//! A JSON string, read piece by piece.

/// The text of a string, without its quotation marks and escapes.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// What was read so far.
    pub(crate) bytes: Vec<u8>,
    /// How many bytes of JSON that was, the last quotation mark included.
    pub(crate) read: usize,
    escape: Escape,
    /// The first half of a character beyond U+FFFF.
    high: Option<u16>,
}

/// Where in an escape it stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// Behind the backslash.
    Begun,
    /// So many digits are read, and come to this.
    Digits(u8, u16),
}

const LONE: &str = "an escape stands for half a character";

impl Text {
    /// Reads on. Gives how many bytes were read, and whether the string ended with them.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Result<(usize, bool), &'static str> {
        let mut at = 0;
        while at < piece.len() {
            if self.escape == Escape::None && self.high.is_none() {
                let plain = plain(&piece[at..]);
                self.bytes.extend_from_slice(&piece[at..at + plain]);
                at += plain;
                if at == piece.len() {
                    break;
                }
            }
            let ended = self.special(piece[at])?;
            at += 1;
            if ended {
                self.read += at;
                return Ok((at, true));
            }
        }
        self.read += at;
        Ok((at, false))
    }

    /// Reads a byte that does not stand for itself alone; tells whether the string ends there.
    fn special(&mut self, byte: u8) -> Result<bool, &'static str> {
        match self.escape {
            Escape::None if self.high.is_some() && byte != b'\\' => return Err(LONE),
            Escape::None => match byte {
                b'"' => return Ok(true),
                b'\\' => self.escape = Escape::Begun,
                _ => return Err("a control character must be written as an escape"),
            },
            Escape::Begun => self.begun(byte)?,
            Escape::Digits(count, value) => {
                let digit = char::from(byte).to_digit(16);
                let digit = digit.and_then(|digit| u16::try_from(digit).ok());
                let value = value << 4 | digit.ok_or("`\\u` needs four hexadecimal digits")?;
                if count < 3 {
                    self.escape = Escape::Digits(count + 1, value);
                } else {
                    self.escape = Escape::None;
                    self.unit(value)?;
                }
            }
        }
        Ok(false)
    }

    fn begun(&mut self, byte: u8) -> Result<(), &'static str> {
        if byte == b'u' {
            self.escape = Escape::Digits(0, 0);
            return Ok(());
        }
        if self.high.is_some() {
            return Err(LONE);
        }
        self.bytes.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => return Err("there is no such escape"),
        });
        self.escape = Escape::None;
        Ok(())
    }

    /// Adds a unit of UTF-16.
    fn unit(&mut self, unit: u16) -> Result<(), &'static str> {
        let high = self.high.take();
        if high.is_none() && (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return Ok(());
        }
        let units = [high.unwrap_or(unit), unit];
        let units = &units[usize::from(high.is_none())..];
        let Some(Ok(character)) = char::decode_utf16(units.iter().copied()).next() else {
            return Err(LONE);
        };
        let mut buffer = [0; 4];
        let encoded = character.encode_utf8(&mut buffer);
        self.bytes.extend_from_slice(encoded.as_bytes());
        Ok(())
    }
}

/// How many bytes at the beginning stand for themselves.
fn plain(piece: &[u8]) -> usize {
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
    piece.iter().position(special).unwrap_or(piece.len())
}
