//! The types that the dispatcher compares a kernel with: the C++ types of kernels that PyTorch
//! already registered, and the schema.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::Operator;
use opatlas_pytorch::int_kernels::has_int_kernel;
use opatlas_runtime::RuntimeSchema;
use opatlas_sources::{CppType, Place, Registration, RegistrationKind, TypeNames, declaration};
use rustc_hash::FxHashMap;

/// The C++ type of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    /// `None` if the compiler deduces it.
    pub(super) returns: Option<CppType>,
    /// The parameters without a leading `DispatchKeySet`.
    pub(super) parameters: Vec<CppType>,
}

/// The types of a schema, spelled as in the runtime.
#[derive(Debug, Clone)]
pub(super) struct SchemaTypes {
    pub(super) arguments: Vec<String>,
    pub(super) returns: Vec<String>,
    /// The schema as written.
    pub(super) text: String,
}

/// The types that a kernel must match. Empty if the operator is unknown.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    /// The schemas of the operator. There are several if files define it under conditions; the
    /// kernel must match one of them.
    pub(super) schemas: Vec<SchemaTypes>,
    symbolic: Option<Signature>,
    concrete: Option<Signature>,
    symbolic_declaration: Option<String>,
    concrete_declaration: Option<String>,
}

impl Expected {
    /// Returns the C++ type of PyTorch's kernels with symbolic sizes or with plain sizes.
    pub(super) fn signature(&self, is_symbolic: bool) -> Option<&Signature> {
        if is_symbolic {
            self.symbolic.as_ref()
        } else {
            self.concrete.as_ref()
        }
    }

    /// Returns the declaration of a kernel.
    pub(super) fn declaration(&self, is_symbolic: bool) -> Option<&str> {
        let (first, second) = if is_symbolic {
            (&self.symbolic_declaration, &self.concrete_declaration)
        } else {
            (&self.concrete_declaration, &self.symbolic_declaration)
        };
        first.as_deref().or(second.as_deref())
    }
}

pub(super) struct Expectations<'c> {
    catalogue: &'c Catalogue,
    faces: FaceMaker<'c>,
    /// Definitions in the sources, by the operator's name.
    own: FxHashMap<String, Vec<SchemaTypes>>,
    /// Operators with a definition that cannot be read.
    unread: FxHashMap<String, ()>,
}

impl<'c> Expectations<'c> {
    pub(super) fn new(catalogue: &'c Catalogue) -> Self {
        let mut own: FxHashMap<String, Vec<SchemaTypes>> = FxHashMap::default();
        let mut unread = FxHashMap::default();
        let rows = catalogue.sources.rows().iter();
        for row in rows.filter(|row| row.kind == RegistrationKind::Def) {
            let Some(name) = row.qualified_name() else {
                continue;
            };
            let schema = row.schema.as_deref().filter(|_| row.unresolved.is_none());
            match schema.and_then(|text| opatlas_runtime::parse(text).ok()) {
                Some(schema) => own.entry(name).or_default().push(SchemaTypes::of(&schema)),
                None => {
                    unread.insert(name, ());
                }
            }
        }
        Self {
            catalogue,
            faces: FaceMaker::new(catalogue),
            own,
            unread,
        }
    }

    pub(super) fn of(&self, row: &Registration) -> Expected {
        let Some(name) = row.qualified_name() else {
            return Expected::default();
        };
        let namespace = row.namespace.as_deref().unwrap_or_default();
        let operator = row.operator.as_deref().unwrap_or_default();
        let found = self.catalogue.find_in(namespace, operator);
        if let Some(id) = found {
            return self.of_operator(self.catalogue.operator(id), namespace == "aten");
        }
        let is_read = !self.unread.contains_key(&name);
        Expected {
            schemas: self
                .own
                .get(&name)
                .filter(|_| is_read)
                .cloned()
                .unwrap_or_default(),
            ..Expected::default()
        }
    }

    /// PyTorch registers kernels for all its own operators, with symbolic sizes if the schema has
    /// them.
    fn of_operator(&self, operator: &Operator, is_of_pytorch: bool) -> Expected {
        let (first, int) = self.faces.dispatcher(operator);
        let schema = SchemaTypes::of(&opatlas_runtime::of_model(operator.schema()));
        let has_symbolic = schema.arguments.iter().any(|ty| is_symbolic(ty));
        let (symbolic, concrete) = if has_symbolic {
            (first, int)
        } else {
            (None, first)
        };
        let registers_concrete = !has_symbolic
            || operator.is_part_of_structured_group()
            || has_int_kernel(operator.name_text(), self.catalogue.release);
        let signature = |text: &Option<String>| signature(text.as_deref()?);
        Expected {
            symbolic: signature(&symbolic).filter(|_| is_of_pytorch),
            concrete: signature(&concrete).filter(|_| is_of_pytorch && registers_concrete),
            schemas: vec![schema],
            symbolic_declaration: symbolic,
            concrete_declaration: concrete,
        }
    }
}

/// `true` if a kernel without symbolic sizes may take a plain type for the argument
/// (`FunctionSchema::cloneWithRealTypes`).
pub(super) fn is_symbolic(argument: &str) -> bool {
    matches!(argument, "SymInt" | "SymInt?" | "SymInt[]" | "SymInt[]?")
}

impl SchemaTypes {
    fn of(schema: &RuntimeSchema<'_>) -> Self {
        let texts = |all: &[opatlas_runtime::Argument<'_>]| {
            all.iter().map(|one| one.ty.text()).collect::<Vec<_>>()
        };
        Self {
            arguments: texts(&schema.arguments),
            returns: texts(&schema.returns),
            text: schema.canonical(),
        }
    }
}

/// Reads the type of torchgen's declaration.
fn signature(text: &str) -> Option<Signature> {
    let names = TypeNames::default();
    let place = Place { file: 0, scope: "" };
    let read = |text: &str| names.read(text, place).ok();
    let declared = declaration(text)?;
    let parameters = declared.parameters.iter().map(|one| read(one));
    Some(Signature {
        returns: Some(read(&declared.returns)?),
        parameters: parameters
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .map(CppType::into_parameter)
            .collect(),
    })
}
