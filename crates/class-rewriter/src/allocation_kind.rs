//! Objects that classes of the JDK's machinery make, and sizes of elements.

use ducktrack_probe_vocabulary::AllocationKind;
use serde::{Deserialize, Serialize};

/// The kind of everything that a class of the JDK's machinery allocates by plain bytecode on behalf of a construct of the language.
pub(crate) fn machinery_kind(class: &[u8]) -> Option<AllocationKind> {
    if class.starts_with(b"java/lang/StringConcatHelper")
        || class.starts_with(b"java/lang/String$$StringConcat")
    {
        Some(AllocationKind::StringConcat)
    } else if class.starts_with(b"jdk/internal/reflect/GeneratedSerializationConstructorAccessor") {
        Some(AllocationKind::Deserialization)
    } else if class.starts_with(b"jdk/internal/reflect/GeneratedConstructorAccessor") {
        Some(AllocationKind::Reflection)
    } else {
        None
    }
}

/// Size of an array's elements; the names are those of the helper's methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ElementSize {
    /// boolean, byte
    One,
    /// char, short
    Two,
    /// int, float
    Four,
    /// long, double
    Eight,
    /// references
    Reference,
}

impl ElementSize {
    /// Of the elements of an array with this descriptor (`[I`, `[[I`, `[Ljava/lang/String;`).
    pub fn of_array(descriptor: &[u8]) -> Option<Self> {
        match descriptor {
            [b'[', b'Z' | b'B'] => Some(Self::One),
            [b'[', b'C' | b'S'] => Some(Self::Two),
            [b'[', b'I' | b'F'] => Some(Self::Four),
            [b'[', b'J' | b'D'] => Some(Self::Eight),
            [b'[', b'[' | b'L', ..] => Some(Self::Reference),
            _ => None,
        }
    }

    /// The one of five that is for this size, in the order of the variants.
    pub(crate) fn pick<T>(self, by_size: [T; 5]) -> T {
        let [one, two, four, eight, reference] = by_size;
        match self {
            Self::One => one,
            Self::Two => two,
            Self::Four => four,
            Self::Eight => eight,
            Self::Reference => reference,
        }
    }

    /// The number that the helper's `m` takes.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::One => 0,
            Self::Two => 1,
            Self::Four => 2,
            Self::Eight => 3,
            Self::Reference => 4,
        }
    }
}
