//! The rules, and how certain the saving of each can be.

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A box of a primitive value.
    Box,
    /// An array that a growing collection or builder leaves behind.
    Growth,
    /// The array of a call with variable arguments.
    Varargs,
    /// A lambda or method reference that captures values.
    Capture,
    /// An iterator.
    Iterator,
    /// The machinery of a stream.
    Stream,
    /// A chain of `Optional`s.
    Optional,
    /// The array that `values()` of an enum copies.
    EnumValues,
    /// A copy of an array or a collection.
    Copy,
    /// Work of regular expressions.
    Regex,
    /// Text.
    Text,
    /// An exception with its stack trace.
    Exception,
    /// A large array for each call.
    Buffer,
    /// An object that is dear to make, made again and again.
    Costly,
}

impl Rule {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Growth => "growth",
            Self::Varargs => "varargs",
            Self::Capture => "capture",
            Self::Iterator => "iterator",
            Self::Stream => "stream",
            Self::Optional => "optional",
            Self::EnumValues => "values",
            Self::Copy => "copy",
            Self::Regex => "regex",
            Self::Text => "string",
            Self::Exception => "exception",
            Self::Buffer => "buffer",
            Self::Costly => "costly",
        }
    }

    /// Whether the change removes all these objects. Else some may be needed: their number is a bound.
    pub(crate) fn removes_all(self) -> bool {
        match self {
            Self::Box | Self::Varargs | Self::Iterator | Self::EnumValues => true,
            Self::Growth
            | Self::Capture
            | Self::Stream
            | Self::Optional
            | Self::Copy
            | Self::Regex
            | Self::Text
            | Self::Exception
            | Self::Buffer
            | Self::Costly => false,
        }
    }

    /// Whether the lines of one method are one change: the calls of a chain, and those that fill a collection, are written on several.
    pub(crate) fn is_of_method(self) -> bool {
        matches!(
            self,
            Self::Stream | Self::Optional | Self::Exception | Self::Growth
        )
    }
}
