//! Prints an error and its causes in one line.

use std::fmt;

/// Omits repeated texts, because many libraries include the cause in the text of the error.
pub(super) struct Causes<'e>(pub(super) &'e anyhow::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for cause in self.0.chain() {
            let cause = shown(cause);
            if text.is_empty() {
                text = cause;
            } else if !text.ends_with(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        out.write_str(&text)
    }
}

/// Only TOML errors and indented lists keep their line breaks; others come from quoted text.
fn shown(cause: &(dyn std::error::Error + 'static)) -> String {
    let text = cause.to_string();
    if cause.is::<toml::de::Error>() {
        return text;
    }
    let mut lines = text.split('\n');
    let mut shown = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        shown.push(if line.starts_with("  ") { '\n' } else { ' ' });
        shown.push_str(line);
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use opatlas_store::StoreError;

    fn refused() -> sqlx::Error {
        sqlx::Error::Io(io::Error::other("Connection refused (os error 111)"))
    }

    #[test]
    fn a_cause_is_named_once() {
        let unavailable = StoreError::from(refused());
        let decode = StoreError::from(sqlx::Error::Decode(Box::new(refused())));
        for (error, text) in [
            (
                anyhow::Error::from(unavailable).context("cannot open it"),
                "cannot open it: the database is unavailable: the connection to it failed: error \
                 communicating with database: Connection refused (os error 111)",
            ),
            (
                decode.into(),
                "the database failed: error occurred while decoding: error communicating with \
                 database: Connection refused (os error 111)",
            ),
        ] {
            assert_eq!(Causes(&error).to_string(), text);
        }
    }

    #[test]
    fn causes_that_say_more_are_all_named() {
        let error = anyhow::anyhow!("no such file").context("cannot read a.yaml");
        assert_eq!(
            Causes(&error).to_string(),
            "cannot read a.yaml: no such file"
        );
    }
}
