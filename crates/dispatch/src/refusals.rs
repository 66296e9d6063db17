//! Registrations that the dispatcher accepts but other tools reject: torchgen, which reads `dispatch`
//! sections, and `torch._python_dispatcher.PythonDispatcher` (`docs/spec/dispatch.md`, section 5). Like
//! these tools, each function returns the first error.

use std::fmt;

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::release::{Release, ReleaseData};

/// How a registration without a key is written. The runtime puts it on `CompositeImplicitAutograd`.
pub const CATCH_ALL: &str = "(catch-all)";

/// Why `native_functions.yaml` cannot express a list (`NativeFunction.from_yaml`).
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum YamlRefusal {
    /// torchgen does not know the key.
    UnknownKey(Box<str>),
    /// torchgen does not allow the key in `dispatch`.
    NotAllowed(Box<str>),
    /// `CompositeImplicitAutograd` alone, which is the default without `dispatch`.
    LoneImplicit,
    /// Several composite keys, other than a plain one with the nested one.
    SeveralComposites,
}

/// Why `PythonDispatcher.register` rejects a list.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum PythonDispatcherRefusal {
    /// A duplicate key.
    Duplicates,
    /// `CompositeImplicitAutograd` together with `CompositeExplicitAutograd`.
    ImplicitAndExplicit,
    /// A key that is not one of its eleven.
    Unsupported(Box<str>),
}

/// The keys that `PythonDispatcher` supports, in every release.
pub const PYTHON_DISPATCHER_KEYS: [&str; 11] = [
    "CPU",
    "AutogradCPU",
    "FPGA",
    "AutogradOther",
    "XLA",
    "AutogradXLA",
    "Lazy",
    "AutogradLazy",
    "CompositeExplicitAutograd",
    "Autograd",
    "CompositeImplicitAutograd",
];

/// Checks a `dispatch` section like torchgen. Each line is a key and a kernel; [`CATCH_ALL`] alone means
/// no section.
///
/// # Errors
/// The first error.
pub fn yaml(release: Release, lines: &[(&str, &str)]) -> Result<(), YamlRefusal> {
    if let [(CATCH_ALL, _)] = lines {
        return Ok(());
    }
    let data = release.data();
    lines.iter().try_for_each(|(key, _)| allowed(data, key))?;
    let lone = matches!(lines, [(key, kernel)] if is(key, Alias::CompositeImplicitAutograd) && !kernel.contains("_symint"));
    if lone {
        return Err(YamlRefusal::LoneImplicit);
    }
    let has = |alias: Alias| lines.iter().any(|(key, _)| is(key, alias));
    let non_functional = has(Alias::CompositeExplicitAutogradNonFunctional);
    let nested = has(Alias::CompositeImplicitAutogradNestedTensor);
    let plain = [
        Alias::CompositeExplicitAutograd,
        Alias::CompositeImplicitAutograd,
    ];
    let plain = plain.into_iter().filter(|&alias| has(alias)).count();
    match plain + usize::from(non_functional) + usize::from(nested) {
        0 | 1 => Ok(()),
        2 if nested && !non_functional => Ok(()),
        _ => Err(YamlRefusal::SeveralComposites),
    }
}

/// Checks a list of keys like `PythonDispatcher.register`.
///
/// # Errors
/// The first error.
pub fn python_dispatcher(keys: &[&str]) -> Result<(), PythonDispatcherRefusal> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(PythonDispatcherRefusal::Duplicates);
    }
    let has = |alias: Alias| keys.iter().any(|key| is(key, alias));
    if has(Alias::CompositeImplicitAutograd) && has(Alias::CompositeExplicitAutograd) {
        return Err(PythonDispatcherRefusal::ImplicitAndExplicit);
    }
    let unsupported = keys
        .iter()
        .find(|key| !PYTHON_DISPATCHER_KEYS.contains(key));
    unsupported.map_or(Ok(()), |&key| {
        Err(PythonDispatcherRefusal::Unsupported(key.into()))
    })
}

fn is(key: &str, alias: Alias) -> bool {
    key == alias.name()
}

/// `DispatchKey.parse`, then the list of usable keys.
fn allowed(data: &ReleaseData, key: &str) -> Result<(), YamlRefusal> {
    let other_spelling = data
        .dispatch_key_aliases
        .iter()
        .any(|(name, _)| *name == key);
    if !data.dispatch_keys_known.contains(key) && !other_spelling {
        return Err(YamlRefusal::UnknownKey(key.into()));
    }
    if !data.dispatch_keys_allowed.contains(key) {
        return Err(YamlRefusal::NotAllowed(key.into()));
    }
    Ok(())
}

impl fmt::Display for YamlRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey(key) => write!(f, "the generator knows no dispatch key `{key}`"),
            Self::NotAllowed(key) => write!(f, "`{key}` is not allowed in `dispatch:`"),
            Self::LoneImplicit => f.write_str(
                "CompositeImplicitAutograd alone needs no `dispatch:`: an entry without one has it",
            ),
            Self::SeveralComposites => f.write_str(
                "at most one composite key is allowed, or CompositeImplicitAutogradNestedTensor \
                 beside CompositeImplicitAutograd or CompositeExplicitAutograd",
            ),
        }
    }
}

impl fmt::Display for PythonDispatcherRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicates => f.write_str("a key is registered twice"),
            Self::ImplicitAndExplicit => f.write_str(
                "CompositeImplicitAutograd and CompositeExplicitAutograd exclude each other",
            ),
            Self::Unsupported(key) => write!(f, "the tool does not support `{key}`"),
        }
    }
}
