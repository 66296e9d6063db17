//! Tables made from the YAML files of real releases against whole recorded runtimes, and the
//! numbers of registrations against those of 17 runtimes (`docs/spec/dispatch.md`, sections 8.1 and
//! 8.5, `docs/spec/dispatch.md`, section 9).

use std::collections::{BTreeMap, BTreeSet};

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Entry, Observed, Origin, Source, provenance};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, DERIVATIVES};
use opatlas_verdict::{Tables, View};
use serde_json::Value;

/// The recorded process of a release.
struct Runtime {
    files: Vec<String>,
    reasons: BTreeMap<String, String>,
    keysets: Vec<Vec<String>>,
    rows: BTreeMap<String, Value>,
}

impl Runtime {
    fn read(version: &str) -> Self {
        let mut lines =
            opatlas_conformance::golden(&format!("dispatch_runtime_{version}.jsonl.gz"));
        let head = lines.remove(0);
        let rows = lines.into_iter();
        Self {
            files: serde_json::from_value(head["files"].clone()).unwrap(),
            reasons: serde_json::from_value(head["reasons"].clone()).unwrap(),
            keysets: serde_json::from_value(head["keysets"].clone()).unwrap(),
            rows: rows
                .map(|row| (row["op"].as_str().unwrap().to_owned(), row))
                .collect(),
        }
    }

    /// By key: reason, file, source key, fallthrough. Keys that are absent are missing.
    fn table<'a>(&'a self, row: &'a Value) -> BTreeMap<&'a str, Cell<'a>> {
        let mut cells = BTreeMap::new();
        for group in row["t"].as_array().unwrap() {
            let reason = group[0].as_str().unwrap();
            let (short, passes) = match reason.strip_suffix('~') {
                Some(short) => (short, true),
                None => (reason, false),
            };
            let file = self.files[index(&group[1])].as_str();
            for key in &self.keysets[index(&group[2])] {
                let reason = self.reasons[short].as_str();
                cells.insert(key.as_str(), (reason, Some(file), passes));
            }
        }
        for key in &self.keysets[index(&row["fb"])] {
            cells.insert(key.as_str(), ("backend fallback", None, false));
        }
        cells
    }
}

type Cell<'a> = (&'a str, Option<&'a str>, bool);

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// A release's files, read.
struct Read {
    bundle: Bundle,
    catalogue: Catalogue,
    derivatives: Option<Derivatives>,
    matches: DerivativeMatches,
    observed: Observed,
}

impl Read {
    fn release(version: &str) -> Option<Self> {
        let bundle = opatlas_conformance::release(version)?;
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let derivatives = bundle
            .file(DERIVATIVES)
            .map(|bytes| Derivatives::read(bytes));
        let matches = DerivativeMatches::new(&catalogue, derivatives.as_ref());
        Some(Self {
            bundle,
            catalogue,
            derivatives,
            matches,
            observed: Observed::default(),
        })
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            catalogue: &self.catalogue,
            derivatives: self.derivatives.as_ref(),
            matches: &self.matches,
            backends: &[],
            observed: &self.observed,
            provenance: provenance(&self.bundle, self.catalogue.release),
        }
    }

    fn tables(&self, build: &str, source: Source) -> Tables {
        let build = Build::parse(build, self.catalogue.release).unwrap();
        Tables::new(self.inputs(), &build, source)
    }
}

/// The origin that a source file of the runtime stands for; the four of kernels as one.
fn origin_of_file(file: &str) -> Origin {
    match file {
        "RegisterBackendSelect.cpp" => Origin::BackendSelect,
        "RegisterFunctionalization.cpp" => Origin::Functionalize,
        "VariableType.cpp" => Origin::Autograd,
        "ADInplaceOrViewType.cpp" => Origin::InplaceOrView,
        "TraceType.cpp" => Origin::Tracer,
        file if file.starts_with("Register") && file.ends_with(".cpp") => Origin::Declared,
        _ => Origin::HandWritten,
    }
}

