//! Definitions and references.

use lsp_types::Location;

use super::cursor::{Cursor, Part};
use super::operators::of_derivative;
use super::workspace::{Opened, Role};
use opatlas_operators::entry::TagName;
use opatlas_operators::operator::{Declaration, OperatorId};
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Span, TAGS};

/// A place in a file of the bundle.
type Place<'n> = (&'n str, Span);

/// Where what is named at a byte is declared. The declaration of an operator leads to its formula.
pub(super) fn definition(opened: Opened<'_>, offset: usize) -> Vec<Location> {
    let cursor = Cursor::at(opened.document.text.as_str(), offset);
    if let Some(tag) = tag_at(opened, &cursor) {
        let found = opened.snapshot.catalogue.tags.find(tag);
        let place = found.map(|tag| (TAGS, tag.at));
        return locations(opened, place);
    }
    let Some(id) = opened.operator_at(&cursor) else {
        return Vec::new();
    };
    let declares = opened.document.role == Role::Native && cursor.part() == Part::Value("func");
    if declares {
        let formulas: Vec<_> = formulas(opened, id).collect();
        if !formulas.is_empty() {
            return locations(opened, formulas);
        }
    }
    locations(opened, declaration(opened, id))
}

/// Everything that names what is named at a byte, in the order of files; its declaration first if
/// it is asked for.
pub(super) fn references(
    opened: Opened<'_>,
    offset: usize,
    with_declaration: bool,
) -> Vec<Location> {
    let cursor = Cursor::at(opened.document.text.as_str(), offset);
    if let Some(tag) = tag_at(opened, &cursor) {
        let declared = opened.snapshot.catalogue.tags.find(tag);
        let declared = declared
            .filter(|_| with_declaration)
            .map(|tag| (TAGS, tag.at));
        return locations(opened, declared.into_iter().chain(tagged(opened, tag)));
    }
    let Some(id) = opened.operator_at(&cursor) else {
        return Vec::new();
    };
    let declared = declaration(opened, id).filter(|_| with_declaration);
    let named = naming(opened, id);
    let named = named
        .chain(formulas(opened, id))
        .chain(listings(opened, id));
    // A generated operator is declared where `autogen` names it.
    let named = named.filter(|place| Some(*place) != declaration(opened, id));
    locations(opened, declared.into_iter().chain(named))
}

fn locations<'n>(opened: Opened<'_>, places: impl IntoIterator<Item = Place<'n>>) -> Vec<Location> {
    let places = places.into_iter();
    places
        .filter_map(|(file, span)| opened.location(file, span))
        .collect()
}

/// The tag that is named at a place.
fn tag_at<'t>(opened: Opened<'_>, cursor: &Cursor<'t>) -> Option<&'t str> {
    let is_tag = matches!(
        (opened.document.role, cursor.part()),
        (Role::Native, Part::Value("tags") | Part::InnerKey("tags"))
            | (Role::Tags, Part::Value("tag"))
    );
    let free = cursor.comment().is_none();
    (is_tag && free).then(|| cursor.word_text())
}

/// Where an operator is declared: its entry, the name in `autogen`, or a vendor's file.
fn declaration<'w>(opened: Opened<'w>, id: OperatorId) -> Option<Place<'w>> {
    let catalogue = &opened.snapshot.catalogue;
    match &catalogue.operator(id).declaration {
        Declaration::Entry(placed) => {
            let length = placed
                .entry
                .name
                .as_ref()
                .map_or(0, |name| name.as_str().len());
            let func = placed.place(placed.entry.func_at);
            Some((NATIVE_FUNCTIONS, name_in(opened, func, length)))
        }
        Declaration::Generated { made, from } => {
            let name = made.schema.name.as_str();
            let owner = catalogue.entry(*from)?;
            let named = owner.entry.autogen.iter();
            let named = named.filter(|autogen| autogen.value.as_str() == name);
            let at = named.map(|autogen| autogen.at).next();
            Some((
                NATIVE_FUNCTIONS,
                owner.place(at.unwrap_or(owner.entry.func_at)),
            ))
        }
        Declaration::Vendor(vendor) => Some((&vendor.file, vendor.at)),
    }
}

/// The name at the beginning of a schema, its namespace included.
fn name_in(opened: Opened<'_>, func: Span, length: usize) -> Span {
    let text = func.slice(&opened.snapshot.catalogue.native_functions.text);
    let until = text.find('(').unwrap_or(length);
    Span::new(func.start, func.start + u32::try_from(until).unwrap_or(0))
}

/// The entries whose `structured_delegate` or `autogen` names an operator.
fn naming<'w>(opened: Opened<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
    let catalogue = &opened.snapshot.catalogue;
    let name = catalogue.operator(id).name_text();
    let entries = catalogue.native_functions.entries.iter();
    entries.flat_map(move |placed| {
        let entry = &placed.entry;
        let named = entry.structured_delegate.iter().chain(&entry.autogen);
        let named = named.filter(move |named| named.value.as_str() == name);
        named.map(|named| (NATIVE_FUNCTIONS, placed.place(named.at)))
    })
}

/// The entries of `derivatives.yaml` for an operator.
fn formulas<'w>(opened: Opened<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
    let catalogue = &opened.snapshot.catalogue;
    let files = catalogue.derivatives.iter();
    files.flat_map(move |derivatives| {
        let entries = derivatives.entries.iter();
        let entries =
            entries.filter(move |entry| of_derivative(catalogue, derivatives, entry) == Some(id));
        entries.map(|entry| (DERIVATIVES, derivatives.span(entry.name)))
    })
}

/// The lists of backend files that name an operator.
fn listings<'w>(opened: Opened<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
    let catalogue = &opened.snapshot.catalogue;
    catalogue.backends.iter().flat_map(move |(name, file)| {
        let own = [
            &file.supported,
            &file.full_codegen,
            &file.autograd,
            &file.symint,
        ];
        let listed = own.into_iter().flatten();
        let listed = listed.filter(move |listed| file.listed(catalogue, &listed.value) == Some(id));
        listed.map(move |listed| (&**name, listed.at))
    })
}

/// The entries that carry a tag.
fn tagged<'w>(opened: Opened<'w>, tag: &'w str) -> impl Iterator<Item = Place<'w>> {
    let entries = opened.snapshot.catalogue.native_functions.entries.iter();
    entries.flat_map(move |placed| {
        let tags = placed.entry.tags.iter();
        let tags = tags.filter(move |named| match &named.value {
            TagName::Text(name) | TagName::Scalar(name) => **name == *tag,
            TagName::Collection => false,
        });
        tags.map(|named| (NATIVE_FUNCTIONS, placed.place(named.at)))
    })
}
