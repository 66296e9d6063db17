//! An operator's declarations, and the code that implements it, for terminals.

use std::fmt::Write as _;

use crate::escape;

use opatlas_operators::calls::BindingKind;
use opatlas_operators::faces::{BackendStub, ImplementationFaces, InTree, OperatorFaces};
use opatlas_schema::faces::Stub;

/// The language of the shown declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Both.
    All,
    /// C++
    Cpp,
    /// Python
    Python,
}

/// The shown forms of declarations that take sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// All.
    All,
    /// Only those with symbolic sizes.
    Symbolic,
}

/// All declarations of an operator.
#[must_use]
pub fn declarations(name: &str, faces: &OperatorFaces, language: Language, sizes: Sizes) -> String {
    let mut text = format!("{}\n", escape::line(name));
    if language != Language::Python {
        cpp(&mut text, faces, sizes);
    }
    if language != Language::Cpp {
        python(&mut text, faces);
    }
    text
}

fn cpp(text: &mut String, faces: &OperatorFaces, sizes: Sizes) {
    let is_shown = |line: &&String| sizes == Sizes::All || line.contains("_symint");
    let concrete = faces.dispatcher_int.iter().filter(|_| sizes == Sizes::All);
    section(text, "Dispatcher", faces.dispatcher.iter());
    section(text, "Dispatcher, concrete sizes", concrete);
    let functions = faces.functions.iter().flatten();
    section(text, "Functions (namespace at)", functions.filter(is_shown));
    let methods = faces.methods.iter().flatten();
    section(text, "Methods (class at::Tensor)", methods.filter(is_shown));
    for direct in &faces.direct {
        let title = format!(
            "Functions without the dispatcher (namespace at::{})",
            direct.namespace
        );
        section(text, &title, direct.declarations.iter().filter(is_shown));
    }
    if !faces.kernels.is_empty() {
        text.push_str("\nKernels (NativeFunctions.h, namespace at::native)\n");
    }
    for kernel in &faces.kernels {
        let _ = writeln!(text, "  {}", kernel.key);
        for declaration in &kernel.declarations {
            indent(text, "    ", declaration);
        }
    }
}

fn python(text: &mut String, faces: &OperatorFaces) {
    let parsed: Vec<&String> = faces
        .bindings
        .iter()
        .flat_map(|it| &it.signatures)
        .collect();
    let (deprecated, current): (Vec<_>, Vec<_>) = parsed
        .into_iter()
        .partition(|signature| signature.ends_with("|deprecated"));
    section(text, "Python argument parser", current.into_iter());
    if faces.bindings.iter().any(|binding| !binding.by_hand) {
        let stubs = [&faces.pyi_function, &faces.pyi_method];
        let stubs = stubs.into_iter().flatten();
        let stubs =
            stubs.flat_map(|Stub { plain, variadic }| std::iter::once(plain).chain(variadic));
        section(text, "Type stub", stubs);
    }
    let title = "Deprecated signatures (deprecated.yaml)";
    section(text, title, deprecated.into_iter());
    section(text, "Bound in", [bound_in(faces)].iter());
}

fn bound_in(faces: &OperatorFaces) -> String {
    let mut places: Vec<String> = Vec::new();
    for binding in &faces.bindings {
        let place = match binding.kind {
            BindingKind::Property => format!("{} (property {})", binding.place, binding.name),
            BindingKind::Function | BindingKind::Method => binding.place.to_string(),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let bound = &faces.bound;
    if !places.is_empty() {
        return places.join(", ");
    }
    let names = [
        bound.torch.then(|| "torch".to_owned()),
        bound.tensor.then(|| "Tensor".to_owned()),
        bound
            .module
            .as_ref()
            .map(|module| format!("torch._C.{module}")),
    ];
    let names: Vec<String> = names.into_iter().flatten().collect();
    if names.is_empty() {
        return "not bound; call torch.ops".to_owned();
    }
    format!(
        "{} (other overloads of the name; call this one by torch.ops)",
        names.join(", ")
    )
}

fn section<'a>(text: &mut String, title: &str, lines: impl Iterator<Item = &'a String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = writeln!(text, "\n{title}");
    }
    for line in lines {
        indent(text, "  ", line);
    }
}

fn indent(text: &mut String, by: &str, lines: &str) {
    for line in lines.lines() {
        let _ = writeln!(text, "{by}{}", escape::line(line));
    }
}

/// The code that implements an operator for a key.
#[must_use]
pub fn implementation(name: &str, faces: &ImplementationFaces, sizes: Sizes) -> String {
    let mut text = format!("{} for {}\n", escape::line(name), faces.key);
    if let Some(kernel) = &faces.in_tree {
        in_tree(&mut text, kernel);
    }
    text.push_str("\nIn a library (C++)\n");
    for lines in faces.function.iter().chain([&faces.registration]) {
        indent(&mut text, "  ", lines);
    }
    let concrete = faces.backend.as_ref().filter(|_| sizes == Sizes::All);
    backend(&mut text, "In a backend file", concrete);
    let title = "In a backend file, symbolic sizes";
    backend(&mut text, title, faces.backend_symint.as_ref());
    text
}

fn in_tree(text: &mut String, kernel: &InTree) {
    let state = if kernel.is_declared {
        "declared"
    } else {
        "the name is a proposal"
    };
    let _ = writeln!(text, "\nIn PyTorch's tree ({state})");
    let _ = writeln!(
        text,
        "  dispatch of {} in native_functions.yaml",
        kernel.entry
    );
    indent(text, "    ", &kernel.yaml);
    text.push_str("  declaration in NativeFunctions.h\n");
    indent(text, "    ", &kernel.declaration);
    if let Some(class) = &kernel.structured {
        let _ = writeln!(text, "  meta of {}, shared by all keys", class.meta_class);
        indent(text, "    ", &class.meta_definition);
    }
    text.push_str("  definition\n");
    indent(text, "    ", &kernel.definition);
}

fn backend(text: &mut String, title: &str, stub: Option<&BackendStub>) {
    let Some(stub) = stub else { return };
    let _ = writeln!(text, "\n{title}");
    indent(text, "  ", &stub.yaml);
    indent(text, "  ", &stub.declaration);
}
