//! Compares calls read from C++ sources with recorded calls.
//!
//! `source_calls_2.6.0.jsonl.gz` holds what is read from the sources of 2.6.0. With
//! `OPATLAS_PYTORCH_SOURCES`, a folder with those sources (`apt-get source pytorch` on Debian 13), they
//! are read again and must give the same; `OPATLAS_UPDATE_FACTS=1` then writes the file anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use opatlas_conformance::release;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls;
use opatlas_pytorch::release::Release;
use opatlas_sources::File;
use opatlas_verdict::source_calls::SourceCalls;
use serde::{Deserialize, Serialize};

/// The share of recorded calls that sources must show, in percent.
const FOUND: usize = 90;
/// The share of calls that no sample made, in percent of those that sources show on every path.
const INVENTED: usize = 5;

/// The calls of a kernel.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
struct Facts {
    always: BTreeSet<String>,
    sometimes: BTreeSet<String>,
    unresolved: BTreeSet<String>,
}

type AllFacts = BTreeMap<String, Facts>;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source_calls_2.6.0.jsonl.gz")
}

fn catalogue() -> Option<Catalogue> {
    Some(Catalogue::read(&release("2.6.0")?, Release::V2_6, None))
}

fn kept() -> AllFacts {
    let mut text = String::new();
    let file = fs::File::open(path()).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

fn write(facts: &AllFacts) {
    let mut file = GzEncoder::new(fs::File::create(path()).unwrap(), Compression::best());
    for row in facts {
        writeln!(file, "{}", serde_json::to_string(&row).unwrap()).unwrap();
    }
    file.finish().unwrap();
}

/// All C++ files in a folder.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|end| end == "cpp" || end == "h")
        {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

fn read(catalogue: &Catalogue, folder: &Path) -> AllFacts {
    let mut found = Vec::new();
    files(&folder.join("aten/src/ATen"), &mut found);
    let files: Vec<File<'_>> = found
        .iter()
        .map(|(path, bytes)| File { path, bytes })
        .collect();
    let name = |id: OperatorId| catalogue.operator(id).qualified_name().to_owned();
    let names = |ids: &BTreeSet<OperatorId>| ids.iter().map(|&id| name(id)).collect();
    let calls = SourceCalls::read(catalogue, &files, |_| true);
    let facts = calls.iter().map(|(id, kernel)| {
        let facts = Facts {
            always: names(&kernel.always),
            sometimes: names(&kernel.sometimes),
            unresolved: kernel
                .unresolved
                .iter()
                .map(|what| what.to_string())
                .collect(),
        };
        (name(id), facts)
    });
    facts.collect()
}

/// Whether PyTorch's authors wrote the composite kernel of an operator: torchgen writes the copies of
/// views.
fn is_hand_written(catalogue: &Catalogue, id: OperatorId) -> bool {
    let operator = catalogue.operator(id);
    let mut keys = catalogue
        .kernels(id)
        .iter()
        .map(|kernel| kernel.key.as_str());
    let is_composite = keys.any(|key| {
        matches!(
            key,
            "CompositeImplicitAutograd"
                | "CompositeExplicitAutograd"
                | "CompositeExplicitAutogradNonFunctional"
        )
    });
    is_composite && !operator.is_generated() && !operator.base_name().ends_with("_copy")
}

#[derive(Debug, Default)]
struct Figures {
    kernels: usize,
    recorded: usize,
    found: usize,
    /// Calls that every path makes.
    claimed: usize,
    invented: usize,
}

fn figures(catalogue: &Catalogue, facts: &AllFacts) -> Figures {
    let names: Vec<&str> = calls::names().collect();
    let mut figures = Figures::default();
    for row in calls::of_release(Release::V2_6) {
        let operator = names[usize::from(row.operator)];
        let Some(id) = catalogue.find(operator) else {
            continue;
        };
        if row.recorded_with != Release::V2_6 || !is_hand_written(catalogue, id) {
            continue;
        }
        let none = Facts::default();
        let read = facts.get(operator).unwrap_or(&none);
        let called = |places: &[u16]| {
            let names = places
                .iter()
                .map(|&place| names[usize::from(place)].to_owned());
            names.collect::<BTreeSet<String>>()
        };
        let (always, sometimes) = (called(row.always), called(row.sometimes));
        let is_found =
            |name: &&String| read.always.contains(*name) || read.sometimes.contains(*name);
        let is_invented = |name: &&String| !always.contains(*name) && !sometimes.contains(*name);
        figures.kernels += 1;
        figures.recorded += always.len();
        figures.found += always.iter().filter(is_found).count();
        figures.claimed += read.always.len();
        figures.invented += read.always.iter().filter(is_invented).count();
    }
    figures
}

#[test]
fn sources_show_what_was_recorded() {
    let Some(catalogue) = catalogue() else {
        return;
    };
    let figures = figures(&catalogue, &kept());
    println!("{figures:?}");
    assert!(figures.kernels > 1000, "{figures:?}");
    assert!(
        figures.found * 100 >= figures.recorded * FOUND,
        "{figures:?}"
    );
    assert!(
        figures.invented * 100 <= figures.claimed * INVENTED,
        "{figures:?}"
    );
}

#[test]
fn the_sources_of_the_release_give_the_same_facts() {
    let Some(folder) = std::env::var_os("OPATLAS_PYTORCH_SOURCES") else {
        let is_required = std::env::var_os("OPATLAS_REQUIRE_PYTORCH_SOURCES").is_some();
        assert!(
            !is_required,
            "set OPATLAS_PYTORCH_SOURCES to the sources of 2.6.0"
        );
        println!("skipped: OPATLAS_PYTORCH_SOURCES is not set");
        return;
    };
    let Some(catalogue) = catalogue() else {
        return;
    };
    let facts = read(&catalogue, Path::new(&folder));
    if std::env::var_os("OPATLAS_UPDATE_FACTS").is_some() {
        write(&facts);
    }
    let kept = kept();
    let differing: Vec<&String> = facts
        .iter()
        .filter(|(name, read)| kept.get(*name) != Some(read))
        .map(|(name, _)| name)
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
    assert_eq!(facts.len(), kept.len());
}
