//! JSON, byte for byte as serde_json writes it, in a third of the time. Our answers are mostly names of fields and
//! short texts. serde_json writes each quotation mark, comma and colon by itself, and looks for what to escape in
//! names, too, and letter by letter; here a name is one write, and a text is looked at in blocks. What is rare is
//! left to serde_json.

use std::fmt::Display;
use std::io::Write;

use serde::Serialize;
use serde::ser;
use serde_json::Error;

use super::inside::Inside;

/// Writes a value.
///
/// # Errors
/// Errors of the writer and of the value, and map keys that are not strings.
pub(super) fn to_writer<W: Write>(
    writer: &mut W,
    value: &(impl Serialize + ?Sized),
) -> Result<(), Error> {
    value.serialize(Json(writer))
}

/// Where a value is written.
struct Json<'a, W>(&'a mut W);

impl<'a, W: Write> Json<'a, W> {
    #[inline]
    fn put(self, bytes: &[u8]) -> Result<(), Error> {
        self.0.write_all(bytes).map_err(Error::io)
    }

    /// What is neither text nor made of parts.
    #[inline]
    fn plain(self, value: impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(self.0, &value)
    }

    #[inline]
    fn inside(self, open: &[u8], close: &'static [u8]) -> Result<Inside<'a, W>, Error> {
        self.0.write_all(open).map_err(Error::io)?;
        Ok(Inside::new(self.0, close))
    }

    /// A variant's values. Its name is the only key of an object around them.
    fn variant(
        self,
        variant: &'static str,
        open: &[u8],
        close: &'static [u8],
    ) -> Result<Inside<'a, W>, Error> {
        name(self.0, b"{\"", variant)?;
        self.inside(open, close)
    }
}

/// Writes the name of a field or variant, which is an identifier, with what stands before it. Always inlined, because
/// where the name is known it becomes a few stores.
#[inline(always)]
pub(super) fn name<W: Write>(
    writer: &mut W,
    before: &[u8; 2],
    name: &'static str,
) -> Result<(), Error> {
    /// Longer names are written in parts.
    const LONG: usize = 32;
    debug_assert!(is_clean(name.as_bytes()), "it would have to be escaped");
    let size = name.len();
    if size > LONG {
        let mut put = |bytes: &[u8]| writer.write_all(bytes).map_err(Error::io);
        put(before)?;
        put(name.as_bytes())?;
        return put(b"\":");
    }
    let mut text = [0; 2 + LONG + 2];
    text[..2].copy_from_slice(before);
    text[2..2 + size].copy_from_slice(name.as_bytes());
    text[2 + size..4 + size].copy_from_slice(b"\":");
    writer.write_all(&text[..4 + size]).map_err(Error::io)
}

/// Whether nothing in a text has to be escaped. The processor looks at the bytes of a block together; the last block
/// overlaps the one before, so that no byte is looked at alone but in texts that are shorter than any block.
#[inline]
fn is_clean(text: &[u8]) -> bool {
    let is_special = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    let any = |block: &[u8]| block.iter().fold(false, |any, byte| any | is_special(byte));
    if let (blocks @ [_, ..], _) = text.as_chunks::<16>() {
        let last = text.last_chunk::<16>();
        return !blocks.iter().any(|block| any(block)) && last.is_none_or(|last| !any(last));
    }
    match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => !(any(first) | any(last)),
        _ => !any(text),
    }
}

/// What serde_json writes.
macro_rules! plain {
    ($($method:ident: $type:ty,)*) => {
        $(
            fn $method(self, value: $type) -> Result<(), Error> {
                self.plain(value)
            }
        )*
    };
}

