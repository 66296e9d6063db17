//! The kernels of an out-of-tree backend that must change with an upgrade, because their declarations
//! differ (`docs/spec/signatures.md`, section 5).
//!
//! torchgen declares the kernels that a backend file lists, and a definition that does not match its
//! declaration does not compile. Therefore declarations decide, not rules about schemas. Kernels that
//! sources register are compared with the type that the dispatcher expects ([`SourceFits`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::backend::listed_operators;
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_rules::KernelFit;
use opatlas_schema::faces::Sizes;
use opatlas_source::message;

/// A kernel whose declaration differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelChange {
    /// The operator.
    pub operator: String,
    /// The base's declaration; `None` if its torchgen generates none.
    pub old: Option<String>,
    /// The head's declaration; `None` if its torchgen generates none.
    pub new: Option<String>,
    /// Whether only parameter names differ, so the kernel compiles unchanged.
    pub only_names: bool,
    /// Does a kernel that was written for the base compile and load with the head?
    pub fit: KernelFit,
}

/// The fit of kernels that sources register, on both sides, by qualified operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFits {
    /// For the base.
    pub base: BTreeMap<Box<str>, KernelFit>,
    /// For the head.
    pub head: BTreeMap<Box<str>, KernelFit>,
}

/// The differences between the declarations of a backend's kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The kernels that differ, by operator.
    pub kernels: Vec<KernelChange>,
    /// Types with another spelling, old and new. The kernels compile unchanged.
    pub respelled: Vec<(&'static str, &'static str)>,
}

/// Spellings of one type. Declarations are compared in the first spelling.
const SPELLINGS: [&[&str]; 3] = [
    &[
        "std::optional<",
        "::std::optional<",
        "c10::optional<",
        "at::optional<",
    ],
    &["std::string_view", "::std::string_view", "c10::string_view"],
    &["at::ArrayRef<", "c10::ArrayRef<"],
];

/// Compares the declarations of the kernels that a backend has and both sides declare.
#[must_use]
pub fn compare(
    file: &BackendFile,
    fits: &SourceFits,
    base: &Catalogue,
    head: &Catalogue,
) -> Declarations {
    let listed = listed_operators(file);
    let symint: BTreeSet<&str> = file.symint.iter().map(|name| &*name.value).collect();
    let (before, after) = (FaceMaker::new(base), FaceMaker::new(head));
    let mut found = Declarations::default();
    let mut respelled = BTreeSet::new();
    for name in listed {
        let (Some(old), Some(new)) = (base.find(name), head.find(name)) else {
            continue;
        };
        let sizes = if symint.contains(name) {
            Sizes::Symbolic
        } else {
            Sizes::Concrete
        };
        let old = declaration(&before, base, old, sizes);
        let new = declaration(&after, head, new, sizes);
        let is_registered = file.registered.contains(name);
        let (plain_old, plain_new) = (old.as_deref().map(plain), new.as_deref().map(plain));
        if plain_old == plain_new && old != new && !is_registered {
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            respelled.extend(spellings(&old, &new));
            continue;
        }
        let types = |text: &Option<Cow<'_, str>>| text.as_deref().map(types_alone);
        let difference = Difference {
            is_any: plain_old != plain_new,
            is_of_types: types(&plain_old) != types(&plain_new),
        };
        let fit = if is_registered {
            fits.of_registered(name, difference)
        } else {
            difference.of_declared()
        };
        if let Some(fit) = fit {
            found.kernels.push(KernelChange {
                operator: name.to_owned(),
                only_names: !difference.is_of_types,
                fit,
                old,
                new,
            });
        }
    }
    found.respelled = respelled.into_iter().collect();
    found
}

/// How two declarations differ, apart from spellings.
#[derive(Debug, Clone, Copy)]
struct Difference {
    is_any: bool,
    is_of_types: bool,
}

impl Difference {
    /// The fit of a kernel that torchgen declares; `None` if nothing differs.
    fn of_declared(self) -> Option<KernelFit> {
        match (self.is_any, self.is_of_types) {
            (false, _) => None,
            (true, false) => Some(KernelFit::Fits),
            (true, true) => Some(KernelFit::Refused(message!("its declaration differs"))),
        }
    }
}

