//! What C++ and Python sources register with PyTorch's dispatcher
//! (`docs/spec/sources.md`), and the functions that C++ sources define.
//!
//! [`scan`] takes the texts of files and gives [`Registration`]s with their places. Nothing is
//! compiled or run: what the text alone does not decide is listed as unresolved, never guessed. A
//! scan is linear in the size of the text and bounded: a file that is too large, not text, or too
//! deeply nested becomes a [`Fault`]. [`Functions`] finds functions, and [`Bodies`] reads theirs within
//! the same bounds.

pub mod body;
mod cpp;
mod cpu_fallback;
mod decode;
mod joined;
mod language;
mod macros;
mod name;
mod parse;
mod python;
mod related;
mod template;

use std::sync::Arc;

use opatlas_source::{Span, Stop, Stopped};
use rustc_hash::FxHashSet;

use parse::Budget;

pub use cpp::bodies::Bodies;
pub use cpp::functions::{Call, Function, Functions};
pub use cpp::parameter_types::{parameter_types, plain_type};
pub use cpp::types::{
    CppType, Instance, Place, RegisteredKernel, TypeNames, Unknown, declaration, instance,
};
pub use joined::{MACRO_FILE, Sources};
pub use language::{Language, PathKind};
pub use macros::{Macro, Macros};
pub use name::{Names, device_key};
pub use related::{MOST_ROUNDS, Outline, Related};

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: usize = 8 << 20;

/// A source file.
#[derive(Debug, Clone, Copy)]
pub struct File<'t> {
    /// Its path, as it appears in results.
    pub path: &'t str,
    /// Its contents.
    pub bytes: &'t [u8],
}

/// What a registration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegistrationKind {
    /// Registers a kernel for an operator.
    Impl,
    /// Registers a kernel for every operator without one at the key.
    Fallback,
    /// Defines an operator, with a kernel or without.
    Def,
}

impl RegistrationKind {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Impl => "impl",
            Self::Fallback => "fallback",
            Self::Def => "def",
        }
    }
}

/// How a boxed kernel calls `at::native::cpu_fallback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuFallback {
    /// Results of views are copies, with a warning.
    CopiesViews,
    /// Views raise (`error_on_views`).
    RefusesViews,
}

/// A registration in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// What it does.
    pub kind: RegistrationKind,
    /// The namespace; `_` for every operator.
    pub namespace: Option<Box<str>>,
    /// The namespace of the block or library, if the text gives it. `_` stands for every namespace.
    /// The runtime refuses operators of another namespace.
    pub library: Option<Box<str>>,
    /// The operator without its namespace: `add.Tensor`.
    pub operator: Option<Box<str>>,
    /// The dispatch key as the runtime names it; none for a definition without a kernel.
    pub key: Option<Box<str>>,
    /// The function as written, without what wraps it; `lambda` for one without a name.
    pub kernel: Option<Box<str>>,
    /// Whether the kernel only passes the call on to the next key.
    pub fallthrough: bool,
    /// Whether the kernel is a boxed function.
    pub boxed: bool,
    /// How the boxed function leaves the operator to PyTorch's CPU fallback; `None` if it does not, or
    /// its definition was not found.
    pub cpu_fallback: Option<CpuFallback>,
    /// The schema of a definition, as written.
    pub schema: Option<Box<str>>,
    /// The index of its file.
    pub file: u32,
    /// The call in the file.
    pub at: Span,
    /// Where the block of registrations begins: the line that a real process names.
    pub block: Span,
    /// The preprocessor or runtime condition under which it happens.
    pub condition: Option<Box<str>>,
    /// What registers it: `TORCH_LIBRARY_IMPL`, `KERNEL_XLA`, `torch.library.impl`.
    pub through: Box<str>,
    /// Why it is unresolved; `None` if operator, namespace and key are certain.
    pub unresolved: Option<Box<str>>,
}

impl Registration {
    /// The operator as a revision names it: with its namespace unless that is `aten`.
    #[must_use]
    pub fn qualified_name(&self) -> Option<String> {
        let operator = self.operator.as_deref()?;
        Some(match self.namespace.as_deref()? {
            "aten" => operator.to_owned(),
            namespace => format!("{namespace}::{operator}"),
        })
    }

    /// Whether it is an entry of the dispatcher's tables. `py_impl` and `register_decomposition`
    /// fill tables of Python instead.
    #[must_use]
    pub fn is_dispatched(&self) -> bool {
        self.unresolved.is_none()
            && self.key.is_some()
            && !matches!(&*self.through, "py_impl" | "register_decomposition")
    }
}

/// Why a file could not be read, or not completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// It is larger than [`LARGEST_FILE`].
    TooLarge,
    /// It holds NUL bytes.
    Binary,
    /// Some bytes are not UTF-8; they were replaced.
    Encoding,
    /// Code is nested too deeply to be read.
    TooDeep,
    /// Reading a part of it took more steps than its size allows.
    TooComplex,
    /// It is a patch that adds registrations to other files.
    Patch,
}

impl FaultKind {
    /// The fault as a sentence about the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "the file is larger than 8 MiB and was not read",
            Self::Binary => "the file contains NUL bytes and was not read",
            Self::Encoding => "the file is not valid UTF-8; invalid bytes were replaced",
            Self::TooDeep => "the code is nested too deeply; this part was not read",
            Self::TooComplex => "the code is too irregular to parse; this part was not read",
            Self::Patch => {
                "the patch adds registrations and was not read; scan the sources that it makes"
            }
        }
    }
}

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The index of the file.
    pub file: u32,
    /// Where.
    pub at: Span,
}