impl<'a, W: Write> ser::Serializer for Json<'a, W> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Inside<'a, W>;
    type SerializeTuple = Inside<'a, W>;
    type SerializeTupleStruct = Inside<'a, W>;
    type SerializeTupleVariant = Inside<'a, W>;
    type SerializeMap = Inside<'a, W>;
    type SerializeStruct = Inside<'a, W>;
    type SerializeStructVariant = Inside<'a, W>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.put(if value { b"true" } else { b"false" })
    }

    plain! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_bytes: &[u8],
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        if !is_clean(value.as_bytes()) {
            return self.plain(value);
        }
        let mut put = |bytes: &[u8]| self.0.write_all(bytes).map_err(Error::io);
        put(b"\"")?;
        put(value.as_bytes())?;
        put(b"\"")
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        self.put(b"null")
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.put(b"null")
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.put(b"null")
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        name(self.0, b"{\"", variant)?;
        to_writer(self.0, value)?;
        self.put(b"}")
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'a, W>, Error> {
        self.inside(b"[", b"]")
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Inside<'a, W>, Error> {
        self.inside(b"[", b"]")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Inside<'a, W>, Error> {
        self.inside(b"[", b"]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Inside<'a, W>, Error> {
        self.variant(variant, b"[", b"]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a, W>, Error> {
        self.inside(b"{", b"}")
    }

    /// The brace is written with the first name.
    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'a, W>, Error> {
        self.inside(b"", b"}")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Inside<'a, W>, Error> {
        self.variant(variant, b"", b"}}")
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.serialize_str(&value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn text(value: &(impl Serialize + ?Sized)) -> Result<String, Error> {
        let mut text = Vec::new();
        to_writer(&mut text, value)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    #[track_caller]
    fn is_the_same(value: &(impl Serialize + ?Sized)) {
        assert_eq!(text(value).unwrap(), serde_json::to_string(value).unwrap());
    }

    #[derive(Serialize)]
    struct Nothing {}

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct New(&'static str);

    #[derive(Serialize)]
    struct Two(u8, &'static str);

    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    struct Several {
        one: Option<u32>,
        two_words: [f64; 2],
        a_field_whose_name_is_longer_than_all_others: (),
        #[serde(skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<char>,
        #[serde(flatten)]
        more: BTreeMap<&'static str, Kind>,
    }

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(New),
        Two(i64, bool),
        Named { one: Nothing, two: Unit },
        Empty {},
    }

    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Unit,
        Named { two: Two },
    }

    #[test]
    fn every_kind_of_value_is_written_as_serde_json_does() {
        let kinds = || {
            [
                ("unit", Kind::Unit),
                ("new", Kind::New(New("é\u{1f600}"))),
                ("two", Kind::Two(i64::MIN, false)),
                (
                    "named\n",
                    Kind::Named {
                        one: Nothing {},
                        two: Unit,
                    },
                ),
                ("empty", Kind::Empty {}),
            ]
        };
        for left_out in [Vec::new(), vec!['"', 'x']] {
            is_the_same(&[Several {
                one: left_out.first().map(|_| u32::MAX),
                two_words: [0.1, f64::NAN],
                a_field_whose_name_is_longer_than_all_others: (),
                left_out,
                more: BTreeMap::from(kinds()),
            }]);
        }
        is_the_same(&(Nothing {}, Two(7, "\\"), kinds(), u128::MAX, 1.5_f32));
        is_the_same(&[Tagged::Unit, Tagged::Named { two: Two(0, "") }]);
        is_the_same(&BTreeMap::from([('k', ()), ('"', ())]));
        is_the_same(&json!({"": [], "a": {}, "b": [{"c": null}, [[]]]}));
        is_the_same(&format_args!("{}\t{}", 1, 2));
    }

    #[test]
    fn keys_that_are_not_strings_are_refused() {
        assert!(text(&BTreeMap::from([(1, 2)])).is_err());
    }

    #[test]
    fn what_the_writer_refuses_is_an_error() {
        let mut room = [0_u8; 4];
        let error = to_writer(&mut room.as_mut_slice(), "longer");
        assert!(error.is_err_and(|error| error.is_io()));
    }

    proptest! {
        #[test]
        fn texts_are_escaped(before in ".{0,40}", special in any::<char>(), after in ".{0,40}") {
            is_the_same(&Value::from(format!("{before}{special}{after}")));
        }
    }
}
