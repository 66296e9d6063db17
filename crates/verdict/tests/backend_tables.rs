//! The tables of versions of torch_xla as their processes computed them, made from PyTorch's files, the
//! backend file and the registrations in its sources (`recorders/backend_tables.py`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use opatlas_dispatch::{Build, Inputs, Observed, ObservedRegistration, Origin, Source, provenance};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Span};
use opatlas_sources::{Registration, RegistrationKind, Sources};
use opatlas_verdict::{Tables, Verdict, View};
use serde_json::Value;

/// The keys that were recorded.
const KEYS: [&str; 3] = ["XLA", "AutogradXLA", "AutocastXLA"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The versions that were recorded: each is also the release of PyTorch that it is built for.
const VERSIONS: [&str; 5] = ["2.3.0", "2.5.1", "2.7.0", "2.8.0", "2.9.0"];

fn recorded(version: &str) -> Vec<Value> {
    let path = root().join(format!(
        "tests/golden/backend_tables_xla_{version}.jsonl.gz"
    ));
    let mut text = String::new();
    let file = fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// PyTorch with the backend file; `None` where the release has not been fetched.
fn bundle(version: &str, lists: &Value) -> Option<Bundle> {
    let folder = std::env::var_os("OPATLAS_RELEASES_DIR")
        .map_or_else(|| root().join(".cache/releases"), PathBuf::from)
        .join(version);
    let mut bundle = Bundle::default();
    for name in ["native_functions.yaml", "tags.yaml", "derivatives.yaml"] {
        let Ok(bytes) = fs::read(folder.join(name)) else {
            assert!(
                std::env::var_os("OPATLAS_REQUIRE_RELEASES").is_none(),
                "{name} of {version} is missing; run `make releases`"
            );
            eprintln!("skipped: {name} of {version} has not been fetched (`make releases`)");
            return None;
        };
        bundle.insert(name, bytes);
    }
    let mut yaml = String::new();
    for (name, value) in lists.as_object().unwrap() {
        match value.as_array() {
            None => writeln!(yaml, "{name}: {}", value.as_str().unwrap()).unwrap(),
            Some(items) => {
                writeln!(yaml, "{name}:").unwrap();
                for item in items {
                    writeln!(yaml, "- {}", item.as_str().unwrap()).unwrap();
                }
            }
        }
    }
    bundle.insert("backends/xla.yaml", yaml.into_bytes());
    Some(bundle)
}

fn sources(rows: &[Value]) -> Sources {
    let mut files: Vec<Box<str>> = Vec::new();
    let found = rows.iter().filter_map(|row| row.get("registration"));
    let registrations = found.map(|row| {
        let text = |name: &str| row[name].as_str().map(Box::<str>::from);
        let file = text("file").unwrap();
        if files.last() != Some(&file) {
            files.push(file);
        }
        Registration {
            kind: match row["kind"].as_str().unwrap() {
                "impl" => RegistrationKind::Impl,
                "fallback" => RegistrationKind::Fallback,
                _ => RegistrationKind::Def,
            },
            namespace: text("namespace"),
            library: None,
            operator: text("operator"),
            key: text("key"),
            kernel: text("kernel"),
            fallthrough: row["fallthrough"].as_bool().unwrap(),
            boxed: false,
            cpu_fallback: None,
            schema: None,
            file: u32::try_from(files.len() - 1).unwrap(),
            at: Span::default(),
            block: Span::default(),
            condition: None,
            through: text("through").unwrap(),
            unresolved: (row["resolved"] == false).then(|| "as recorded".into()),
        }
    });
    let registrations = registrations.collect();
    Sources::of_registrations(files, registrations)
}

fn with_view(version: &str, observed: &Observed, then: impl FnOnce(View<'_>, &[Value])) {
    let rows = recorded(version);
    let Some(bundle) = bundle(version, &rows[0]["file"]) else {
        return;
    };
    let release = Release::parse(version).unwrap().release;
    let mut catalogue = Catalogue::read(&bundle, release, None);
    catalogue.sources = Arc::new(sources(&rows));
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: catalogue.derivatives.as_deref(),
        matches: &catalogue.derivative_matches,
        backends: &catalogue.backends,
        observed,
        provenance: provenance(&bundle, release),
    };
    let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
    then(View::new(inputs, &tables), &rows);
}

#[test]
fn files_and_sources_give_every_cell_of_the_process() {
    for version in VERSIONS {
        with_view(version, &Observed::default(), |view, rows| {
            let cells = compare_cells(version, view, rows);
            let names = rows.iter().filter_map(|row| row["op"].as_str());
            let declared = names.filter(|name| !is_undeclared(name)).count();
            assert_eq!(cells, KEYS.len() * declared, "{version}");
        });
    }
}

/// Whether C++ alone defines an operator: no file of PyTorch declares it.
fn is_undeclared(name: &str) -> bool {
    name == "get_gradients"
        || ["quantized_gru.", "quantized_lstm."].iter().any(|base| {
            name.strip_prefix(base).is_some_and(|overload| {
                ["data", "data_legacy", "input", "input_legacy"].contains(&overload)
            })
        })
}

/// Compares every recorded cell of declared operators; the number of cells.
fn compare_cells(version: &str, view: View<'_>, rows: &[Value]) -> usize {
    let keys = Keys::of(view.inputs.catalogue.release);
    let mut cells = 0;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.get("op").is_some()) {
        let name = row["op"].as_str().unwrap();
        let Some(id) = view.inputs.catalogue.find(name) else {
            if is_undeclared(name) {
                continue;
            }
            wrong
                .entry("no operator".into())
                .or_default()
                .push(name.to_owned());
            continue;
        };
        for key in KEYS {
            let entry = view.entry(id, keys.slot(key).unwrap()).unwrap();
            let file = entry.file.unwrap_or_default();
            let of_source = entry.origin == Some(Origin::Source);
            let is_right = entry.reason.as_str() == row[key][0]
                && entry.fallthrough == row[key][2]
                // A process names the file of torch.library for what Python registers.
                && (!of_source || file.ends_with(".py") || file.ends_with(row[key][1].as_str().unwrap()));
            cells += 1;
            if !is_right {
                let told = format!("{key}: {} {file} instead of {}", entry.reason, row[key]);
                wrong.entry(told).or_default().push(name.to_owned());
            }
        }
    }
    assert!(wrong.is_empty(), "{version}: {wrong:#?}");
    cells
}

#[test]
fn the_fallback_of_sources_gives_verdicts_and_places() {
    with_view("2.9.0", &Observed::default(), |view, _| {
        let keys = Keys::of(Release::V2_9);
        let [xla, _, autocast] = KEYS.map(|key| keys.slot(key).unwrap());
        let id = view.inputs.catalogue.find("linalg_eig").unwrap();
        let entry = view.entry(id, xla).unwrap();
        assert_eq!(entry.origin, Some(Origin::Source));
        assert_eq!(entry.kernel.as_deref(), Some("xla_fallback"));
        assert_eq!(entry.file, Some("torch_xla/csrc/aten_fallback.cpp"));
        assert!(!entry.derivable);
        assert_eq!(view.verdict(id, xla), Verdict::FallsBack);
        // The fallthrough passes on to the backend.
        assert!(view.entry(id, autocast).unwrap().fallthrough);
        assert_eq!(view.verdict(id, autocast), Verdict::FallsBack);
        let einsum = view.inputs.catalogue.find("einsum").unwrap();
        let entry = view.entry(einsum, xla).unwrap();
        assert_eq!(entry.origin, Some(Origin::Source));
        assert_eq!(entry.kernel.as_deref(), Some("XLANativeFunctions::einsum"));
        let of_files = Tables::new(view.inputs, &Build::ALL, Source::Files);
        let of_files = View::new(view.inputs, &of_files);
        assert_eq!(of_files.entry(id, xla).unwrap().origin, None);
    });
}

#[test]
fn an_observation_wins_over_sources_and_sources_over_files() {
    let observed = Observed::new(vec![ObservedRegistration {
        operator: "einsum".into(),
        key: "XLA".into(),
        file: Some("seen.cpp".into()),
        fallthrough: false,
        boxed: false,
    }]);
    with_view("2.9.0", &observed, |view, _| {
        let keys = Keys::of(Release::V2_9);
        let xla = keys.slot("XLA").unwrap();
        let origin = |name: &str| {
            let id = view.inputs.catalogue.find(name).unwrap();
            view.entry(id, xla).unwrap().origin
        };
        assert_eq!(origin("einsum"), Some(Origin::Observed));
        assert_eq!(origin("upsample_trilinear3d"), Some(Origin::Source));
        assert_eq!(origin("abs"), Some(Origin::BackendFile));
    });
}
