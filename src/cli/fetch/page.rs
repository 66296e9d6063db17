//! Reads a project's page in a package index: JSON (PEP 691) or HTML (PEP 503).

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use url::Url;

/// A file that a page offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) url: Url,
    pub(super) sha256: Option<String>,
    pub(super) size: Option<u64>,
    /// The file was withdrawn.
    pub(super) is_yanked: bool,
}

/// The media types that [`links`] reads, for the header `Accept`.
pub(super) const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, \
                                 application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The links of a page with this media type and address. Links that are not addresses are left out.
pub(super) fn links(media: &str, base: &Url, bytes: &[u8]) -> Result<Vec<Link>, String> {
    let media = media.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case(JSON) {
        of_json(base, bytes)
    } else if media.is_empty() || media.to_ascii_lowercase().contains("html") {
        Ok(of_html(base, &String::from_utf8_lossy(bytes)))
    } else {
        Err(format!(
            "it is `{}`, not a page of links",
            media.escape_debug()
        ))
    }
}

#[derive(Deserialize)]
struct Page {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: Hashes,
    size: Option<u64>,
    yanked: Option<Yanked>,
}

#[derive(Deserialize, Default)]
struct Hashes {
    sha256: Option<String>,
}

/// Whether a file was withdrawn, or why.
#[derive(Deserialize)]
#[serde(untagged)]
enum Yanked {
    Whether(bool),
    Why(String),
}

fn of_json(base: &Url, bytes: &[u8]) -> Result<Vec<Link>, String> {
    let page: Page = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let link = |file: File| {
        Some(Link {
            url: base.join(&file.url).ok()?,
            name: file.filename,
            sha256: file.hashes.sha256,
            size: file.size,
            is_yanked: match file.yanked {
                Some(Yanked::Whether(is_yanked)) => is_yanked,
                Some(Yanked::Why(why)) => !why.is_empty(),
                None => false,
            },
        })
    };
    Ok(page.files.into_iter().filter_map(link).collect())
}

fn of_html(base: &Url, text: &str) -> Vec<Link> {
    let mut base = base.clone();
    let mut links = Vec::new();
    for tag in Tags(text) {
        let Some(address) = tag.attribute("href") else {
            continue;
        };
        let Ok(mut url) = base.join(&address) else {
            continue;
        };
        match tag.name {
            "base" => base = url,
            "a" => {
                let fragment = url.fragment().unwrap_or_default().to_owned();
                let sha256 = fragment.split('&').find_map(|f| f.strip_prefix("sha256="));
                url.set_fragment(None);
                let name = url.path().rsplit('/').next().unwrap_or_default();
                links.push(Link {
                    name: percent_decode_str(name).decode_utf8_lossy().into_owned(),
                    sha256: sha256.map(str::to_owned),
                    size: None,
                    is_yanked: tag.attribute("data-yanked").is_some(),
                    url,
                });
            }
            _ => {}
        }
    }
    links
}

/// The tags `a` and `base` of an HTML text.
struct Tags<'a>(&'a str);

struct Tag<'a> {
    name: &'static str,
    attributes: &'a str,
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            self.0 = &self.0[self.0.find('<')? + 1..];
            if let Some(comment) = self.0.strip_prefix("!--") {
                self.0 = &comment[comment.find("-->")?..];
                continue;
            }
            let end = self.0.find(|c: char| !c.is_ascii_alphanumeric())?;
            let name = ["a", "base"]
                .into_iter()
                .find(|name| self.0[..end].eq_ignore_ascii_case(name));
            if let Some(name) = name {
                let rest = &self.0[end..];
                let length = length_of_attributes(rest)?;
                let attributes = &rest[..length];
                self.0 = &rest[length..];
                return Some(Tag { name, attributes });
            }
        }
    }
}

/// The position of the `>` that ends a tag. A value in quotes may contain one.
fn length_of_attributes(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

impl Tag<'_> {
    /// The value of an attribute; empty if it has none.
    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '=' || c.is_whitespace());
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            let after = after.trim_start();
            let (value, after) = match after.strip_prefix('=') {
                Some(after) => value(after.trim_start()),
                None => ("", after),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(unescaped(value));
            }
            rest = after.trim_start();
        }
        None
    }
}

/// Splits a value, in quotes or not, from what follows it.
fn value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.split_once(quote).unwrap_or((inner, ""));
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

const ENTITIES: [(&str, &str); 8] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&#43;", "+"),
    ("&#x2b;", "+"),
    ("&amp;", "&"),
];

fn unescaped(value: &str) -> String {
    let all = ENTITIES.iter();
    all.fold(value.to_owned(), |text, (entity, character)| {
        text.replace(entity, character)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(media: &str, text: &str) -> Vec<String> {
        let base = Url::parse("https://host/simple/torch/").unwrap();
        let links = links(media, &base, text.as_bytes()).unwrap().into_iter();
        let shown = links.map(|link| {
            let (sha256, size) = (link.sha256.as_deref().unwrap_or("-"), link.size);
            let yanked = if link.is_yanked { " yanked" } else { "" };
            format!("{} {} {sha256} {size:?}{yanked}", link.name, link.url)
        });
        shown.collect()
    }

    #[test]
    fn html_is_read_as_pages_are_written() {
        let text = r#"<!DOCTYPE html><html><head><base href="../../files/"></head><body>
            <!-- <a href="commented.whl"> --><abbr href="no.whl">
            <a href="a-1%2Bcpu.whl#sha256=ab&amp;x=1" data-requires-python="&gt;=3.8">a</a><br/>
            <A data-yanked HREF='/b.whl'>b</A><a data-yanked="bad > old" href=c.whl>c</a>
            <a name="x">no link</a><a href="https://other/d.whl?x=1&amp;y=2">d</a>
            <a href="http://[bad">e</a><a href="cut"#;
        assert_eq!(
            shown("text/html; charset=utf-8", text),
            [
                "a-1+cpu.whl https://host/files/a-1%2Bcpu.whl ab None",
                "b.whl https://host/b.whl - None yanked",
                "c.whl https://host/files/c.whl - None yanked",
                "d.whl https://other/d.whl?x=1&y=2 - None",
            ]
        );
    }

    #[test]
    fn json_is_read_with_sizes() {
        let text = r#"{"meta":{"api-version":"1.1"},"name":"torch","versions":["1"],"files":[
            {"filename":"a.whl","url":"../a.whl","hashes":{"sha256":"ab","md5":"x"},"size":7,"yanked":false},
            {"filename":"b.whl","url":"https://other/b.whl","hashes":{},"yanked":"broken"},
            {"filename":"c.whl","url":"http://[bad","hashes":{}}]}"#;
        assert_eq!(
            shown(JSON, text),
            [
                "a.whl https://host/simple/a.whl ab Some(7)",
                "b.whl https://other/b.whl - None yanked",
            ]
        );
    }

    #[test]
    fn other_pages_are_refused() {
        let base = Url::parse("https://host/").unwrap();
        let refused = |media, text: &str| links(media, &base, text.as_bytes()).unwrap_err();
        assert!(refused("image/png", "").contains("image/png"));
        assert!(refused(JSON, "{\"files\": 1}").contains("invalid type"));
    }
}
