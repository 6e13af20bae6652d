//! A figure at the top of a page.

/// A figure at the top of a page.
pub(crate) struct Card {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    /// The value in full, where `value` is rounded and the page shows both.
    pub(crate) exact: String,
    pub(crate) note: String,
}

impl Card {
    /// A figure that is not rounded.
    pub(crate) fn new(name: &'static str, value: String, note: String) -> Self {
        let exact = String::new();
        Self {
            name,
            value,
            exact,
            note,
        }
    }
}
