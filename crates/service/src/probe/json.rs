//! JSON that keeps the spelling of numbers, and its canonical text, for digests (`docs/probe.md`):
//! sorted keys, no whitespace, and only the escapes that JSON requires.

const MAX_DEPTH: usize = 64;
/// Maximum number of values. Each takes some hundred bytes of memory.
const MAX_VALUES: usize = 2_000_000;

/// A value. Numbers and literals keep their spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json<'t> {
    /// A number, `true`, `false` or `null`.
    Plain(&'t str),
    /// A string without escapes.
    Text(String),
    /// A list.
    List(Vec<Json<'t>>),
    /// An object, by name. The last one of equal names was kept.
    Object(Vec<(String, Json<'t>)>),
}

impl<'t> Json<'t> {
    /// Parses a text. Fails with what is wrong with it, and where.
    pub fn read(text: &'t [u8]) -> Result<Self, String> {
        // `serde_json` checks the grammar, which the code below relies on.
        serde_json::from_slice::<serde::de::IgnoredAny>(text).map_err(|error| error.to_string())?;
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let mut reader = Reader {
            text,
            at: 0,
            values: 0,
        };
        reader.value(0)
    }

    /// A member of an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                let place = members.binary_search_by(|(known, _)| known.as_str().cmp(name));
                members.get(place.ok()?).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The value if it is a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value if it is a number.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Plain(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    /// The canonical text.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Appends the canonical text.
    pub fn write(&self, to: &mut String) {
        match self {
            Self::Plain(text) => to.push_str(text),
            Self::Text(text) => write_text(text, to),
            Self::List(items) => {
                to.push('[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        to.push(',');
                    }
                    item.write(to);
                }
                to.push(']');
            }
            Self::Object(members) => {
                to.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    if place > 0 {
                        to.push(',');
                    }
                    write_text(name, to);
                    to.push(':');
                    value.write(to);
                }
                to.push('}');
            }
        }
    }
}

fn write_text(text: &str, to: &mut String) {
    to.push('"');
    for letter in text.chars() {
        match letter {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\u{8}' => to.push_str("\\b"),
            '\u{c}' => to.push_str("\\f"),
            control if control < ' ' => to.push_str(&format!("\\u{:04x}", u32::from(control))),
            letter => to.push(letter),
        }
    }
    to.push('"');
}

fn by_name<'t>(mut members: Vec<(String, Json<'t>)>) -> Vec<(String, Json<'t>)> {
    members.reverse();
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    members.dedup_by(|(a, _), (b, _)| a == b);
    members.shrink_to_fit();
    members
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    values: usize,
}

impl<'t> Reader<'t> {
    fn value(&mut self, depth: usize) -> Result<Json<'t>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("values nest deeper than {MAX_DEPTH} levels"));
        }
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("it has more than {MAX_VALUES} values"));
        }
        match self.next() {
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'[') => {
                let mut items = Vec::new();
                while self.has_more(b']') {
                    items.push(self.value(depth + 1)?);
                }
                items.shrink_to_fit();
                Ok(Json::List(items))
            }
            Some(b'{') => {
                let mut members = Vec::new();
                while self.has_more(b'}') {
                    let name = self.string()?;
                    // The colon.
                    self.next();
                    self.at += 1;
                    members.push((name, self.value(depth + 1)?));
                }
                Ok(Json::Object(by_name(members)))
            }
            _ => Ok(Json::Plain(self.plain())),
        }
    }

    fn next(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        self.at += blanks.count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips the opening bracket or the comma; at the closing bracket, skips it and returns false.
    fn has_more(&mut self, end: u8) -> bool {
        if self.next() != Some(end) {
            self.at += 1;
        }
        let has_more = self.next().is_some_and(|byte| byte != end);
        if !has_more {
            self.at += 1;
        }
        has_more
    }

    fn plain(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn string(&mut self) -> Result<String, String> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut escaped = false;
        let end = rest.bytes().skip(1).position(|byte| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        let length = end.map_or(rest.len(), |end| end + 2);
        self.at += length;
        let quoted = rest.get(..length).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_canonical() {
        for (given, canonical) in [
            (
                r#" { "b" : [ 1 , 2.50, -1e-05 ] , "a" : {} } "#,
                r#"{"a":{},"b":[1,2.50,-1e-05]}"#,
            ),
            (r#"[[],[[]],{"a":[]},"]"]"#, r#"[[],[[]],{"a":[]},"]"]"#),
            (
                r#""\u00e9\ud83d\ude00\/\"\\\u0007\n""#,
                "\"é😀/\\\"\\\\\\u0007\\n\"",
            ),
            (r#"{"a":1,"a":null}"#, r#"{"a":null}"#),
            ("true", "true"),
        ] {
            assert_eq!(Json::read(given.as_bytes()).unwrap().canonical(), canonical);
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let deep = "[".repeat(70) + &"]".repeat(70);
        for given in ["", "[1,]", "{\"a\"}", "\"a", "[NaN]", "\"\\ud800\"", &deep] {
            assert!(Json::read(given.as_bytes()).is_err(), "{given}");
        }
        assert!(Json::read(b"\"\xff\"").is_err());
    }
}
