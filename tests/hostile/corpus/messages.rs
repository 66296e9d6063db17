//! Texts that look like error messages.

use crate::shape::{Asked, Shape};

/// Parts of messages that begin a match and never end it, or match everywhere.
const PARTS: [(&str, &str); 7] = [
    ("beginnings", "could not run '"),
    ("whole messages", "operator aten::x does not exist\n"),
    ("causes", "the above exception was the direct cause "),
    ("texts without an end", "explicitly provided namespace ("),
    ("prefixes of lines", "[rank0]: (W pid=1) E   | > "),
    ("escapes", "\\n&lt;\u{1b}[31m"),
    ("quotation marks", "'\"`"),
];

pub fn shapes() -> Vec<Shape> {
    let shape = |(name, part): (&str, &'static str)| {
        Shape::new(format!("a message of {name}"), move |size| {
            let count = size.min(256 << 10) / part.len();
            Asked::post("/v1/ask", "text/plain", part.repeat(count))
        })
    };
    PARTS.into_iter().map(shape).collect()
}