fn merged(origin: Origin) -> Origin {
    match origin {
        Origin::Structured | Origin::Autogen | Origin::ImplicitComposite => Origin::Declared,
        origin => origin,
    }
}

/// Whether an entry says what the process says; the flag of fallbacks is known by key.
fn agrees(entry: &Entry<'_>, cell: Option<&Cell<'_>>, view: View<'_>) -> bool {
    let Some(&(reason, file, passes)) = cell else {
        return entry.reason.as_str() == "missing" && entry.origin.is_none();
    };
    let Some(file) = file else {
        let passes = view.keys().fallthrough_fallbacks().contains(entry.slot);
        return entry.reason.as_str() == reason
            && entry.origin == Some(Origin::Fallback)
            && entry.fallthrough == passes;
    };
    let expected = origin_of_file(file);
    let same_file = match expected {
        Origin::HandWritten => entry.file == Some(file) || file == "null" && entry.file.is_none(),
        Origin::Declared => {
            let key = entry.source_name(view.keys()).unwrap_or_default();
            file == format!("Register{key}.cpp")
        }
        _ => true,
    };
    entry.reason.as_str() == reason
        && entry.origin.map(merged) == Some(expected)
        && entry.fallthrough == passes
        && same_file
}

fn whole_runtime(version: &str) {
    let Some(read) = Read::release(version) else {
        return;
    };
    let runtime = Runtime::read(version);
    let tables = read.tables("linux-cuda", Source::Everything);
    let view = View::new(read.inputs(), &tables);
    let mut wrong = Vec::new();
    let mut cells = 0;
    for (id, operator) in read.catalogue.iter() {
        let row = &runtime.rows[operator.name().as_str()];
        let expected = runtime.table(row);
        let registered = row["r"].as_object().unwrap();
        for entry in view.table(id) {
            cells += 1;
            let source = entry.source_name(view.keys());
            let is_registered = source.is_none_or(|source| registered.contains_key(source));
            if !agrees(&entry, expected.get(entry.key), view) || !is_registered {
                wrong.push(format!(
                    "{} {}: {entry:?} but {:?}",
                    operator.name(),
                    entry.key,
                    expected.get(entry.key)
                ));
            }
        }
    }
    println!("{version}: {cells} cells, {} wrong", wrong.len());
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(10)].join("\n")
    );
}

#[test]
fn every_cell_of_2_5_1() {
    whole_runtime("2.5.1");
}

#[test]
fn every_cell_of_2_9_0() {
    whole_runtime("2.9.0");
}

#[test]
fn every_cell_of_2_13_0() {
    whole_runtime("2.13.0");
}

/// Groups of keys as `docs/spec/dispatch.md`, section 9 reports them.
fn group(key: &str, functionality: &str) -> &'static str {
    match (functionality, key) {
        ("Dense", "CPU" | "CUDA") => "Dense CPU/CUDA",
        ("Dense", "Meta") => "Meta",
        ("Dense", _) => "Dense other backends",
        ("Quantized", _) => "Quantized*",
        ("Sparse", _) => "Sparse*",
        ("SparseCsr", _) => "SparseCsr*",
        ("NestedTensor", _) => "NestedTensor*",
        ("AutogradFunctionality", _) => "Autograd<backend>",
        (_, "Undefined") => "Undefined",
        (_, "FPGA" | "Vulkan" | "Metal" | "CustomRNGKeyId" | "MkldnnCPU") => "plain backends",
        (_, "BackendSelect") => "BackendSelect",
        (_, "Functionalize") => "Functionalize",
        (_, "Named") => "Named",
        (_, "Conjugate" | "Negative") => "Conjugate/Negative",
        (_, "ZeroTensor") => "ZeroTensor",
        (_, "ADInplaceOrView") => "ADInplaceOrView",
        (_, "AutogradOther") => "AutogradOther",
        (_, "AutogradNestedTensor") => "AutogradNestedTensor",
        (_, "Tracer") => "Tracer",
        (_, "FuncTorchBatched") => "FuncTorchBatched",
        (_, "BatchedNestedTensor") => "BatchedNestedTensor",
        (_, "VmapMode" | "FuncTorchVmapMode") => "VmapMode/FuncTorchVmapMode",
        (_, "Batched") => "Batched (legacy)",
        (_, key) if key.starts_with("Autocast") => "Autocast*",
        (_, key) if key.starts_with("FuncTorch") => "FuncTorch layers/GradWrapper",
        _ => "Python*/PreDispatch/Fake/other",
    }
}

