//! Definitions and references.

use lsp_types::Location;

use super::cursor::{Cursor, Part};
use super::operators::of_derivative;
use super::workspace::{OpenFile, Role};
use opatlas_operators::entry::TagName;
use opatlas_operators::operator::{Declaration, OperatorId};
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Span, TAGS};

/// A place in a file of the bundle.
type Place<'n> = (&'n str, Span);

/// The declaration of the name at a byte. At the declaration of an operator, its formula.
pub(super) fn definition(opened: OpenFile<'_>, offset: usize) -> Vec<Location> {
    let cursor = Cursor::new(opened.document.text.as_str(), offset);
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

/// All references to the name at a byte, in the order of files. The declaration comes first if requested.
pub(super) fn references(
    opened: OpenFile<'_>,
    offset: usize,
    with_declaration: bool,
) -> Vec<Location> {
    let cursor = Cursor::new(opened.document.text.as_str(), offset);
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
    // The declaration of a generated operator is its name in `autogen`.
    let named = named.filter(|place| Some(*place) != declaration(opened, id));
    locations(opened, declared.into_iter().chain(named))
}

fn locations<'n>(
    opened: OpenFile<'_>,
    places: impl IntoIterator<Item = Place<'n>>,
) -> Vec<Location> {
    let places = places.into_iter();
    places
        .filter_map(|(file, span)| opened.location(file, span))
        .collect()
}

fn tag_at<'t>(opened: OpenFile<'_>, cursor: &Cursor<'t>) -> Option<&'t str> {
    let is_tag = matches!(
        (opened.document.role, cursor.part()),
        (Role::Native, Part::Value("tags") | Part::InnerKey("tags"))
            | (Role::Tags, Part::Value("tag"))
    );
    let free = cursor.comment().is_none();
    (is_tag && free).then(|| cursor.word_text())
}

/// The declaration of an operator: its entry, its name in `autogen`, or a vendor's file.
fn declaration<'w>(opened: OpenFile<'w>, id: OperatorId) -> Option<Place<'w>> {
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

fn name_in(opened: OpenFile<'_>, func: Span, length: usize) -> Span {
    let text = func.slice(&opened.snapshot.catalogue.native_functions.text);
    let until = text.find('(').unwrap_or(length);
    Span::new(func.start, func.start + u32::try_from(until).unwrap_or(0))
}

/// The names of an operator in `structured_delegate` and `autogen`.
fn naming<'w>(opened: OpenFile<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
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

fn formulas<'w>(opened: OpenFile<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
    let catalogue = &opened.snapshot.catalogue;
    let files = catalogue.derivatives.iter();
    files.flat_map(move |derivatives| {
        let entries = derivatives.entries.iter();
        let entries =
            entries.filter(move |entry| of_derivative(catalogue, derivatives, entry) == Some(id));
        entries.map(|entry| (DERIVATIVES, derivatives.span(entry.name)))
    })
}

fn listings<'w>(opened: OpenFile<'w>, id: OperatorId) -> impl Iterator<Item = Place<'w>> {
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

fn tagged<'w>(opened: OpenFile<'w>, tag: &'w str) -> impl Iterator<Item = Place<'w>> {
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
