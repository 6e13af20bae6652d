//! Numbers of a stream to the names that reports show.

use ducktrack_analyses::{Names, SiteId, TypeId};

use super::document::PlaceNameDoc;
use crate::class_name::{printable, readable_class, readable_type};
use crate::event_trace::place::UNKNOWN_TYPE;
use crate::filter::Filter;

/// The value of the fact `names` of a stream whose names are in the JVM's form.
const JVM_NAMES: &str = "jvm";

/// The place of an allocation, as a list of objects shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectPlace {
    /// Type.
    pub ty: String,
    /// Class; empty when not known.
    pub class: String,
    /// Method; empty when not known.
    pub method: String,
    /// Line; `None` when not known.
    pub line: Option<u32>,
    /// Class of the caller to blame; `None` when not known.
    pub caller_class: Option<String>,
}

impl ObjectPlace {
    /// True when the filter wants objects of this place and type: the class of the site, or the caller's.
    #[must_use]
    pub fn is_wanted(&self, filter: &Filter) -> bool {
        wants_place(filter, &self.class, self.caller_class.as_deref())
            && filter.wants_type(&self.ty)
    }
}

/// True when the filter wants the class of a site, or that of its caller.
pub(super) fn wants_place(filter: &Filter, class: &str, caller: Option<&str>) -> bool {
    filter.wants_class(class) || caller.is_some_and(|caller| filter.wants_class(caller))
}

/// Names of a site and a type.
#[must_use]
pub fn place_of(names: &Names, site: SiteId, ty: TypeId) -> ObjectPlace {
    let place = place(names, site);
    ObjectPlace {
        ty: type_name(names, ty),
        class: place.class,
        method: place.method,
        line: place.line,
        caller_class: caller(names, site).map(|caller| caller.class),
    }
}

fn is_jvm(names: &Names) -> bool {
    names
        .facts
        .get("names")
        .is_some_and(|form| form == JVM_NAMES)
}

pub(super) fn type_name(names: &Names, ty: TypeId) -> String {
    match names.ty(ty) {
        Some(name) if is_jvm(names) => readable_type(name),
        Some(name) => printable(name),
        None if ty == TypeId::default() => UNKNOWN_TYPE.to_owned(),
        None => format!("type {}", ty.0),
    }
}

pub(super) fn place(names: &Names, site: SiteId) -> PlaceNameDoc {
    let Some(found) = names.site(site) else {
        let method = match site.0 {
            0 => String::new(),
            number => format!("site {number}"),
        };
        return PlaceNameDoc {
            method,
            ..PlaceNameDoc::default()
        };
    };
    let line = (found.line > 0).then_some(found.line);
    let Some(method) = names.method(found.method) else {
        return PlaceNameDoc {
            method: format!("method {}", found.method.0),
            line,
            ..PlaceNameDoc::default()
        };
    };
    let class = match is_jvm(names) {
        true => readable_class(&method.class),
        false => printable(&method.class),
    };
    PlaceNameDoc {
        class,
        method: printable(&method.name),
        line,
        source_file: (!method.file.is_empty()).then(|| printable(&method.file)),
    }
}

/// The caller of a site; `None` when not known.
pub(super) fn caller(names: &Names, site: SiteId) -> Option<PlaceNameDoc> {
    let caller = names.site(site)?.caller;
    (caller != SiteId::default()).then(|| place(names, caller))
}

impl std::fmt::Display for PlaceNameDoc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.method.is_empty() && self.class.is_empty() {
            return f.write_str("(site not known)");
        }
        if !self.class.is_empty() {
            write!(f, "{}.", self.class)?;
        }
        f.write_str(&self.method)?;
        match (self.line, &self.source_file) {
            (Some(line), Some(file)) => write!(f, "({file}:{line})"),
            (Some(line), None) => write!(f, "(line {line})"),
            (None, Some(file)) => write!(f, "({file})"),
            (None, None) => Ok(()),
        }
    }
}
