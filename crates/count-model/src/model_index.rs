//! Typed positions in the tables of a [`CountModel`](crate::CountModel).

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) usize);
        impl $name {
            /// The index of a position.
            pub fn at(position: usize) -> Self {
                Self(position)
            }
            /// The position in the table.
            pub fn get(self) -> usize {
                self.0
            }
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($word, "{}"), self.0)
            }
        }
    };
}

index!(/// A position in [`CountModel::methods`](crate::CountModel::methods).
    MethodIndex, "method");
index!(/// A position in [`CountModel::sites`](crate::CountModel::sites).
    SiteIndex, "site");
index!(/// A position in [`CountModel::calls`](crate::CountModel::calls).
    CallIndex, "call");
index!(/// A position in [`CountModel::contexts`](crate::CountModel::contexts).
    ContextIndex, "context");
index!(/// A position in [`CountModel::threads`](crate::CountModel::threads).
    ThreadIndex, "thread");
