//! A row of a table of sites: a site, a part of it by caller, or objects without a site.

use std::borrow::Cow;

use crate::event_trace::place::{PlaceDoc, WITHOUT_EVENT};
use crate::json::CallerDoc;
use crate::table::Table;

pub(super) struct SiteLine<'a, P: Clone> {
    pub(super) place: Option<&'a PlaceDoc>,
    pub(super) caller: Option<&'a CallerDoc>,
    /// The type of its objects.
    pub(super) ty: String,
    /// Its name in text.
    pub(super) name: String,
    pub(super) part: Cow<'a, P>,
}

impl<'a, P: Clone> SiteLine<'a, P> {
    pub(super) fn site(place: &'a PlaceDoc, part: &'a P) -> Self {
        Self {
            place: Some(place),
            caller: None,
            ty: place.made().to_owned(),
            name: format!("{} ({})", place.location, place.kind),
            part: Cow::Borrowed(part),
        }
    }

    pub(super) fn named(name: impl Into<String>, part: Cow<'a, P>) -> Self {
        Self {
            place: None,
            caller: None,
            ty: String::new(),
            name: name.into(),
            part,
        }
    }

    /// Objects that no event explains.
    pub(super) fn without_site(part: Option<&'a P>) -> Option<Self> {
        part.map(|part| Self::named(WITHOUT_EVENT, Cow::Borrowed(part)))
    }

    pub(super) fn of_type(ty: &str, part: &'a P) -> Self {
        Self {
            ty: ty.to_owned(),
            ..Self::named("", Cow::Borrowed(part))
        }
    }

    /// A row for each caller of a site; a site without has one.
    pub(super) fn by_caller(
        place: &'a PlaceDoc,
        part: &'a P,
        callers: impl Iterator<Item = (&'a CallerDoc, &'a P)>,
    ) -> Vec<Self> {
        let of_caller = |(caller, part)| Self {
            caller: Some(caller),
            ..Self::site(place, part)
        };
        let mut rows: Vec<Self> = callers.map(of_caller).collect();
        if rows.is_empty() {
            rows.push(Self::site(place, part));
        }
        rows
    }
}

/// The columns of the place, which only CSV has: text and page have names.
#[rustfmt::skip]
pub(super) fn place_columns<'a, P: Clone>() -> Table<'a, SiteLine<'a, P>> {
    Table::<SiteLine<'_, P>>::new()
        .in_csv("class", |row| Some(row.place?.location.class.clone()))
        .in_csv("method", |row| Some(row.place?.location.method.clone()))
        .in_csv("descriptor", |row| Some(row.place?.location.descriptor.clone()))
        .in_csv("bci", |row| Some(row.place?.location.bci))
        .in_csv("line", |row| row.place?.location.line)
        .in_csv("type", |row| row.place?.ty.clone())
        .in_csv("kind", |row| Some(row.place?.kind.clone()))
}

#[rustfmt::skip]
pub(super) fn with_caller<'a, P: Clone>() -> Table<'a, SiteLine<'a, P>> {
    place_columns().in_csv("caller", |row| Some(row.caller?.known()?.to_string()))
}
