//! Registration sets and what a real process of 2.9.0 made of them: the dispatcher's table cell by
//! cell, the names that it refuses, and who else refuses the set.

use opatlas_dispatch::calculator::{Note, calculate};
use opatlas_dispatch::refusals::{
    PYTHON_DISPATCHER_KEYS, PythonDispatcherRefusal, YamlRefusal, python_dispatcher, yaml,
};
use opatlas_dispatch::{Calculation, Cell, Precedence, Wanted};
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    registrations: Vec<String>,
    #[serde(default)]
    fallthrough_registrations: Vec<String>,
    register: Option<String>,
    python_dispatcher: String,
    yaml: Option<String>,
    table: Option<Vec<Group>>,
}

#[derive(Deserialize)]
struct Group {
    source: Option<String>,
    reason: String,
    fallthrough: bool,
    keys: Vec<String>,
}

impl Row {
    fn wanted(&self) -> Vec<Wanted<'_>> {
        let passes = |key: &String| self.fallthrough_registrations.contains(key);
        let names = self.registrations.iter();
        names
            .map(|key| Wanted {
                fallthrough: passes(key),
                ..Wanted::at(key)
            })
            .collect()
    }

    fn names(&self) -> Vec<&str> {
        self.registrations.iter().map(String::as_str).collect()
    }

    fn answer(&self) -> Calculation {
        let answer = calculate(Release::V2_9, &self.wanted(), None);
        answer.unwrap_or_else(|refused| panic!("{:?}: {refused:?}", self.registrations))
    }
}

fn rows() -> Vec<Row> {
    opatlas_conformance::golden_as("dispatch_combos.jsonl.gz")
}

/// The source as the recording names it.
fn source<'a>(cell: &Cell<'a>) -> Option<&'a str> {
    match cell.rule {
        Precedence::Missing => None,
        Precedence::Ambiguous => Some("ambiguous_autogradother"),
        Precedence::Fallback => Some("fallback"),
        _ => Some(&cell.given.unwrap().written),
    }
}

#[test]
fn every_cell_is_the_recorded_one() {
    let mut cells = 0;
    for row in rows() {
        let Some(groups) = &row.table else { continue };
        let answer = row.answer();
        let ours: Vec<_> = answer.cells().collect();
        for group in groups {
            for name in &group.keys {
                let cell = &ours[answer.keys.slot(name).unwrap().index()];
                let mine = (cell.rule.reason().as_str(), source(cell), cell.fallthrough);
                let theirs = (&*group.reason, group.source.as_deref(), group.fallthrough);
                assert_eq!(mine, theirs, "{:?} at {name}", row.registrations);
                cells += 1;
            }
        }
    }
    assert!(cells >= 588 * 138, "{cells}");
}

#[test]
fn names_that_the_runtime_refuses_are_refused() {
    let mut refusals = 0;
    for row in rows().iter().filter(|row| row.table.is_none()) {
        if row.register.is_none() {
            let answer = row.answer();
            assert!(matches!(
                answer.notes[0],
                Note::Overridden { index: 0, by: 1 }
            ));
            continue;
        }
        let refused = calculate(Release::V2_9, &row.wanted(), None).unwrap_err();
        // The process stops at the first name; `Undefined` it takes for no name at all.
        let register = row.register.as_deref().unwrap();
        let first = register.strip_prefix("error: could not parse dispatch key: ");
        assert_eq!(*refused[0].written, *first.unwrap_or("Undefined"));
        refusals += 1;
    }
    assert!(refusals >= 25, "{refusals}");
}

#[test]
fn the_generator_refuses_the_same_sets_for_the_same_reason() {
    for row in rows() {
        let kernel = |key: &str| format!("foo_{}", key.to_lowercase());
        let kernels: Vec<_> = row.names().into_iter().map(kernel).collect();
        let lines = row
            .names()
            .into_iter()
            .zip(kernels.iter().map(String::as_str));
        let mine = match yaml(Release::V2_9, &lines.collect::<Vec<_>>()) {
            Ok(()) => "ok".to_owned(),
            Err(YamlRefusal::UnknownKey(key)) => format!("error: unknown dispatch key {key}"),
            Err(YamlRefusal::NotAllowed(key)) => {
                format!(
                    "error: Dispatch key {key} of kernel {} is not a supported dispatch key.",
                    kernel(&key)
                )
            }
            Err(YamlRefusal::LoneImplicit) => "error: unexpected name for singleton".to_owned(),
            Err(YamlRefusal::SeveralComposites) => {
                "error: cannot specify more than one of".to_owned()
            }
        };
        if let Some(theirs) = &row.yaml {
            assert!(
                theirs.starts_with(&mine),
                "{:?}: {mine} {theirs}",
                row.registrations
            );
        }
    }
}

