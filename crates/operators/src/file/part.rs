//! Some entries of a file, read as if all were.

use std::sync::Arc;

use super::{MOST_ARGUMENTS, MOST_COMPLAINTS, MOST_ENTRIES, NativeFunctions};
use opatlas_source::{Content, InTurn, Span, Stop, Stopped};

/// What the first line of an entry begins with.
const FUNC: &str = "- func: ";

impl NativeFunctions {
    /// Reads the entries of operators with a wanted base name (`add_` of `aten::add_.Tensor`), and those that
    /// are not written as nearly all are. They are what they are when the whole file is read, at the same places
    /// of the same text; the others are missing.
    ///
    /// `None` where only reading all of the file tells what one of its entries is: if it is not simply a list
    /// of entries that stand alone, or is so large that its end may not be read.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn read_part(
        file: &Content,
        is_wanted: &dyn Fn(&str) -> bool,
        stop: &Stop,
    ) -> Result<Option<Self>, Stopped> {
        let (text, diagnostics) = opatlas_yaml::decode_shared(file);
        if !diagnostics.is_empty() {
            return Ok(None);
        }
        let Some(chunks) = part(&text, is_wanted) else {
            return Ok(None);
        };
        stop.check()?;
        Self::of_chunks(&text, chunks, None, &InTurn, stop)
    }
}

/// The places of wanted entries, and of those that only reading tells about.
fn part(text: &Arc<str>, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<Span>> {
    let mut chunks = opatlas_yaml::split(text)?;
    if may_be_cut_off(text, chunks.len()) {
        return None;
    }
    chunks.retain(|chunk| {
        let chunk = chunk.slice(text);
        let is_left_out = base_name(chunk).is_some_and(|base| !is_wanted(base))
            && opatlas_yaml::stands_alone(chunk);
        !is_left_out
    });
    Some(chunks)
}

/// Whether a file may have more of something than is read. Arguments and returns are set apart by commas, and
/// neither a line nor a part between commas gets more than a few complaints.
fn may_be_cut_off(text: &str, entries: usize) -> bool {
    let count = |byte: u8| text.bytes().filter(|other| *other == byte).count();
    let (commas, lines) = (count(b','), count(b'\n'));
    entries > MOST_ENTRIES
        || commas + 2 * entries > MOST_ARGUMENTS
        || 2 * (commas + lines) > MOST_COMPLAINTS
}

/// The base name of the operator that an entry declares. `None` where its first line does not say it plainly,
/// or another one may say it too.
fn base_name(chunk: &str) -> Option<&str> {
    let name = chunk.strip_prefix(FUNC)?;
    let (name, _) = name.split_once('(')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
    if !name.bytes().all(is_name) || chunk.contains("\n  func:") {
        return None;
    }
    let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
    Some(name.split_once('.').map_or(name, |(base, _)| base))
}

#[cfg(test)]
mod tests {
    use opatlas_source::{Content, Stop};

    use super::NativeFunctions;

    /// The names of the entries that are read where `f` is wanted.
    fn part(text: &str) -> Option<Vec<String>> {
        let file = Content::from(text.as_bytes());
        let read = NativeFunctions::read_part(&file, &|base| base == "f", &Stop::never());
        let whole = NativeFunctions::read(text.as_bytes(), None);
        let read = read.unwrap()?;
        assert_eq!(read.text, whole.text);
        let entry = |placed: &crate::operator::PlacedEntry| format!("{placed:?}");
        let all: Vec<_> = whole.entries.iter().map(entry).collect();
        assert!(
            read.entries
                .iter()
                .all(|placed| all.contains(&entry(placed)))
        );
        let names = read.entries.iter().map(|placed| placed.entry.name.as_ref());
        Some(names.map(|name| name.unwrap().to_string()).collect())
    }

    #[test]
    fn entries_are_those_of_the_whole_file() {
        let text = "# c\n- func: f.a(Tensor x) -> ()\n- func: g() -> ()\n  tags: q\n\n- func: custom::f() -> ()\n";
        assert_eq!(part(text).unwrap(), ["f.a", "f"]);
        assert!(part("- func: g() -> ()\n").unwrap().is_empty());
    }

    #[test]
    fn entries_that_are_written_otherwise_are_read() {
        for other in [
            "- func: 'g() -> ()'\n",
            "- variants: function\n  func: g() -> ()\n",
            "- func: g() -> ()\n  tags: 'q'\n",
            "- func: g() -> ()\n  func: f() -> ()\n",
            "- func: g() -> ()\n  'func': f() -> ()\n",
        ] {
            let names = part(&format!("- func: h() -> ()\n{other}")).unwrap();
            assert_eq!(names.len(), 1, "{other:?}");
        }
    }

    #[test]
    fn files_that_must_be_read_as_a_whole() {
        let many = "- func: g() -> ()\n".repeat(9_000);
        let wide = format!("- func: g({}) -> ()\n", "int a, ".repeat(70_000));
        let long = format!("- func: g() -> ()\n{}", "\n".repeat(60_000));
        for other in [
            "- func: g() -> ()\n  tags: [a\n",
            "- func: g() -> ()\n  tags: 'a\n",
            "- func: g() -> ()\n  tags: &a b\n",
            "- func: g() -> ()\n tags: b\n",
            "---\n",
            &many,
            &wide,
            &long,
        ] {
            assert_eq!(
                part(&format!("- func: f() -> ()\n{other}")),
                None,
                "{other:.40}"
            );
        }
        assert_eq!(part(""), None);
        assert_eq!(part("- func: f() -> ()\n- \u{1}\n"), None);
    }
}