/// With the files alone: the rates of `docs/spec/dispatch.md`, section 9, and exactly the other
/// cells are marked.
#[test]
fn what_the_files_alone_decide() {
    let Some(read) = Read::release("2.9.0") else {
        return;
    };
    let runtime = Runtime::read("2.9.0");
    let tables = read.tables("linux-cuda", Source::Files);
    let view = View::new(read.inputs(), &tables);
    let mut rates: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    for (id, operator) in read.catalogue.iter() {
        let expected = runtime.table(&runtime.rows[operator.name().as_str()]);
        for entry in view.table(id) {
            let cell = expected.get(entry.key);
            let rate = rates
                .entry(group(entry.key, entry.functionality))
                .or_default();
            let same_reason = entry.reason.as_str() == cell.map_or("missing", |cell| cell.0);
            let same = agrees(&entry, cell, view);
            rate[0] += 1;
            rate[1] += u32::from(same_reason);
            rate[2] += u32::from(same);
            assert_eq!(entry.derivable, same, "{} {entry:?}", operator.name());
            assert_eq!(entry.derivable, entry.cause.is_none());
        }
    }
    let mut total = [0; 3];
    for (group, rate) in &rates {
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(rate[0]);
        println!(
            "{group:32} {:6} cells, reason {:6.2} %, reason and file {:6.2} %",
            rate[0],
            percent(rate[1]),
            percent(rate[2])
        );
        for (total, count) in total.iter_mut().zip(rate) {
            *total += count;
        }
    }
    println!("all: {total:?}");
    assert_eq!(total, [437_598, 434_080, 433_451]);
    for (name, expected) in [
        ("Meta", [3171, 2499, 1870]),
        ("FuncTorchBatched", [3171, 2234, 2234]),
    ] {
        assert_eq!(rates[name], expected, "{name}");
    }
}

/// The columns of `docs/spec/dispatch.md`, section 8.1: operators, registrations by generated code,
/// hand-written ones; and of `docs/spec/dispatch.md`, section 9: cells with the same reason, and
/// with the same reason and file, when the files alone are asked.
const MEASURED: [(&str, usize, usize, usize, usize, usize); 17] = [
    ("2.0.1", 2977, 14351, 2985, 330_797, 330_327),
    ("2.1.2", 3039, 13748, 3280, 349_712, 349_132),
    ("2.2.2", 3066, 13972, 3523, 355_677, 355_087),
    ("2.3.1", 3096, 14092, 3602, 399_387, 398_766),
    ("2.4.1", 3118, 14193, 3583, 402_273, 401_645),
    ("2.5.1", 3130, 14351, 3731, 406_815, 406_187),
    ("2.6.0", 3144, 14418, 3752, 408_628, 408_000),
    ("2.7.1", 3148, 14434, 3884, 412_169, 411_540),
    ("2.8.0", 3164, 14582, 4022, 433_120, 432_491),
    ("2.9.0", 3171, 14614, 4028, 434_080, 433_451),
    ("2.10.0", 3184, 14729, 4038, 435_864, 435_235),
    ("2.11.0", 3194, 14776, 4046, 437_236, 436_607),
    ("2.12.1", 3216, 14860, 4071, 440_253, 439_618),
    ("2.13.0", 3101, 14576, 3503, 421_852, 421_215),
    ("2.14.0", 3103, 14607, 3526, 422_110, 421_466),
    ("2.14.1", 3103, 14607, 3526, 422_110, 421_466),
    ("2.15.0", 3110, 14646, 3537, 423_063, 422_414),
];

