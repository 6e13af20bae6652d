//! Constants with a name and a number, also as a list.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) name: &'static str,
    pub(crate) value: u64,
    pub(crate) doc: &'static str,
}

/// Declares constants of one type, and `ALL`, which lists them.
macro_rules! numbered {
    ($ty:ty; $(#[doc = $doc:literal] $name:ident = $value:expr;)*) => {
        $(#[doc = $doc] pub const $name: $ty = $value;)*

        /// All of the above, in order.
        pub(crate) const ALL: &[$crate::numbered::Numbered] = &[
            $($crate::numbered::Numbered { name: stringify!($name), value: $name as u64, doc: $doc }),*
        ];
    };
}

pub(crate) use numbered;
