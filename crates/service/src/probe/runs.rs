//! Creates runs and splits them into shards of about equal cost.

use std::collections::BTreeMap;

use opatlas_report::packing::pack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ProbeRefusal, expect_short};
use crate::Service;
use crate::error::ServiceError;
use opatlas_store::{NewProbeRun, ProbeDuration, ProbeRun, ProjectName};

/// Maximum size of a probe request's body, in bytes.
pub const LARGEST_BODY: usize = 16 << 20;

const PARTS: [&str; 3] = ["tables", "calls", "runs"];
const MOST_ITEMS: usize = 20_000;
const LONGEST_NAME: usize = 300;
const SHARD_SECONDS: (f64, f64) = (20.0, 3600.0);
const LEASE_SECONDS: (f64, f64) = (30.0, 600.0);
/// Assumed cost of an item if no costs are known, in milliseconds.
const UNKNOWN_COST: i64 = 1000;

/// The request of a worker to open a run.
#[derive(Debug, Clone)]
pub struct OpenRun {
    /// The name of the run.
    pub key: String,
    /// The address of the revision.
    pub revision: String,
    /// The PyTorch release of the worker.
    pub torch: String,
    /// The device.
    pub device: String,
    /// The items of each part.
    pub items: BTreeMap<String, Vec<String>>,
    /// The cost of a shard, in seconds.
    pub shard_seconds: Option<f64>,
    /// The length of a lease, in seconds.
    pub lease_seconds: Option<f64>,
}

/// An open run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedRun {
    /// Its name.
    pub run: String,
    /// The number of its shards.
    pub shards: i64,
}

type Places = Vec<usize>;

impl Service {
    /// Creates a run, or joins the existing one of this name, for the token with this id. Fails
    /// with [`ProbeRefusal`], and errors of resolving the revision.
    pub async fn open_probe_run(
        &self,
        project: &str,
        asked: OpenRun,
        token: Option<&str>,
    ) -> Result<OpenedRun, ServiceError> {
        let (shard, lease) = expect_well_formed(&asked)?;
        let revision = self
            .measured(project, &asked.revision, &asked.torch)
            .await?;
        let name = ProjectName::parse(project)?;
        let run = match self.store.probe_run(&name, &asked.key).await? {
            Some(run) => run,
            None => {
                let known = self.store.probe_durations(&name, &asked.device).await?;
                let items = asked.items.clone();
                let shards = self
                    .compute(move |_| Ok(shards(&items, &known, shard)))
                    .await?;
                let new = NewProbeRun {
                    name: asked.key.clone(),
                    revision: revision.digest,
                    address: asked.revision.clone(),
                    torch: asked.torch.clone(),
                    device: asked.device.clone(),
                    lease,
                    token: token.map(str::to_owned),
                    shards,
                };
                self.store.open_probe_run(&name, &new, self.now()).await?
            }
        };
        let is_same = (run.revision, &run.torch, &run.device)
            == (revision.digest, &asked.torch, &asked.device);
        if !is_same {
            return Err(other_run(&run, &asked).into());
        }
        Ok(OpenedRun {
            run: run.name,
            shards: run.shards,
        })
    }
}

fn other_run(run: &ProbeRun, asked: &OpenRun) -> ProbeRefusal {
    let words =
        |revision, torch, device| format!("revision `{revision}` with torch {torch} on {device}");
    ProbeRefusal::OtherRun {
        name: run.name.clone(),
        stored: words(&run.address, &run.torch, &run.device),
        given: words(&asked.revision, &asked.torch, &asked.device),
    }
}

fn expect_well_formed(asked: &OpenRun) -> Result<(u32, i64), ProbeRefusal> {
    expect_short("key", &asked.key, LONGEST_NAME)?;
    expect_short("revision", &asked.revision, LONGEST_NAME)?;
    expect_short("torch", &asked.torch, LONGEST_NAME)?;
    expect_short("device", &asked.device, LONGEST_NAME)?;
    for (part, items) in &asked.items {
        if !PARTS.contains(&part.as_str()) {
            let must = format!("an object of lists for some of {}", PARTS.join(", "));
            return Err(ProbeRefusal::member("items", &must));
        }
        let distinct: FxHashSet<_> = items.iter().collect();
        if items.len() > MOST_ITEMS || distinct.len() < items.len() {
            let must = format!("lists of at most {MOST_ITEMS} names, each once");
            return Err(ProbeRefusal::member("items", &must));
        }
        for item in items {
            expect_short("items", item, LONGEST_NAME)?;
        }
    }
    let shard = seconds("shard_seconds", asked.shard_seconds, SHARD_SECONDS)?;
    let lease = seconds("lease_seconds", asked.lease_seconds, LEASE_SECONDS)?;
    // Both are small and positive.
    Ok((
        ((shard * 1e3).round() as u32).max(1),
        (lease * 1e6).round() as i64,
    ))
}

