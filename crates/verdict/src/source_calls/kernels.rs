//! The functions of composite kernels.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_sources::parameter_types;

/// The function of an operator's composite kernel.
pub(super) struct Composite {
    pub(super) id: OperatorId,
    pub(super) function: Box<str>,
    /// Its namespace.
    pub(super) scope: Box<str>,
    /// The types of its parameters, if torchgen declares the function.
    pub(super) parameters: Option<Vec<Box<str>>>,
}

/// The keys of composite kernels, those first that other ones give way to.
const KEYS: [&str; 3] = [
    "CompositeExplicitAutogradNonFunctional",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
];

/// The composite kernels that are written by hand.
pub(super) fn composites(
    catalogue: &Catalogue,
    wanted: impl Fn(OperatorId) -> bool,
) -> Vec<Composite> {
    let faces = FaceMaker::new(catalogue);
    let all = catalogue.iter().filter(|(id, _)| wanted(*id));
    let found = all.filter_map(|(id, operator)| {
        if operator.is_generated() {
            return None;
        }
        let mut keys = KEYS.iter();
        let kernels = catalogue.kernels(id);
        let kernel =
            keys.find_map(|key| kernels.iter().find(|kernel| kernel.key.as_str() == *key))?;
        let declared = faces.kernels(id);
        let declared = declared
            .iter()
            .find(|faces| &*faces.key == kernel.key.as_str());
        let declaration = declared.and_then(|faces| faces.declarations.first());
        // torchgen appends `native` to the namespace.
        let namespace = kernel.kernel.namespace.as_deref().unwrap_or("at");
        Some(Composite {
            id,
            function: (&*kernel.kernel.name).into(),
            scope: format!("{namespace}::native").into(),
            parameters: declaration.map(|text| parameter_types(text)),
        })
    });
    found.collect()
}
