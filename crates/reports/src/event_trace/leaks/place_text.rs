//! Places as texts: `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`.

use crate::class_name::package_of;
use crate::text::next_command::is_library;

/// In a class that is not of a library.
pub(super) fn is_own_place(place: &str) -> bool {
    let class = class_of_place(place);
    class.is_some_and(|class| !is_library(package_of(class)))
}

/// The class of `com.acme.Shop.open(Shop.java:12) calls ...`.
pub(super) fn class_of_place(place: &str) -> Option<&str> {
    let method = place.split('(').next()?;
    method.rsplit_once('.').map(|(class, _)| class)
}

/// What an object near the structure is made by: a line that is not known to add to it.
pub(super) fn near(place: &str) -> String {
    format!("{NEAR}{place}{MAKES}")
}

/// The line itself.
pub(super) fn line_of(place: &str) -> &str {
    let line = place.strip_prefix(NEAR).unwrap_or(place);
    line.strip_suffix(MAKES).unwrap_or(line)
}

/// True of a place by [`near`].
pub(super) fn is_near(place: &str) -> bool {
    place.starts_with(NEAR)
}

const NEAR: &str = "near ";
const MAKES: &str = ", which makes what is added";
