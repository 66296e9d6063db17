//! Lists of operators with counts: lines, CSV, `uniq -c`, and the lists of `torch.jit.export_opnames`
//! as YAML, JSON or Python.

use crate::name::Name;

/// A line that is not an operator with an optional count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// Its beginning.
    pub text: String,
}

/// Words that a first line may have instead of an operator.
const HEADERS: [&str; 5] = ["operator", "operators", "op", "ops", "name"];

/// Reads a list: one operator on each line in any spelling of [`Name::parse`], with an optional count
/// before or behind it. `#` begins a comment. A first line of words is a header. A line may also be
/// an item of a YAML list, and the whole text a list in brackets.
///
/// # Errors
/// [`BadLine`], and what `add` fails with.
pub fn read_list<E: From<BadLine>>(
    text: &str,
    mut add: impl FnMut(Name, u64) -> Result<(), E>,
) -> Result<(), E> {
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let bracketed = text.trim_start().strip_prefix('[');
    if let Some(inner) = bracketed.and_then(|text| text.strip_suffix(']')) {
        return in_brackets(inner, add);
    }
    let mut is_first = true;
    for (index, line) in text.lines().enumerate() {
        let line = item(line);
        if line.is_empty() {
            continue;
        }
        match counted(line) {
            Some((name, count)) if !(is_first && is_header(line)) => add(name, count)?,
            _ if is_first && has_no_number(line) => {}
            _ => return Err(BadLine::new(index, line).into()),
        }
        is_first = false;
    }
    Ok(())
}

impl BadLine {
    fn new(index: usize, text: &str) -> Self {
        Self {
            number: index + 1,
            text: text.chars().take(80).collect(),
        }
    }
}

/// A line without comment and YAML's dash.
fn item(line: &str) -> &str {
    let line = match line.find('#') {
        Some(at) if at == 0 || line[..at].ends_with([' ', '\t']) => &line[..at],
        _ => line,
    };
    let line = line.trim();
    line.strip_prefix("- ").unwrap_or(line).trim()
}

fn is_header(line: &str) -> bool {
    HEADERS.contains(&line.to_ascii_lowercase().as_str())
}

/// Whether a line can be a header such as `operator,count`: it has two words and no number.
fn has_no_number(line: &str) -> bool {
    let mut fields = fields(line);
    let is_number = |field: &str| field.parse::<u64>().is_ok();
    is_header(line) || fields.clone().count() == 2 && !fields.any(is_number)
}

fn fields(line: &str) -> impl Iterator<Item = &str> + Clone {
    let fields = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    let fields = fields.map(|field| field.trim_matches(['"', '\'']));
    fields.filter(|field| !field.is_empty())
}

fn counted(line: &str) -> Option<(Name, u64)> {
    let mut fields = fields(line);
    let (first, second) = (fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    let (name, count) = match second {
        None => (first, 1),
        Some(second) => match (first.parse(), second.parse()) {
            (_, Ok(count)) => (first, count),
            (Ok(count), Err(_)) => (second, count),
            (Err(_), Err(_)) => return None,
        },
    };
    Some((Name::parse(name)?.reached(), count))
}

/// `'aten::add.Tensor', "aten::mul.Tensor"`, on one line or several.
fn in_brackets<E: From<BadLine>>(
    text: &str,
    mut add: impl FnMut(Name, u64) -> Result<(), E>,
) -> Result<(), E> {
    for (index, line) in text.lines().enumerate() {
        for field in fields(line) {
            let operator = Name::parse(field).ok_or_else(|| BadLine::new(index, field))?;
            add(operator.reached(), 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, u64)>, usize> {
        let mut found = Vec::new();
        let read = read_list(text, |name, count| {
            found.push((name.text, count));
            Ok::<_, BadLine>(())
        });
        read.map(|()| found).map_err(|line| line.number)
    }

    #[test]
    fn every_form_is_read() {
        let two = vec![("add.Tensor".to_owned(), 3), ("mm".to_owned(), 1)];
        for text in [
            "operator,count\naten::add.Tensor,3\nmm,1\n",
            "\u{feff}\"add.Tensor\";3\n\nmm\n",
            "   3 aten.add.Tensor\n   1 aten.mm.default\n",
            "# comment\nadd.Tensor\t3 # more\nmm",
            "operator\nadd.Tensor 3\nmm 1",
            "- add.Tensor,3\n- mm\n",
        ] {
            assert_eq!(read(text), Ok(two.clone()), "{text}");
        }
        let names = vec![("add.Tensor".to_owned(), 1), ("mm".to_owned(), 1)];
        for text in [
            "['aten::add.Tensor', 'aten::mm']",
            "[\"aten::add.Tensor\",\n \"aten::mm\"\n]\n",
            "- aten::add.Tensor\n- aten::mm\n",
        ] {
            assert_eq!(read(text), Ok(names.clone()), "{text}");
        }
    }

    #[test]
    fn a_line_that_is_not_an_operator_is_named() {
        assert_eq!(read("add.Tensor,3\nnonsense,x\n"), Err(2));
        assert_eq!(read("add.Tensor 3 4\n"), Err(1));
        assert_eq!(read("mm\n\nf(x)\n"), Err(3));
        assert_eq!(read("x = y\n"), Err(1));
        assert_eq!(read("['a b c', 'x!']"), Err(1));
        assert_eq!(read(""), Ok(Vec::new()));
    }
}