#[test]
fn every_measured_release_has_the_recorded_numbers() {
    for (version, operators, generated, handwritten, reasons, cells) in MEASURED {
        let Some(read) = Read::release(version) else {
            continue;
        };
        let tables = read.tables("linux-cuda", Source::Everything);
        let inputs = read.inputs();
        let mut counts = [0, 0];
        for (id, _) in read.catalogue.iter() {
            for made in tables.registrations(inputs, id) {
                counts[usize::from(made.origin.is_outside_files())] += 1;
            }
        }
        let of_files = read.tables("linux-cuda", Source::Files);
        let (complete, files) = (View::new(inputs, &tables), View::new(inputs, &of_files));
        let (mut same_reason, mut same) = (0, 0);
        for (id, _) in read.catalogue.iter() {
            for (real, entry) in complete.table(id).zip(files.table(id)) {
                same_reason += usize::from(real.reason == entry.reason);
                same += usize::from(entry.derivable);
                let equal = real.reason == entry.reason
                    && (real.origin, real.source_key, real.fallthrough)
                        == (entry.origin, entry.source_key, entry.fallthrough);
                assert_eq!(equal, entry.derivable, "{version} {real:?} {entry:?}");
            }
        }
        assert_eq!(
            (read.catalogue.operators.len(), counts, same_reason, same),
            (operators, [generated, handwritten], reasons, cells),
            "{version}"
        );
    }
}

/// `dispatch` as torchgen holds it is in the registrations, with kernel and place.
#[test]
fn registrations_hold_what_the_entries_say() {
    for version in ["2.3.1", "2.9.0", "2.13.0"] {
        let Some(read) = Read::release(version) else {
            continue;
        };
        let tables = read.tables("all", Source::Files);
        let text = &read.catalogue.native_functions.text;
        for row in opatlas_conformance::golden(&format!("operators_{version}.jsonl.gz")) {
            let name = row["name"].as_str().unwrap();
            let id = read.catalogue.find(name).unwrap();
            let made: Vec<_> = tables.registrations(read.inputs(), id).collect();
            let mut expected = BTreeSet::new();
            for (key, kernel) in row["dispatch"].as_object().unwrap() {
                expected.insert(key.as_str());
                let found = made.iter().find(|made| tables.keys().name(made.key) == key);
                let found = found.unwrap_or_else(|| panic!("{version} {name} {key}"));
                assert_eq!(
                    found.kernel.as_deref(),
                    kernel.as_str(),
                    "{version} {name} {key}"
                );
                assert_eq!(found.file, Some("native_functions.yaml"));
                let written = found.span.unwrap().slice(text);
                if found.origin == Origin::Declared {
                    assert_eq!(written, key, "{version} {name}");
                }
            }
            for made in made.iter().filter(|made| made.origin == Origin::Declared) {
                assert!(
                    expected.contains(tables.keys().name(made.key)),
                    "{version} {name}"
                );
            }
            assert!(
                made.iter()
                    .all(|made| made.file.is_some() && made.span.is_some()),
                "{name}"
            );
        }
    }
}

#[test]
fn one_entry_is_the_same_alone_and_in_a_table() {
    let Some(read) = Read::release("2.9.0") else {
        return;
    };
    let tables = read.tables("all", Source::Everything);
    let view = View::new(read.inputs(), &tables);
    let keys = view.keys();
    let slots: Vec<Slot> = ["Meta", "AutogradNestedTensor", "SparseMPS"]
        .map(|name| keys.slot(name).unwrap())
        .to_vec();
    for slot in slots {
        for (id, _) in read.catalogue.iter() {
            let entry = view.entry(id, slot);
            assert!(entry.is_some());
            assert_eq!(view.table(id).nth(slot.index()), entry);
        }
    }
    let patterns = tables.patterns().len();
    assert!(patterns <= 1_000, "{patterns} tables for a release");
    assert_eq!(
        keys.lookup("CPU").map(|key| matches!(key, Key::Runtime(_))),
        Some(true)
    );
}