/// The registrations in a set of files.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The registrations, in the order of files and places.
    pub registrations: Vec<Registration>,
    /// Problems in the files.
    pub faults: Vec<Fault>,
    /// The text of each file that registers something, for its places; `None` for others.
    pub texts: Vec<Option<Arc<str>>>,
    /// The indices of files that decide registrations of other files, in order: by macros, constants,
    /// calls of a function that registers, or the name of PrivateUse1.
    pub needed: Vec<u32>,
}

impl Scan {
    /// Drops the texts of files without registrations and problems.
    fn drop_texts(&mut self) {
        let rows = self.registrations.iter().map(|row| row.file);
        let faults = self.faults.iter().map(|fault| fault.file);
        let used: FxHashSet<u32> = rows.chain(faults).collect();
        for (text, index) in self.texts.iter_mut().zip(0..) {
            if !used.contains(&index) {
                *text = None;
            }
        }
    }
}

/// Tells which files are worth giving to [`scan`].
pub struct Sieve<'m> {
    cpp: cpp::Scanner<'m>,
}

impl<'m> Sieve<'m> {
    /// For scans with these macros.
    #[must_use]
    pub fn new(macros: &'m Macros) -> Self {
        Self {
            cpp: cpp::Scanner::new(macros, Budget::Unlimited),
        }
    }

    /// Whether a file may register something, or cannot be read, which a scan reports. Other C++ files
    /// matter if [`Related`] wants them.
    #[must_use]
    pub fn keeps(&self, file: File<'_>) -> bool {
        let is_odd = file.bytes.len() > LARGEST_FILE || memchr::memchr(0, file.bytes).is_some();
        match Language::of_file(file) {
            Some(Language::Cpp) => {
                let is_renaming = !name::renamed_backends(file.bytes).is_empty();
                is_odd || self.cpp.may_register(file.bytes) || is_renaming
            }
            // Any module may have values that another one uses.
            Some(Language::Python) => true,
            None => language::patch(file, 0).is_some(),
        }
    }
}

/// Finds all registrations in a set of files.
#[must_use]
pub fn scan(files: &[File<'_>], macros: &Macros) -> Scan {
    Stop::unstopped(|stop| scan_until(files, macros, stop))
}

/// The same, unless it is stopped.
///
/// # Errors
/// [`Stopped`].
pub fn scan_until(files: &[File<'_>], macros: &Macros, stop: &Stop) -> Result<Scan, Stopped> {
    scan_within(files, macros, Budget::Unlimited, stop)
}

/// Whether each file is worth reading; gives the macros of C++ files to the scanner.
fn registering(
    files: &[File<'_>],
    macros: &Macros,
    cpp: &mut cpp::Scanner<'_>,
    stop: &Stop,
) -> Result<Vec<bool>, Stopped> {
    let mut related = Related::new(macros);
    let mut found = vec![false; files.len()];
    let mut others = Vec::new();
    for ((index, file), found) in (0..).zip(files).zip(&mut found) {
        stop.check()?;
        match Language::of_file(*file) {
            Some(Language::Cpp) if cpp.may_register(file.bytes) => {
                *found = true;
                related.add(index, *file);
            }
            Some(Language::Cpp) => others.push((index, Outline::of(file.bytes))),
            Some(Language::Python) => *found = python::may_register(file.bytes, macros),
            None => {}
        }
    }
    for _ in 0..MOST_ROUNDS {
        related.update();
        let wanted = others.extract_if(.., |(_, outline)| related.wants(outline));
        let wanted: Vec<u32> = wanted.map(|(index, _)| index).collect();
        for index in &wanted {
            stop.check()?;
            related.add(*index, files[*index as usize]);
            found[*index as usize] = true;
        }
        if wanted.is_empty() {
            break;
        }
    }
    cpp.define(related.into_definitions());
    Ok(found)
}

/// The same with a bound on the work for all files together.
fn scan_within(
    files: &[File<'_>],
    macros: &Macros,
    budget: Budget,
    stop: &Stop,
) -> Result<Scan, Stopped> {
    let mut scan = Scan {
        texts: vec![None; files.len()],
        ..Scan::default()
    };
    let mut cpp = cpp::Scanner::new(macros, budget);
    let may_register = registering(files, macros, &mut cpp, stop)?;
    let mut python = python::Scanner::new(macros, budget);
    for (index, file) in files.iter().enumerate() {
        stop.check()?;
        let may_register = may_register.get(index).copied().unwrap_or_default();
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let Some(language) = Language::of_file(*file) else {
            if let Some(fault) = language::patch(*file, index) {
                scan.texts[index as usize] = Some(String::from_utf8_lossy(file.bytes).into());
                scan.faults.push(fault);
            }
            continue;
        };
        for name in name::renamed_backends(file.bytes) {
            python.rename(name);
            scan.needed.push(index);
        }
        if language == Language::Python && !may_register {
            python.keep(index, *file);
        }
        let Some(text) = decode::decode(file.bytes, may_register, index, &mut scan.faults) else {
            continue;
        };
        let text: Arc<str> = text.into();
        match language {
            Language::Python => python.read(index, file.path, &text, &mut scan),
            Language::Cpp => cpp.read(index, file.path, &text, &mut scan),
        }
        if let Some(kept) = scan.texts.get_mut(index as usize) {
            *kept = Some(text);
        }
    }
    let givers = cpp.finish(&mut scan);
    scan.needed.extend(cpp.defining());
    scan.needed.extend(givers);
    python.finish(&mut scan);
    scan.needed.sort_unstable();
    scan.needed.dedup();
    cpu_fallback::find(files, &mut scan.registrations);
    scan.registrations
        .sort_by_key(|found| (found.file, found.at.start));
    scan.drop_texts();
    Ok(scan)
}
