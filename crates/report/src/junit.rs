//! Test cases of JUnit reports, as CI systems read them.

use std::fmt::Write as _;

use crate::escape::{xml, xml_attribute};

/// What begins every document.
pub(crate) const PROLOGUE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// How a test case ended. Texts are plain; they are escaped as they are written.
pub(crate) enum Outcome<'a> {
    /// It passed, and says nothing.
    Passed,
    /// It passed, with this in its output.
    Told(&'a str),
    /// It failed: the kind, one line, and the whole, which may be empty.
    Failed(&'a str, &'a str, &'a str),
    /// It could not be judged: the kind and one line.
    Error(&'a str, &'a str),
}

/// One test case.
pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    /// The file, which stands as the class's name.
    pub(crate) path: &'a str,
    /// The line in that file, from 1.
    pub(crate) line: Option<u32>,
    pub(crate) outcome: Outcome<'a>,
}

impl Case<'_> {
    /// Appends it.
    pub(crate) fn write(&self, out: &mut String) {
        let path = xml_attribute(self.path);
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "    <testcase name=\"{}\" classname=\"{path}\"",
            xml_attribute(self.name)
        );
        if let Some(line) = self.line {
            let _ = write!(out, " file=\"{path}\" line=\"{line}\"");
        }
        if let Outcome::Passed = self.outcome {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n      ");
        let _ = match &self.outcome {
            Outcome::Passed => Ok(()),
            Outcome::Told(text) => write!(out, "<system-out>{}</system-out>", xml(text)),
            Outcome::Failed(kind, message, "") => {
                write!(
                    out,
                    "<failure type=\"{kind}\" message=\"{}\"/>",
                    xml_attribute(message)
                )
            }
            Outcome::Failed(kind, message, text) => write!(
                out,
                "<failure type=\"{kind}\" message=\"{}\">{}</failure>",
                xml_attribute(message),
                xml(text)
            ),
            Outcome::Error(kind, message) => {
                write!(
                    out,
                    "<error type=\"{kind}\" message=\"{}\"/>",
                    xml_attribute(message)
                )
            }
        };
        out.push_str("\n    </testcase>\n");
    }
}
