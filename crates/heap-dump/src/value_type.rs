//! The types of fields and array elements in a dump.

/// A type, by its number in the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A reference.
    Reference,
    /// `boolean`
    Boolean,
    /// `char`
    Char,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
}

impl ValueType {
    /// The type with this number.
    pub(crate) fn of(number: u8) -> Option<Self> {
        Some(match number {
            2 => Self::Reference,
            4 => Self::Boolean,
            5 => Self::Char,
            6 => Self::Float,
            7 => Self::Double,
            8 => Self::Byte,
            9 => Self::Short,
            10 => Self::Int,
            11 => Self::Long,
            _ => return None,
        })
    }

    /// Bytes of a value in the dump.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Boolean | Self::Byte => 1,
            Self::Char | Self::Short => 2,
            Self::Float | Self::Int => 4,
            Self::Reference | Self::Double | Self::Long => 8,
        }
    }

    /// The descriptor of an array of this primitive type.
    pub(crate) fn array_descriptor(self) -> &'static str {
        match self {
            Self::Reference => "[Ljava/lang/Object;",
            Self::Boolean => "[Z",
            Self::Char => "[C",
            Self::Float => "[F",
            Self::Double => "[D",
            Self::Byte => "[B",
            Self::Short => "[S",
            Self::Int => "[I",
            Self::Long => "[J",
        }
    }
}
