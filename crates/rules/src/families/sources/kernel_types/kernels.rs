//! The C++ types of registered kernels that the sources decide.

use opatlas_source::Span;
use opatlas_sources::{
    CppType, File, Function, Functions, Instance, Place, RegisteredKernel, Registration, TypeNames,
    instance,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::expected::Signature;

/// A function that a registration may refer to.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// `None` for a lambda whose return type the compiler deduces.
    pub(super) returns: Option<CppType>,
    /// The parameters without a leading `DispatchKeySet`, which is not part of a kernel's type.
    pub(super) parameters: Vec<CppType>,
    /// The file's index and the function's name in it.
    pub(super) defined: Option<(u32, Span)>,
    /// `true` if the registration may refer to another function of that name.
    pub(super) is_one_of_several: bool,
}

impl Kernel {
    pub(super) fn signature(&self) -> Signature {
        Signature {
            returns: self.returns.clone(),
            parameters: self.parameters.clone(),
        }
    }

    /// Formats the type in C++ syntax: `at::Tensor (const at::Tensor &)`.
    pub(super) fn shown(&self) -> String {
        let returns = self
            .returns
            .as_ref()
            .map_or("auto".to_owned(), CppType::to_string);
        let parameters: Vec<String> = self.parameters.iter().map(CppType::to_string).collect();
        format!("{returns} ({})", parameters.join(", "))
    }
}

/// The functions and type names of all files.
pub(super) struct Kernels {
    functions: Vec<Function>,
    by_name: FxHashMap<Box<str>, Vec<usize>>,
    names: TypeNames,
}

/// A kernel's name as written: `acme::plus<at::Tensor>`.
struct Path<'p> {
    qualifier: &'p str,
    name: &'p str,
    template: Option<Vec<&'p str>>,
}

impl<'p> Path<'p> {
    fn of(text: &'p str) -> Option<Self> {
        let (path, template) = match text.split_once('<') {
            Some((path, rest)) => (path, Some(rest.strip_suffix('>')?)),
            None => (text, None),
        };
        let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        if path.is_empty() || !path.chars().all(is_path) {
            return None;
        }
        let path = path.trim_start_matches(':');
        let (qualifier, name) = path.rsplit_once("::").unwrap_or(("", path));
        // Nested arguments may contain commas.
        let is_flat = template.is_none_or(|list| !list.contains(['<', '(']));
        is_flat.then(|| Self {
            qualifier,
            name,
            template: template.map(|list| list.split(',').collect()),
        })
    }
}

