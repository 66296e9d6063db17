//! Dispatch tables as text: own operators to the letter, a real one for its parts.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, Provenance, Source, Wanted};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_pytorch::release::Release;
use opatlas_report::findings::Colour;
use opatlas_report::table::{CSV_HEADER, Shown, csv_row, explanation, table, training_sentence};
use opatlas_source::{Bundle, DERIVATIVES, LineIndex, NATIVE_FUNCTIONS, Span};
use opatlas_verdict::{Tables, View};

/// Asks something of the tables of a bundle.
fn with_tables<T>(bundle: &Bundle, ask: impl Fn(Shown<'_>) -> T) -> T {
    let catalogue = Catalogue::read(bundle, Release::V2_9, None);
    let derivatives = bundle
        .file(DERIVATIVES)
        .map(|bytes| Derivatives::read(bytes));
    let matches = DerivativeMatches::new(&catalogue, derivatives.as_ref());
    let observed = Observed::default();
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: derivatives.as_ref(),
        matches: &matches,
        backends: &[],
        observed: &observed,
        provenance: Provenance::Recorded,
    };
    let build = Build::parse("linux-cuda", Release::V2_9).unwrap();
    let tables = Tables::new(inputs, &build, Source::Everything);
    let line = |file: &str, span: Span| {
        let text = std::str::from_utf8(bundle.file(file)?).ok()?;
        Some(LineIndex::new(text).line_column(text, span.start).line)
    };
    ask(Shown {
        view: View::new(inputs, &tables),
        line: &line,
        colour: Colour::Never,
    })
}

fn small() -> Bundle {
    let mut bundle = Bundle::default();
    let operators = "\
- func: blend(Tensor self, Tensor w) -> Tensor
  structured_delegate: blend.out
  dispatch:
    SparseCPU, SparseCUDA: blend_sparse
- func: blend.out(Tensor self, Tensor w, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: blend_cpu
    CUDA: blend_cuda
";
    bundle.insert(NATIVE_FUNCTIONS, operators.as_bytes());
    let formulas = "- name: blend(Tensor self, Tensor w) -> Tensor\n  self: grad * w\n";
    bundle.insert(DERIVATIVES, formulas.as_bytes());
    bundle
}

#[test]
fn a_table_of_our_own() {
    let text = with_tables(&small(), |shown| {
        let id = shown.view.inputs.catalogue.find("blend").unwrap();
        table(shown, id, "ours 1")
    });
    insta::assert_snapshot!(text);
}

#[test]
fn a_missing_entry_is_explained() {
    let text = with_tables(&small(), |shown| {
        let id = shown.view.inputs.catalogue.find("blend").unwrap();
        let slot = shown.view.keys().slot("SparseXPU").unwrap();
        explanation(shown, id, &shown.view.explain(id, slot).unwrap())
    });
    insta::assert_snapshot!(text);
}

#[test]
fn an_autograd_entry_is_explained() {
    let text = with_tables(&small(), |shown| {
        let id = shown.view.inputs.catalogue.find("blend").unwrap();
        let slot = shown.view.keys().slot("AutogradCPU").unwrap();
        explanation(shown, id, &shown.view.explain(id, slot).unwrap())
    });
    insta::assert_snapshot!(text);
}

#[test]
fn rows_for_spreadsheets_and_sentences() {
    let (row, sentence) = with_tables(&small(), |shown| {
        let view = shown.view;
        let id = view.inputs.catalogue.find("blend").unwrap();
        let slot = view.keys().slot("CPU").unwrap();
        let mut row = String::new();
        csv_row(&mut row, view, id, &view.entry(id, slot).unwrap());
        (
            row,
            training_sentence(view, id, &view.training(id, slot).unwrap()),
        )
    });
    assert_eq!(CSV_HEADER.matches(',').count(), row.matches(',').count());
    assert_eq!(
        row,
        "blend,CPU,Dense,CPU,blend_cpu,CPU,kernel,structured,false,true,,native_functions.yaml,runs,,yes,,declared,\r\n"
    );
    assert_eq!(
        sentence,
        "The operator runs on CPU and trains with its own formula in derivatives.yaml."
    );
}

/// No operator of a real release makes a rendering fail, and a change of registrations is shown.
#[test]
fn every_operator_of_a_release_can_be_shown() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_tables(&bundle, |shown| {
        let view = Shown {
            line: &|_, _| Some(1),
            ..shown
        }
        .view;
        let catalogue = view.inputs.catalogue;
        for name in [
            "add.Tensor",
            "bernoulli_.float",
            "set_.source_Tensor",
            "select_copy.int",
        ] {
            let id = catalogue.find(name).unwrap();
            println!("{}", table(shown, id, "pytorch 2.9.0"));
            let told = view
                .explain(id, view.keys().slot("SparseXPU").unwrap())
                .unwrap();
            println!("{}", explanation(shown, id, &told));
        }
        for (id, operator) in catalogue.iter().step_by(7) {
            let quick = Shown {
                line: &|_, _| Some(1),
                ..shown
            };
            let text = table(quick, id, "pytorch 2.9.0");
            assert!(text.starts_with(operator.qualified_name()) && text.contains("kernel"));
            let told = view.what_if(id, &[Wanted::at("PrivateUse1")], &[]).unwrap();
            assert!(
                told.changes()
                    .any(|change| change.after.key == "PrivateUse1")
            );
        }
    });
}
