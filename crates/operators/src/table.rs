//! The operators of a revision under the rules of one release, their groups, and lookups by name.

mod bases;
mod written;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use opatlas_pytorch::release::Release;
use opatlas_schema::types::BaseType;
use opatlas_source::{Stop, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::entry::KernelEntry;
use crate::file::NativeFunctions;
use crate::generate::{GenerationFault, generate};
use crate::group::Groups;
use crate::operator::{
    Declaration, Operator, OperatorId, PlacedEntry, VendorOperator, split_qualified,
};
use crate::tags::{DeclaredTags, Tags};
use crate::view_group::ViewGroups;

/// The operators of a revision.
#[derive(Debug)]
pub struct OperatorTable {
    /// The release whose rules apply.
    pub release: Release,
    /// The file with the declared operators.
    pub native_functions: Arc<NativeFunctions>,
    /// All operators: declared ones in file order, generated ones, then vendors' operators.
    pub operators: Vec<Operator>,
    /// The entry index of each declared operator.
    pub entry_of: Vec<u32>,
    /// Groups of all operators, including generated ones.
    pub groups: Groups,
    /// Why groups could not be completed.
    pub faults: Vec<GenerationFault>,
    /// Vendors' operators by qualified name.
    of_vendors: FxHashMap<Box<str>, OperatorId>,
    by_name: FxHashMap<Arc<str>, OperatorId>,
    same_name: FxHashMap<Box<str>, Vec<OperatorId>>,
    namesakes: OnceLock<FxHashMap<Box<str>, OperatorId>>,
    /// Index into `kernels_of_name` of operators that share a name.
    merged: FxHashMap<OperatorId, u32>,
    kernels_of_name: Vec<Vec<KernelEntry>>,
    view_groups: OnceLock<ViewGroups>,
    by_base: OnceLock<FxHashMap<Box<str>, Vec<OperatorId>>>,
}

impl OperatorTable {
    pub(crate) fn new(
        native_functions: Arc<NativeFunctions>,
        tags: &DeclaredTags,
        release: Release,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (mut operators, entry_of, mut interner) =
            written::operators(&native_functions.entries, tags, release, stop)?;
        let groups = Groups::of_operators(&operators);
        stop.check()?;
        let faults = generate(&mut operators, groups.all(), release, &mut interner);
        stop.check()?;
        let groups = Groups::of_operators(&operators);
        stop.check()?;
        let mut table = Self {
            release,
            native_functions,
            operators,
            entry_of,
            groups,
            faults,
            of_vendors: FxHashMap::default(),
            by_name: FxHashMap::default(),
            same_name: FxHashMap::default(),
            namesakes: OnceLock::new(),
            merged: FxHashMap::default(),
            kernels_of_name: Vec::new(),
            view_groups: OnceLock::new(),
            by_base: OnceLock::new(),
        };
        table.index();
        Ok(table)
    }

    /// Adds an operator of a vendor's file, unless there is one of its name. Such operators come last,
    /// so a file never renumbers PyTorch's operators.
    pub(crate) fn add_vendor(&mut self, vendor: &Arc<VendorOperator>) {
        let operator = vendor.schema.name.as_str();
        if self.find_in(&vendor.namespace, operator).is_some() {
            return;
        }
        let id = OperatorId::of_index(self.operators.len());
        let qualified = format!("{}::{operator}", vendor.namespace);
        self.of_vendors.insert(qualified.into(), id);
        let declaration = Declaration::Vendor(Arc::clone(vendor));
        let operator = Operator::new(declaration, Tags::from([]), false);
        self.groups.push_alone(operator.kind, id);
        self.operators.push(operator);
    }

    /// The number of vendors' operators.
    #[must_use]
    pub fn vendor_operators(&self) -> usize {
        self.of_vendors.len()
    }

    /// The operators of `native_functions.yaml`, declared and generated.
    pub fn native(&self) -> impl ExactSizeIterator<Item = (OperatorId, &Operator)> {
        self.iter()
            .take(self.operators.len() - self.of_vendors.len())
    }

    /// Declared operators with `autogen`.
    pub fn listing(&self) -> impl Iterator<Item = OperatorId> + '_ {
        let written = self.iter().take(self.entry_of.len());
        let listing = written.filter(|(_, operator)| {
            let placed = operator.declared();
            placed.is_some_and(|placed| !placed.entry.autogen.is_empty())
        });
        listing.map(|(id, _)| id)
    }

    /// The base of a generated operator.
    #[must_use]
    pub fn generated_from(&self, id: OperatorId) -> Option<OperatorId> {
        self.operator(id).generated_from()
    }

    fn index(&mut self) {
        for (i, operator) in self.operators.iter().enumerate() {
            let id = OperatorId::of_index(i);
            let first = *self.by_name.entry(operator.name().shared()).or_insert(id);
            if first != id {
                let same = self
                    .same_name
                    .entry(operator.name_text().into())
                    .or_insert_with(|| vec![first]);
                same.push(id);
            }
        }
        for ids in self.same_name.values() {
            let mut kernels: Vec<KernelEntry> = Vec::new();
            let mut seen = FxHashSet::default();
            let all = ids.iter().map(|id| &self.operators[id.index()]);
            for kernel in all.flat_map(Operator::kernels) {
                if seen.insert(kernel.key.as_str()) {
                    kernels.push(kernel.clone());
                }
            }
            let index = u32::try_from(self.kernels_of_name.len()).unwrap_or(u32::MAX);
            self.merged.extend(ids.iter().map(|id| (*id, index)));
            self.kernels_of_name.push(kernels);
        }
    }

    /// An operator by its id.
    #[must_use]
    pub fn operator(&self, id: OperatorId) -> &Operator {
        &self.operators[id.index()]
    }

    /// All operators with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (OperatorId, &Operator)> {
        self.operators
            .iter()
            .enumerate()
            .map(|(i, operator)| (OperatorId::of_index(i), operator))
    }

    /// The first operator of this name in `native_functions.yaml`, in any namespace.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<OperatorId> {
        self.by_name.get(name).copied()
    }

    /// The operator for a name such as `add.Tensor`, `aten::add.Tensor` or `custom::op`.
    #[must_use]
    pub fn find_qualified(&self, name: &str) -> Option<OperatorId> {
        let (namespace, bare) = split_qualified(name);
        self.find_in(namespace, bare)
    }

    /// The first operator of this name in a namespace.
    #[must_use]
    pub fn find_in(&self, namespace: &str, name: &str) -> Option<OperatorId> {
        let native = self.find(name);
        if native.is_some_and(|first| self.shares_name(first)) {
            let qualified = format!("{namespace}::{name}");
            let native = self.namesakes().get(&*qualified).copied();
            return native.or_else(|| self.of_vendor(namespace, name));
        }
        native
            .filter(|&found| self.operator(found).namespace() == namespace)
            .or_else(|| self.of_vendor(namespace, name))
    }

    fn of_vendor(&self, namespace: &str, name: &str) -> Option<OperatorId> {
        if self.of_vendors.is_empty() {
            return None;
        }
        let qualified = format!("{namespace}::{name}");
        self.of_vendors.get(&*qualified).copied()
    }

    fn namesakes(&self) -> &FxHashMap<Box<str>, OperatorId> {
        self.namesakes.get_or_init(|| {
            let mut namesakes = FxHashMap::default();
            for (name, ids) in self.shared_names() {
                for &id in ids {
                    let namespace = self.operator(id).namespace();
                    let qualified = format!("{namespace}::{name}").into();
                    namesakes.entry(qualified).or_insert(id);
                }
            }
            namesakes
        })
    }

    /// All operators of a name; rules reject more than one.
    pub fn all_named(&self, name: &str) -> impl DoubleEndedIterator<Item = OperatorId> + '_ {
        let same = self.same_name.get(name);
        let only = match same {
            Some(_) => None,
            None => self.find(name),
        };
        same.into_iter().flatten().copied().chain(only)
    }

    /// Shared names with their operators, unordered.
    pub fn shared_names(&self) -> impl Iterator<Item = (&str, &[OperatorId])> {
        self.same_name
            .iter()
            .map(|(name, ids)| (&**name, ids.as_slice()))
    }

    /// The view groups of the revision.
    #[must_use]
    pub fn view_groups(&self) -> &ViewGroups {
        self.view_groups
            .get_or_init(|| ViewGroups::of_operators(&self.operators, self.release))
    }

    /// The distinct base types of all arguments and returns, in order.
    pub fn used_types(&self) -> impl Iterator<Item = BaseType> {
        let used: BTreeSet<BaseType> = self
            .operators
            .iter()
            .flat_map(Operator::used_types)
            .collect();
        used.into_iter()
    }

    /// The kernels of an operator, which shares them with its namesakes, as in torchgen.
    #[must_use]
    pub fn kernels(&self, id: OperatorId) -> &[KernelEntry] {
        match self.merged.get(&id) {
            Some(&index) => &self.kernels_of_name[index as usize],
            None => self.operator(id).kernels(),
        }
    }

    /// Whether another operator has the same name.
    #[must_use]
    pub fn shares_name(&self, id: OperatorId) -> bool {
        self.merged.contains_key(&id)
    }

    /// The entry of a declared operator.
    #[must_use]
    pub fn entry(&self, id: OperatorId) -> Option<&PlacedEntry> {
        self.operator(id).declared()
    }
}