impl Kernels {
    pub(super) fn of(files: &[File<'_>], rows: &[&Registration]) -> Self {
        let paths = rows
            .iter()
            .filter_map(|row| Path::of(row.kernel.as_deref()?));
        let wanted: FxHashSet<&str> = paths.map(|path| path.name).collect();
        let functions = Functions::declarations(files, |name| wanted.contains(name)).all;
        let mut by_name: FxHashMap<Box<str>, Vec<usize>> = FxHashMap::default();
        for (index, function) in functions.iter().enumerate() {
            by_name
                .entry(function.name.clone())
                .or_default()
                .push(index);
        }
        Self {
            functions,
            by_name,
            names: TypeNames::of(files),
        }
    }

    /// Finds the functions that a registration may refer to.
    ///
    /// # Errors
    /// The reason why the sources do not decide the type. `None` for a kernel without a C++ type.
    pub(super) fn of_row(
        &self,
        row: &Registration,
        index: u32,
        file: &File<'_>,
    ) -> Result<Vec<Kernel>, Option<Box<str>>> {
        let range = row.at.start as usize..row.at.end as usize;
        let text = String::from_utf8_lossy(file.bytes.get(range).unwrap_or_default());
        match RegisteredKernel::of(&text) {
            RegisteredKernel::Boxed => Err(None),
            RegisteredKernel::Declared {
                returns,
                parameters,
            } => {
                let scope = self.names.scope_at(index, row.at.start);
                let place = Place { file: index, scope };
                let kernel = self.read(returns.as_deref(), &parameters, place);
                Ok(vec![kernel.map_err(Some)?])
            }
            RegisteredKernel::Other => {
                let written = row.kernel.as_deref().unwrap_or_default();
                let path = Path::of(written)
                    .ok_or_else(|| format!("`{written}` is not the name of a function").into())
                    .map_err(Some)?;
                let scope = self.names.scope_at(index, row.at.start);
                let place = Place { file: index, scope };
                // The argument of a macro may not be the function, such as a policy of autocast.
                let is_macro = text.starts_with(&*row.through);
                if is_macro && self.candidates(&path, place).is_empty() {
                    return Err(None);
                }
                self.named(&path, place).map_err(Some)
            }
        }
    }

    fn named(&self, path: &Path<'_>, place: Place<'_>) -> Result<Vec<Kernel>, Box<str>> {
        let found = self.candidates(path, place);
        let mut kernels = Vec::new();
        for function in &found {
            kernels.push(self.of_function(function, path)?);
        }
        let Some(first) = kernels.first() else {
            return Err(format!("`{}` is not defined in the sources", path.name).into());
        };
        let is_one = kernels
            .iter()
            .all(|kernel| kernel.signature() == first.signature());
        let files: FxHashSet<u32> = found.iter().map(|function| function.file).collect();
        if !is_one && files.len() > 1 {
            return Err(format!("several functions are named `{}`", path.name).into());
        }
        for kernel in &mut kernels {
            kernel.is_one_of_several = !is_one;
        }
        Ok(kernels)
    }

    /// Looks up a name. Returns the functions of the innermost scope, and only those in the same
    /// file if it has any.
    fn candidates(&self, path: &Path<'_>, place: Place<'_>) -> Vec<&Function> {
        let of_name = self.by_name.get(path.name).map_or(&[][..], Vec::as_slice);
        let functions = of_name
            .iter()
            .filter_map(|index| self.functions.get(*index));
        let is_template = |function: &&Function| function.returns.starts_with("template");
        let mut found: Vec<&Function> = functions
            .filter(|function| outer_of(&function.scope, path.qualifier).is_some())
            .filter(|function| path.template.is_none() || is_template(function))
            .collect();
        let depth = |function: &Function| {
            let outer = outer_of(&function.scope, path.qualifier)?;
            encloses(outer, place.scope).then_some(outer.len())
        };
        let innermost = found.iter().filter_map(|function| depth(function)).max();
        if innermost.is_some() {
            found.retain(|function| depth(function) == innermost);
        }
        if found.iter().any(|function| function.file == place.file) {
            found.retain(|function| function.file == place.file);
        }
        found
    }

    fn of_function(&self, function: &Function, path: &Path<'_>) -> Result<Kernel, Box<str>> {
        let Some(declared) = &function.declared else {
            return Err(
                format!("preprocessor conditions decide the type of `{}`", path.name).into(),
            );
        };
        let place = Place {
            file: function.file,
            scope: &function.scope,
        };
        let mut written = Instance {
            returns: function.returns.clone(),
            parameters: declared.clone(),
        };
        if function.returns.starts_with("template") {
            let arguments = path.template.as_deref().unwrap_or_default();
            written = instance(&function.returns, declared, arguments).map_err(|why| why.0)?;
        }
        let mut kernel = self.read(Some(&written.returns), &written.parameters, place)?;
        if function.expansion.is_none() {
            kernel.defined = Some((function.file, function.at));
        }
        Ok(kernel)
    }

    fn read(
        &self,
        returns: Option<&str>,
        parameters: &[Box<str>],
        place: Place<'_>,
    ) -> Result<Kernel, Box<str>> {
        let read = |text: &str| self.names.read(text, place).map_err(|why| why.0);
        let mut types = Vec::new();
        for (index, text) in parameters.iter().enumerate() {
            let ty = read(text)?.into_parameter();
            if index > 0 || !ty.is("c10::DispatchKeySet") {
                types.push(ty);
            }
        }
        Ok(Kernel {
            returns: returns.map(read).transpose()?,
            parameters: types,
            defined: None,
            is_one_of_several: false,
        })
    }
}

/// Removes a qualifier from the end of a scope. Returns `None` if the scope does not end with it.
fn outer_of<'s>(scope: &'s str, qualifier: &str) -> Option<&'s str> {
    if qualifier.is_empty() {
        return Some(scope);
    }
    let rest = scope.strip_suffix(qualifier)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_suffix("::")
    }
}

/// `true` if `outer` equals `inner` or contains it.
fn encloses(outer: &str, inner: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with("::"))
}
