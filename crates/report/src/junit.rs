//! Test cases of JUnit reports.

use std::fmt::Write as _;

use crate::escape::{xml, xml_attribute};

/// The first line of every document.
pub(crate) const PROLOGUE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The outcome of a test case. Texts are escaped when they are written.
pub(crate) enum Outcome<'a> {
    Passed,
    /// It passed with this output.
    Output(&'a str),
    /// It failed: the kind, one line, and the full text, which may be empty.
    Failed(&'a str, &'a str, &'a str),
    /// It could not be checked: the kind and one line.
    Error(&'a str, &'a str),
}

pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    /// The file, which is also the class name.
    pub(crate) path: &'a str,
    /// The line in that file, from 1.
    pub(crate) line: Option<u32>,
    pub(crate) outcome: Outcome<'a>,
}

impl Case<'_> {
    pub(crate) fn write(&self, out: &mut String) {
        let path = xml_attribute(self.path);
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
            Outcome::Output(text) => write!(out, "<system-out>{}</system-out>", xml(text)),
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
