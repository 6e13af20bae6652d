//! The kinds of waste, their names, and what to do about each.

/// A kind of waste; the text is its name in all output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    name: &'static str,
    advice: Advice,
}

/// What to do about a kind of waste.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// Keep one of the equal objects.
    Deduplicate,
    /// Copy the reference, not the string.
    ShareString,
    /// Make the collection when it gets its first element.
    MakeLate,
    /// Drop the collection with its last element.
    DropEmpty,
    /// Let the field hold the element.
    HoldElement,
    /// Ask for the capacity that is needed, or trim.
    Trim,
    /// A smaller table would do.
    SmallerTable,
    /// Use an array of primitives, or a collection of them.
    Primitives,
    /// Leave the fields out of the class, or into a class of their own.
    MoveFields,
    /// Make a shorter array, or grow it.
    ShorterArray,
    /// The array has no content: make it when it is written.
    ArrayLate,
    /// Let strings be compact.
    CompactStrings,
    /// Bound the cache: the JVM clears it only when memory is short.
    BoundCache,
    /// Remove the value when the thread has done its work.
    RemoveThreadLocal,
    /// Close the objects, or do without a finalizer.
    NoFinalizer,
    /// One wrapper is enough.
    Unwrap,
    /// An atomic array keeps the values.
    AtomicArray,
}

impl Advice {
    /// The advice in one clause.
    pub fn text(self) -> &'static str {
        match self {
            Self::Deduplicate => {
                "keep one object for each value (a map of known values, or a cached factory)"
            }
            Self::ShareString => {
                "keep the string itself: a copy shares its array and has an object of its own"
            }
            Self::MakeLate => {
                "make the collection with its first element; until then null or an empty constant will do"
            }
            Self::DropEmpty => "drop the collection with its last element",
            Self::HoldElement => {
                "hold the element itself, or List.of, Set.of, Map.of with one element"
            }
            Self::Trim => "ask for the capacity that is needed, or trim once it is filled",
            Self::SmallerTable => {
                "ask for a smaller table, or copy the collection once it is filled"
            }
            Self::Primitives => "use an array of primitives, or a collection of them",
            Self::MoveFields => "leave these fields out, or move them to an object that few have",
            Self::ShorterArray => "make the array as long as its content, or let it grow",
            Self::ArrayLate => "make the array when it is first written",
            Self::CompactStrings => "run with -XX:+CompactStrings, or copy the string",
            Self::BoundCache => "bound the cache: the JVM clears it only when memory is short",
            Self::RemoveThreadLocal => "call ThreadLocal.remove when the work is done",
            Self::NoFinalizer => "close the objects yourself; use a Cleaner and no finalizer",
            Self::Unwrap => "one wrapper is enough",
            Self::AtomicArray => {
                "use AtomicReferenceArray, AtomicIntegerArray or AtomicLongArray: one object for all values"
            }
        }
    }
}

impl Kind {
    /// A kind by its name.
    pub(crate) const fn new(name: &'static str, advice: Advice) -> Self {
        Self { name, advice }
    }

    /// Its name: `empty-lists`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What to do about it.
    pub fn advice(self) -> Advice {
        self.advice
    }
}