impl SourceFits {
    /// The fit of a registered kernel; `None` if nothing differs for it. A kernel that the base
    /// refuses counts only if its operator changed.
    fn of_registered(&self, name: &str, difference: Difference) -> Option<KernelFit> {
        let head = self.head.get(name).cloned().unwrap_or_else(unseen);
        let was_refused = matches!(self.base.get(name), Some(KernelFit::Refused(_)));
        let is_new = match head {
            KernelFit::Refused(_) => !was_refused || difference.is_of_types,
            KernelFit::Unknown(_) | KernelFit::Fits => difference.is_of_types,
        };
        is_new.then_some(head)
    }
}

fn unseen() -> KernelFit {
    KernelFit::Unknown(message!("the sources do not show the kernel"))
}

/// torchgen's declaration of a kernel in its class.
fn declaration(
    maker: &FaceMaker<'_>,
    catalogue: &Catalogue,
    id: opatlas_operators::operator::OperatorId,
    sizes: Sizes,
) -> Option<String> {
    let operator = catalogue.operator(id);
    // torchgen refuses a file that lists an operator without symbolic sizes under `symint`.
    let sizes = match maker.dispatcher(operator) {
        (_, None) => Sizes::Concrete,
        _ => sizes,
    };
    let declaration = maker.backend_declaration(operator, sizes)?;
    let text = declaration.trim_start_matches("static ");
    Some(text.trim_end_matches(';').to_owned())
}

pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for spellings in SPELLINGS {
        let Some((first, others)) = spellings.split_first() else {
            continue;
        };
        for other in others {
            if text.contains(other) {
                text = Cow::Owned(text.replace(other, first));
            }
        }
    }
    text
}

fn spellings(old: &str, new: &str) -> Vec<(&'static str, &'static str)> {
    let used = |spellings: &'static [&'static str], text: &str| {
        // The longest match, because `std::optional<` is part of `::std::optional<`.
        let found = spellings.iter().copied().filter(|s| text.contains(*s));
        found.max_by_key(|spelling| spelling.len())
    };
    let pairs = SPELLINGS.iter().filter_map(|spellings| {
        let (old, new) = (used(spellings, old)?, used(spellings, new)?);
        let name = |spelling: &'static str| spelling.trim_end_matches('<');
        (old != new).then(|| (name(old), name(new)))
    });
    pairs.collect()
}

pub(crate) fn types_alone(text: &str) -> String {
    let Some((head, parameters)) = text.split_once('(') else {
        return text.to_owned();
    };
    let parameters = parameters.strip_suffix(')').unwrap_or(parameters);
    let mut types = String::with_capacity(text.len());
    types.push_str(head);
    types.push('(');
    let (mut depth, mut from) = (0_usize, 0);
    for (at, byte) in parameters.bytes().enumerate() {
        match byte {
            b'<' | b'{' => depth += 1,
            b'>' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                push_type(&mut types, &parameters[from..at]);
                types.push(',');
                from = at + 1;
            }
            _ => {}
        }
    }
    push_type(&mut types, &parameters[from..]);
    types.push(')');
    types
}

fn push_type(types: &mut String, parameter: &str) {
    let parameter = parameter.trim();
    let at = parameter.find('=').unwrap_or(parameter.len());
    let (declared, default) = parameter.split_at(at);
    types.push_str(declared.rsplit_once(' ').map_or(declared, |(ty, _)| ty));
    types.push_str(default);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_no_difference() {
        let old = "at::Tensor f(const c10::optional<at::Tensor> & a, c10::string_view b)";
        let new = "at::Tensor f(const ::std::optional<at::Tensor> & a, ::std::string_view b)";
        assert_eq!(plain(old), plain(new));
        let pairs = [
            ("c10::optional", "::std::optional"),
            ("c10::string_view", "::std::string_view"),
        ];
        assert_eq!(spellings(old, new), pairs);
    }

    #[test]
    fn names_of_parameters_are_left_out() {
        let old = "void f(::std::array<bool,3> mask, const at::Tensor & self)";
        let new = "void f(::std::array<bool,3> output_mask, const at::Tensor & input)";
        assert_eq!(types_alone(old), types_alone(new));
        let other = "void f(::std::array<bool,2> mask, const at::Tensor & self)";
        assert_ne!(types_alone(old), types_alone(other));
        assert_eq!(types_alone("void f()"), "void f()");
        let call = "void f(at::IntArrayRef size={0,1}, c10::SymInt n=c10::SymInt(1))";
        assert_eq!(
            types_alone(call),
            "void f(at::IntArrayRef={0,1},c10::SymInt=c10::SymInt(1))"
        );
    }
}