#[test]
fn python_dispatcher_refuses_the_same_sets_for_the_same_reason() {
    let supported = format!("{PYTHON_DISPATCHER_KEYS:?}").replace('"', "'");
    for row in rows() {
        let mine = match python_dispatcher(&row.names()) {
            Ok(()) => "ok".to_owned(),
            Err(PythonDispatcherRefusal::Duplicates) => {
                "error: Overridden is not allowed".to_owned()
            }
            Err(PythonDispatcherRefusal::ImplicitAndExplicit) => {
                "error: Registration to both".to_owned()
            }
            Err(PythonDispatcherRefusal::Unsupported(key)) => {
                format!(
                    "error: {key} is not supported, please select a dispatch key in {supported}."
                )
            }
        };
        let theirs = &row.python_dispatcher;
        assert!(
            theirs.starts_with(&mine),
            "{:?}: {mine} {theirs}",
            row.registrations
        );
    }
}

#[test]
fn notes_tell_who_would_refuse() {
    for row in rows().iter().filter(|row| row.table.is_some()) {
        let notes = row.answer().notes;
        let yaml = notes.iter().any(|note| matches!(note, Note::Yaml(_)));
        let tool = notes
            .iter()
            .any(|note| matches!(note, Note::PythonDispatcher(_)));
        if let Some(theirs) = &row.yaml {
            assert_eq!(yaml, theirs != "ok", "{:?}", row.registrations);
        }
        assert_eq!(
            tool,
            row.python_dispatcher != "ok",
            "{:?}",
            row.registrations
        );
    }
}

#[test]
fn the_last_registration_to_a_key_wins() {
    let wanted = ["CPU", "CompositeImplicitAutograd", "CPU", "(catch-all)"];
    let kernels = ["first", "implicit", "second", "default"];
    let named = |(key, kernel)| Wanted {
        kernel: Some(kernel),
        ..Wanted::at(key)
    };
    let wanted: Vec<_> = wanted.into_iter().zip(kernels).map(named).collect();
    let answer = calculate(Release::V2_9, &wanted, None).unwrap();
    let kernel = |name: &str| {
        let slot = answer.keys.slot(name).unwrap();
        answer
            .cells()
            .find(|cell| cell.slot == slot)
            .unwrap()
            .given
            .unwrap()
            .kernel
            .clone()
    };
    assert_eq!((&*kernel("CPU"), &*kernel("CUDA")), ("second", "default"));
    let overridden: Vec<_> = answer
        .registrations
        .iter()
        .map(|given| given.overridden)
        .collect();
    assert_eq!(overridden, [true, true, false, false]);
    assert!(answer.notes.contains(&Note::Overridden { index: 0, by: 2 }));
    assert!(answer.notes.contains(&Note::Overridden { index: 1, by: 3 }));
    assert!(answer.notes.contains(&Note::CatchAll { index: 3 }));
}

#[test]
fn all_refused_names_are_listed_with_the_nearest_ones() {
    let wanted = [
        "cpu",
        "CPU",
        "QuantizedHIP",
        "Undefined",
        "Sparse",
        "CompositeImplicitAutogard",
    ];
    let wanted: Vec<_> = wanted.into_iter().map(Wanted::at).collect();
    let refused = calculate(Release::V2_9, &wanted, None).unwrap_err();
    let places: Vec<_> = refused.iter().map(|refused| refused.index).collect();
    assert_eq!(places, [0, 2, 3, 4, 5]);
    assert_eq!(refused[0].suggestions[0], "CPU");
    assert_eq!(refused[4].suggestions[0], "CompositeImplicitAutograd");
    assert!(!refused[1].suggestions.contains(&"QuantizedHIP"));
}

#[test]
fn fallbacks_can_be_chosen() {
    let fallbacks = [
        Wanted {
            fallthrough: true,
            ..Wanted::at("Autograd")
        },
        Wanted::at("PrivateUse1"),
    ];
    let answer = calculate(Release::V2_9, &[Wanted::at("CPU")], Some(&fallbacks)).unwrap();
    let served: Vec<_> = answer
        .cells()
        .filter(|cell| cell.rule == Precedence::Fallback)
        .collect();
    assert_eq!(served.len(), 19);
    for cell in served {
        let private = answer.keys.name(Key::Runtime(cell.slot)) == "PrivateUse1";
        assert_eq!(cell.fallthrough, !private);
        assert_eq!(
            &*cell.given.unwrap().kernel,
            if private {
                "fn_PrivateUse1"
            } else {
                "fn_Autograd"
            }
        );
    }
    let twice = [Wanted::at("Autograd"), Wanted::at("AutogradCPU")];
    assert!(calculate(Release::V2_9, &[], Some(&twice)).is_err());
    let none = calculate(Release::V2_9, &[], Some(&[])).unwrap();
    assert!(none.cells().all(|cell| cell.rule == Precedence::Missing));
}