fn seconds(name: &str, asked: Option<f64>, (usual, most): (f64, f64)) -> Result<f64, ProbeRefusal> {
    let asked = asked.unwrap_or(usual);
    if asked > 0.0 && asked <= most {
        Ok(asked)
    } else {
        Err(ProbeRefusal::member(
            name,
            &format!("above 0 and at most {most}"),
        ))
    }
}

fn shards(
    items: &BTreeMap<String, Vec<String>>,
    known: &[ProbeDuration],
    capacity: u32,
) -> Vec<(String, String)> {
    let mut made = Vec::new();
    for (part, names) in items {
        let costs = costs(names, part, known);
        for places in packed(&costs, capacity) {
            let names: Vec<&str> = places.into_iter().map(|place| &*names[place]).collect();
            made.push((part.clone(), serde_json::json!(names).to_string()));
        }
    }
    made
}

/// In earlier runs, in milliseconds. Unknown items get the median cost of the known ones.
fn costs(names: &[String], part: &str, known: &[ProbeDuration]) -> Vec<u32> {
    let of_part = known.iter().filter(|duration| duration.part == part);
    let known: FxHashMap<&str, i64> = of_part
        .map(|duration| (&*duration.item, duration.milliseconds))
        .collect();
    let mut sorted: Vec<i64> = known.values().copied().collect();
    sorted.sort_unstable();
    let usual = sorted.get(sorted.len() / 2).copied();
    let usual = usual.unwrap_or(UNKNOWN_COST);
    let cost = |name: &String| known.get(&**name).copied().unwrap_or(usual);
    let costs = names.iter().map(cost);
    costs
        .map(|cost| u32::try_from(cost.max(1)).unwrap_or(u32::MAX))
        .collect()
}

/// Best-fit-decreasing packing. An item that exceeds the capacity gets a shard of its own. Shards
/// are sorted by their first items, so the result depends only on the arguments.
fn packed(costs: &[u32], capacity: u32) -> Vec<Places> {
    let (large, small): (Places, Places) =
        (0..costs.len()).partition(|&place| costs[place] > capacity);
    let sizes: Vec<u32> = small.iter().map(|&place| costs[place]).collect();
    let mut shards: Vec<Places> = large.into_iter().map(|place| vec![place]).collect();
    match pack(&[&sizes], capacity) {
        Ok(packing) => shards.extend(packing.bins().map(|bin| {
            let places = bin.iter().map(|&item| small[item as usize]);
            places.collect::<Places>()
        })),
        // Cannot happen, because capacity and items are limited. One item per shard is also
        // correct.
        Err(_) => shards.extend(small.into_iter().map(|place| vec![place])),
    }
    shards.sort_by_key(|places| places.first().copied());
    shards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_follow_recorded_durations() {
        let known =
            [("a", 2000), ("b", 500), ("c", 1500)].map(|(item, milliseconds)| ProbeDuration {
                part: "runs".to_owned(),
                item: item.to_owned(),
                milliseconds,
            });
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let items = BTreeMap::from([("runs".to_owned(), names("a b c"))]);
        let of_runs = |json: &str| ("runs".to_owned(), json.to_owned());
        assert_eq!(
            shards(&items, &known, 2000),
            [of_runs(r#"["a"]"#), of_runs(r#"["b","c"]"#)]
        );
        // `d` is assumed to cost the median; `a` gets a shard of its own.
        assert_eq!(costs(&names("d b"), "runs", &known), [1500, 500]);
        assert_eq!(costs(&names("d"), "calls", &known), [1000]);
        assert_eq!(packed(&[1, 9, 1], 4), [vec![0, 2], vec![1]]);
        assert!(packed(&[], 4).is_empty());
    }
}
