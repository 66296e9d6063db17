//! Validates the names in a database: in a backup, which is untrusted input, before it is restored,
//! and in every database that is checked.

use futures_util::TryStreamExt as _;
use tokio::sync::mpsc::channel;

use super::Store;
use super::copy::{Kind, Rows, TABLES, Table, Value};
use super::database::Connection;
use super::error::StoreError;
use super::names::{LabelName, MAX_NAME, ProjectName};
use opatlas_source::Bundle;

const MOST: usize = 10;
const AHEAD: usize = 4;

/// Invalid names in a store, at most 10, each with the reason.
pub async fn unfit_names(store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let (sink, mut source) = channel(AHEAD);
    let look = async move {
        let mut faults = Vec::new();
        while let Some(rows) = source.recv().await {
            look_at(&rows, &mut faults);
            if faults.len() >= MOST {
                faults.truncate(MOST);
                break;
            }
        }
        faults
    };
    let (faults, sent) = tokio::join!(look, store.export(sink));
    // A store whose receiver stopped listening reports an error, which is expected here.
    if faults.is_empty() {
        sent.map(|()| faults)
    } else {
        Ok(faults)
    }
}

/// As [`unfit_names`], in an open transaction.
pub(crate) async fn unfit_in(connection: &mut impl Connection) -> Result<Vec<String>, StoreError> {
    let mut faults = Vec::new();
    let has_texts = |table: &&Table| table.columns.iter().any(|(_, kind)| *kind == Kind::Text);
    for table in TABLES.iter().filter(has_texts) {
        let mut rows = connection.table(table);
        while let Some(row) = rows.try_next().await? {
            look_at_row(table, &row, &mut faults);
            if faults.len() >= MOST {
                faults.truncate(MOST);
                return Ok(faults);
            }
        }
    }
    Ok(faults)
}

fn look_at(rows: &Rows, faults: &mut Vec<String>) {
    if let Some(table) = TABLES.get(rows.table) {
        for row in &rows.rows {
            look_at_row(table, row, faults);
        }
    }
}

fn look_at_row(table: &Table, row: &[Value], faults: &mut Vec<String>) {
    for ((column, _), value) in table.columns.iter().zip(row) {
        if let Value::Text(Some(text)) = value
            && let Some(fault) = fault(table.name, column, text)
        {
            faults.push(shown(&fault));
        }
    }
}

fn fault(table: &str, column: &str, text: &str) -> Option<String> {
    let unless = |fits: bool, what: &str| (!fits).then(|| format!("`{text}` is not {what}"));
    match (table, column) {
        ("projects", "name") => ProjectName::parse(text).err().map(|e| e.to_string()),
        ("labels", "name") => LabelName::parse(text).err().map(|e| e.to_string()),
        ("revision_files", "name") => {
            unless(Bundle::is_file_name(text), "a name of a file in a revision")
        }
        ("commits", "id") => unless(is_commit(text), "the id of a commit"),
        ("tokens", "projects") => {
            let names = || text.split(' ').all(|name| ProjectName::parse(name).is_ok());
            unless(text == "*" || names(), "a list of projects")
        }
        ("tokens", "actions") => {
            let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            unless(text.split(' ').all(is_word), "a list of actions")
        }
        ("exceptions" | "tokens", "id") => unless(is_plain(text), "an id"),
        ("exceptions", "until_date") => unless(is_plain(text), "a date"),
        // The first step of a timeline has no base.
        ("steps", "base_release") if text.is_empty() => None,
        (_, "release" | "base_release" | "head_release" | "until_release") => {
            unless(is_plain(text), "a release")
        }
        ("probe_runs", "name" | "address" | "torch" | "device") | (_, "item") => {
            let is_line = !text.is_empty() && !text.chars().any(char::is_control);
            unless(is_line, "a text without control characters")
        }
        _ => None,
    }
}

fn is_commit(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)
}

fn is_plain(text: &str) -> bool {
    let of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(of_names)
}

fn shown(message: &str) -> String {
    let kept = |char: char| if char.is_control() { '\u{fffd}' } else { char };
    message.chars().take(300).map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn every_name_has_its_grammar() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        for (table, column, good, bad) in [
            ("projects", "name", "acme-npu", "../../x"),
            ("labels", "name", "2.9.0", "a b"),
            ("revision_files", "name", "backends/acme.yaml", "../x.yaml"),
            ("commits", "id", commit, "main"),
            ("tokens", "projects", "acme torch", "acme ../x"),
            ("tokens", "actions", "read ingest", "read;x"),
            ("tokens", "id", "0a1b2c", "\u{1b}[2J"),
            ("exceptions", "id", "0a1b2c", "a b"),
            ("exceptions", "until_date", "2027-01-31", "soon or later"),
            ("exceptions", "until_release", "2.16", "2/16"),
            ("labels", "release", "2.9", "2.9\n"),
            ("probe_runs", "name", "nightly 1", "a\nb"),
            ("steps", "head_release", "2.9", "2.9\n"),
        ] {
            assert_eq!(fault(table, column, good), None);
            assert!(fault(table, column, bad).is_some(), "{table}.{column}");
        }
        assert!(fault("projects", "name", "*").is_some());
        assert_eq!(fault("steps", "base_release", ""), None);
        assert!(fault("steps", "head_release", "").is_some());
        assert_eq!(fault("tokens", "projects", "*"), None);
        assert_eq!(fault("exceptions", "reason", "any\u{1b}text"), None);
    }
}
