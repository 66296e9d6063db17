//! Compares the C++ types of kernels with real compilers and processes: which kernels compile and
//! load, and the types of PyTorch's own kernels.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_dispatch::Inputs;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{SourceCheck, check_sources};
use opatlas_source::diagnostic::RuleId;
use opatlas_sources::File;
use serde::Deserialize;

const RECORDED: [&str; 2] = ["2.9.0", "2.15.0"];

#[derive(Debug, Deserialize)]
struct Kernel {
    operator: String,
    schema: Option<String>,
    kind: String,
    text: String,
    result: String,
    message: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Types {
    operator: String,
    concrete: Option<String>,
    symbolic: Option<String>,
}

/// Checks sources over a release. Returns `None` if the release has no files here.
fn checked(version: &str, sources: &[(String, String)]) -> Option<SourceCheck> {
    let mut bundle = opatlas_conformance::release(version)?;
    for (name, text) in sources {
        bundle.insert(name, text.as_bytes());
    }
    let release = Release::parse(version).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let files = sources.iter().map(|(path, text)| File {
        path,
        bytes: text.as_bytes(),
    });
    let files: Vec<_> = files.collect();
    Some(check_sources(Inputs::of_files(&catalogue), &files))
}

/// Returns the step that refuses the kernel of each file.
fn refused(check: &SourceCheck) -> BTreeMap<&str, &'static str> {
    let of_rule = |rule| match rule {
        RuleId::SourceKernelType => Some("load"),
        RuleId::SourceKernelUncompilable => Some("compile"),
        _ => None,
    };
    let findings = check.findings.iter();
    let found = findings.filter_map(|finding| Some((&*finding.file, of_rule(finding.rule)?)));
    found.collect()
}

#[test]
fn kernels_compile_and_load_as_recorded() {
    for version in RECORDED {
        let kernels: Vec<Kernel> =
            opatlas_conformance::golden_as(&format!("kernel_types_{version}.jsonl.gz"));
        assert_eq!(kernels.len(), 300);
        let sources = (0..).zip(&kernels).map(|(number, kernel)| {
            let define = |schema: &String| {
                format!("TORCH_LIBRARY_FRAGMENT(opatlas_types, m) {{ m.def(\"{schema}\"); }}\n")
            };
            let defined = kernel.schema.as_ref().map(define).unwrap_or_default();
            let text = format!("{defined}{}\n", kernel.text);
            (format!("sources/k{number}.cpp"), text)
        });
        let sources: Vec<_> = sources.collect();
        let Some(check) = checked(version, &sources) else {
            return;
        };
        assert_eq!(check.unknown_kernels, [], "{version}");
        let refused = refused(&check);
        let wrong = kernels.iter().zip(&sources).filter(|(kernel, (file, _))| {
            *refused.get(&**file).unwrap_or(&"accepted") != kernel.result
        });
        let wrong: Vec<_> = wrong
            .map(|(kernel, (file, _))| (refused.get(&**file), kernel))
            .collect();
        assert!(wrong.is_empty(), "{version}: {} {wrong:#?}", wrong.len());
        for kernel in &kernels {
            assert_eq!(
                kernel.message.is_none(),
                kernel.result == "accepted",
                "{}",
                kernel.kind
            );
            assert!(
                kernel
                    .text
                    .contains(kernel.operator.trim_start_matches("opatlas_types::"))
            );
        }
    }
}

/// A file with a kernel whose type is spelled as the compiler prints it: `at::Tensor (long)`.
fn source(number: usize, operator: &str, ty: &str, before: &str) -> (String, String) {
    let (returns, parameters) = ty.split_once(" (").unwrap();
    let text = format!(
        "namespace k{number} {{ {before}{returns} f({parameters} {{ }}\n\
         TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {{ m.impl(\"{operator}\", &f); }} }}\n"
    );
    (format!("sources/k{number}.cpp"), text)
}

#[test]
fn pytorchs_own_types_fit_every_operator() {
    for version in RECORDED {
        let rows: Vec<Types> =
            opatlas_conformance::golden_as(&format!("kernel_signatures_{version}.jsonl.gz"));
        assert!(rows.len() > 3000, "{}", rows.len());
        let types = rows.iter().flat_map(|row| {
            let both = [&row.concrete, &row.symbolic].into_iter().flatten();
            both.map(|ty| (&*row.operator, &**ty))
        });
        let sources = types.enumerate();
        let sources: Vec<_> = sources
            .map(|(n, (operator, ty))| source(n, operator, ty, ""))
            .collect();
        let Some(check) = checked(version, &sources) else {
            return;
        };
        // These take custom classes.
        let mut unknown = check.unknown_kernels.iter();
        assert!(unknown.all(|kernel| kernel.operator.starts_with("quantized_")));
        let refused = refused(&check);
        let shown = sources
            .iter()
            .filter(|(file, _)| refused.contains_key(&**file));
        let shown: Vec<_> = shown.take(20).collect();
        assert!(shown.is_empty(), "{version}: {shown:#?}");
    }
}

/// A `const` return value changes the C++ type but not the schema that PyTorch infers.
#[test]
fn types_are_compared_where_pytorch_registers_kernels() {
    for version in RECORDED {
        let rows: Vec<Types> =
            opatlas_conformance::golden_as(&format!("kernel_signatures_{version}.jsonl.gz"));
        let both = rows.iter().filter_map(|row| {
            let symbolic = row.symbolic.as_deref()?;
            symbolic
                .starts_with("at::Tensor (")
                .then_some((row, symbolic))
        });
        let both: Vec<_> = both.collect();
        let sources = both.iter().enumerate().map(|(number, (row, symbolic))| {
            let concrete = symbolic.replace("c10::SymInt", "long");
            source(number, &row.operator, &concrete, "const ")
        });
        let sources: Vec<_> = sources.collect();
        let Some(check) = checked(version, &sources) else {
            return;
        };
        let refused = refused(&check);
        let is_refused = |index: usize| refused.contains_key(&*sources[index].0);
        let found = both
            .iter()
            .enumerate()
            .filter(|(index, _)| is_refused(*index));
        let found: BTreeSet<&str> = found.map(|(_, (row, _))| &*row.operator).collect();
        let expected = both.iter().filter(|(row, _)| row.concrete.is_some());
        let expected: BTreeSet<&str> = expected.map(|(row, _)| &*row.operator).collect();
        assert_eq!(found, expected, "{version}");
        assert!(
            found.len() > 50 && found.len() < both.len(),
            "{}",
            found.len()
        );
    }
}
