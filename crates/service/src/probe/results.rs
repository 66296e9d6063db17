//! Parses and checks the results of shards.

use std::collections::BTreeMap;

use opatlas_source::Digest;

use super::{Json, ProbeRefusal, expect_short};
use crate::error::ServiceError;
use opatlas_store::StoreError;

const LONGEST_OUTCOME: usize = 64;
/// The longest recorded duration, in milliseconds: a day.
const LONGEST: f64 = 86_400_000.0;

pub(super) struct GivenResult {
    pub(super) lease: String,
    pub(super) rank: i64,
    pub(super) rows: String,
    pub(super) digest: Digest,
    pub(super) items: Vec<String>,
    pub(super) outcomes: BTreeMap<String, u64>,
    pub(super) durations: Vec<(String, i64)>,
}

pub(super) fn read_result(body: &[u8]) -> Result<GivenResult, ServiceError> {
    let body = Json::read(body)
        .map_err(|error| ProbeRefusal::Malformed(format!("the body is not JSON: {error}")))?;
    let text = |name| {
        let text = body.member(name).and_then(Json::as_text);
        text.ok_or_else(|| ProbeRefusal::member(name, "text"))
    };
    let lease = text("lease")?.to_owned();
    let rank = body
        .member("worker")
        .and_then(|worker| worker.member("rank"));
    let rows = body.member("rows").filter(|rows| rows.as_list().is_some());
    let rows = rows.ok_or_else(|| ProbeRefusal::member("rows", "a list"))?;
    let canonical = rows.canonical();
    let digest = Digest::of(canonical.as_bytes());
    if text("digest")? != digest.to_string() {
        let why =
            "the rows do not match the digest: the result was cut short or changed on its way";
        return Err(ProbeRefusal::Incomplete(why.to_owned()).into());
    }
    let mut given = GivenResult {
        lease,
        // A rank is a small number.
        rank: rank.and_then(Json::as_number).map_or(0, |rank| rank as i64),
        rows: String::new(),
        digest,
        items: Vec::new(),
        outcomes: BTreeMap::new(),
        durations: Vec::new(),
    };
    for row in rows.as_list().unwrap_or_default() {
        read_row(row, &mut given)?;
    }
    given.rows = canonical;
    Ok(given)
}

fn read_row(row: &Json<'_>, given: &mut GivenResult) -> Result<(), ProbeRefusal> {
    let text = |name| row.member(name).and_then(Json::as_text);
    let (Some(item), Some(outcome)) = (text("item"), text("outcome")) else {
        let why = "every row must be an object with the texts `item` and `outcome`";
        return Err(ProbeRefusal::Incomplete(why.to_owned()));
    };
    expect_short("outcome", outcome, LONGEST_OUTCOME)?;
    given.items.push(item.to_owned());
    *given.outcomes.entry(outcome.to_owned()).or_default() += 1;
    if let Some(seconds) = row.member("seconds").and_then(Json::as_number) {
        let milliseconds = (seconds * 1e3).clamp(0.0, LONGEST).round() as i64;
        given.durations.push((item.to_owned(), milliseconds));
    }
    Ok(())
}

pub(super) fn expect_items(
    mut wanted: Vec<String>,
    mut given: Vec<String>,
) -> Result<(), ProbeRefusal> {
    wanted.sort_unstable();
    given.sort_unstable();
    if wanted == given {
        return Ok(());
    }
    let lacking = wanted
        .iter()
        .filter(|item| given.binary_search(item).is_err());
    let lacking: Vec<&str> = lacking.take(5).map(|item| &**item).collect();
    let why = if lacking.is_empty() {
        "some items have two rows, or are not of the shard".to_owned()
    } else {
        format!("no row for {}", lacking.join(", "))
    };
    Err(ProbeRefusal::Incomplete(format!(
        "a result needs one row for each item of the shard: {why}"
    )))
}

pub(super) fn rows(stored: &[(String, String)]) -> Result<Vec<u8>, ServiceError> {
    let mut rows = Vec::new();
    for (part, text) in stored {
        let shard = Json::read(text.as_bytes())
            .map_err(|error| StoreError::corrupt(format!("a result: {error}")))?;
        let Json::List(list) = shard else { continue };
        for row in list {
            let item = row.member("item").and_then(Json::as_text);
            let item = item.unwrap_or_default().to_owned();
            let Json::Object(mut members) = row else {
                continue;
            };
            members.retain(|(name, _)| name != "seconds" && name != "part");
            members.push(("part".to_owned(), Json::Text(part.clone())));
            rows.push((part, item, Json::Object(members).canonical()));
        }
    }
    rows.sort();
    let rows: Vec<&str> = rows.iter().map(|(_, _, row)| &**row).collect();
    Ok(format!("{{\"rows\":[{}]}}", rows.join(",")).into_bytes())
}
