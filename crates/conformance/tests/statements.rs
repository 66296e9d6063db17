//! What ATen's README says about `native_functions.yaml` and what the head of `derivatives.yaml` says about
//! formulas, as statements in our own words. Each has an example and the findings that PyTorch 2.9 calls
//! for: an error where the generator, a compiler or the runtime refuses the example.
//!
//! ```text
//! ## statement
//! finds: error RULE, info RULE     (in the order of the findings; `nothing` if there are none)
//! table: OPERATOR KEY, KERNEL      (optional, repeated: the kernel that serves a key, or `missing`)
//! - func: ...
//! --- derivatives.yaml
//! - name: ...
//! ```

use std::fmt::Write as _;

use opatlas_dispatch::{Build, Inputs, RevisionTables, Source, View};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, DERIVATIVES};

const FILES: [&str; 3] = [
    include_str!("statements/schemas.txt"),
    include_str!("statements/operators.txt"),
    include_str!("statements/derivatives.txt"),
];

struct Statement<'t> {
    text: &'t str,
    finds: &'t str,
    tables: Vec<&'t str>,
    bundle: Bundle,
}

fn statement(block: &str) -> Statement<'_> {
    let (text, mut rest) = block.split_once('\n').expect("a statement");
    let mut header = |name: &str| {
        let after = rest.strip_prefix(name)?;
        let (value, next) = after.split_once('\n')?;
        rest = next;
        Some(value)
    };
    let finds = header("finds: ").expect(text);
    let tables = std::iter::from_fn(|| header("table: ")).collect();
    let (native, formulas) = match rest.split_once("--- derivatives.yaml\n") {
        Some((native, formulas)) => (native, Some(formulas)),
        None => (rest, None),
    };
    let mut bundle = Bundle::of_native_functions(native.as_bytes());
    if let Some(formulas) = formulas {
        bundle.insert(DERIVATIVES, formulas.as_bytes());
    }
    Statement {
        text,
        finds,
        tables,
        bundle,
    }
}

fn findings(catalogue: &Catalogue) -> String {
    let found = opatlas_rules::check(catalogue).into_kept();
    let found: Vec<String> = found
        .iter()
        .map(|f| format!("{} {}", f.severity, f.rule))
        .collect();
    match &found[..] {
        [] => "nothing".to_owned(),
        found => found.join(", "),
    }
}

/// The kernel that serves a key: `OPERATOR KEY, KERNEL`.
fn served(catalogue: &Catalogue, wanted: &str) -> String {
    let (question, _) = wanted.split_once(", ").expect(wanted);
    let (operator, key) = question.split_once(' ').expect(wanted);
    let inputs = Inputs::of_files(catalogue);
    let tables = RevisionTables::new(inputs, &Build::default(), Source::Everything);
    let id = catalogue.find(operator).expect(operator);
    let mut entries = View::new(inputs, &tables).table(id);
    let entry = entries.find(|entry| entry.key == key).expect(key);
    let kernel = entry.kernel.as_deref().unwrap_or("missing");
    format!("{question}, {kernel}")
}

#[test]
fn statements_hold() {
    let (mut count, mut wrong) = (0, String::new());
    for block in FILES.iter().flat_map(|file| file.split("## ").skip(1)) {
        let statement = statement(block);
        let catalogue = Catalogue::read(&statement.bundle, Release::V2_9, None);
        let found = findings(&catalogue);
        if found != statement.finds {
            let _ = writeln!(
                wrong,
                "{}\n  wanted {}\n  found  {found}",
                statement.text, statement.finds
            );
        }
        for wanted in statement.tables {
            let entry = served(&catalogue, wanted);
            if entry != wanted {
                let _ = writeln!(
                    wrong,
                    "{}\n  wanted {wanted}\n  found  {entry}",
                    statement.text
                );
            }
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 150, "{count} statements");
}
