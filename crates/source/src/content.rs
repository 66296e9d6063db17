//! The content of a file.

use std::sync::Arc;

/// A file's bytes, and the same memory as text if they are UTF-8.
#[derive(Debug, Clone)]
pub struct Content {
    pub(super) bytes: Arc<[u8]>,
    text: Option<Arc<str>>,
}

impl Content {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The text; `None` if the bytes are not UTF-8, and for shared bytes that were not text before.
    #[must_use]
    pub fn text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    pub(super) fn is_of(&self, text: &Arc<str>) -> bool {
        self.text.as_ref().is_some_and(|it| Arc::ptr_eq(it, text))
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Content {}

impl Default for Content {
    fn default() -> Self {
        Arc::<str>::default().into()
    }
}

impl From<Arc<str>> for Content {
    fn from(text: Arc<str>) -> Self {
        Self {
            bytes: Arc::clone(&text).into(),
            text: Some(text),
        }
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Self {
        match str::from_utf8(bytes) {
            Ok(text) => Arc::<str>::from(text).into(),
            Err(_) => Arc::<[u8]>::from(bytes).into(),
        }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        bytes.as_slice().into()
    }
}

impl<const N: usize> From<[u8; N]> for Content {
    fn from(bytes: [u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl From<Arc<[u8]>> for Content {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self { bytes, text: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_are_one_memory() {
        let content = Content::from("- func: é() -> ()".as_bytes());
        let text = content.text().unwrap();
        assert_eq!(text.as_bytes(), &**content.bytes());
        assert_eq!(text.as_ptr(), content.bytes().as_ptr());
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let content = Content::from(*b"caf\xe9");
        assert!(content.text().is_none());
        assert_eq!(&**content.bytes(), b"caf\xe9");
    }
}
