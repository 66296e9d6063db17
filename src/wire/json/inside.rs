//! The parts of lists, maps and structs.

use std::io::Write;
use std::mem;

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::Error;

use super::written::{name, to_writer};

/// What stands within brackets or braces.
pub(super) struct Inside<'a, W> {
    writer: &'a mut W,
    is_first: bool,
    close: &'static [u8],
}

impl<'a, W: Write> Inside<'a, W> {
    /// Nothing yet, to be closed with this.
    #[inline]
    pub(super) fn new(writer: &'a mut W, close: &'static [u8]) -> Self {
        Self {
            writer,
            is_first: true,
            close,
        }
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.writer.write_all(bytes).map_err(Error::io)
    }

    #[inline]
    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        if !mem::take(&mut self.is_first) {
            self.put(b",")?;
        }
        to_writer(self.writer, value)
    }

    #[inline(always)]
    fn field(&mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        match mem::take(&mut self.is_first) {
            true => name(self.writer, b"{\"", key)?,
            false => name(self.writer, b",\"", key)?,
        }
        to_writer(self.writer, value)
    }

    #[inline]
    fn close(self) -> Result<(), Error> {
        self.writer.write_all(self.close).map_err(Error::io)
    }

    #[inline]
    fn close_fields(mut self) -> Result<(), Error> {
        if self.is_first {
            self.put(b"{")?;
        }
        self.close()
    }
}

impl<W: Write> SerializeSeq for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeTuple for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeTupleStruct for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeTupleVariant for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeMap for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        if !mem::take(&mut self.is_first) {
            self.put(b",")?;
        }
        let key = serde_json::to_vec(key)?;
        match key.first() {
            Some(b'"') => self.put(&key),
            _ => Err(Error::custom("a map's key is not a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.put(b":")?;
        to_writer(self.writer, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeStruct for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.close_fields()
    }
}

impl<W: Write> SerializeStructVariant for Inside<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.field(key, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close_fields()
    }
}
