//! The ways of allocating that bytecode shows.

/// What kind of construct allocates at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllocationKind {
    /// `new`
    New,
    /// `newarray`, `anewarray`
    NewArray,
    /// `multianewarray`, every level a site of its own
    MultiNewArray,
    /// a capturing lambda's `invokedynamic`
    Lambda,
    /// a capturing method reference's `invokedynamic`
    MethodReference,
    /// the result of a string concatenation, made by the JDK's helper
    StringConcat,
    /// `Integer.valueOf` and its like
    Boxing,
    /// an array made to pass variable arguments; no rule gives it, as `f(a, b)` and `f(new Object[] {a, b})` are the same bytecode
    Varargs,
    /// `Object.clone` and `clone` of arrays
    Clone,
    /// `java.lang.reflect.Array`
    ArrayReflection,
    /// a constructor called through reflection's native way
    Reflection,
    /// a constructor called through a method handle
    MethodHandle,
    /// `Unsafe.allocateInstance` and uninitialized arrays
    UnsafeAllocate,
    /// an object made by deserialization, without a constructor of its class
    Deserialization,
    /// a method that C2 replaces by code of its own
    Intrinsic,
    /// a native method for which the VM makes objects of its own
    Vm,
}

impl AllocationKind {
    /// The kind of everything that a class of the JDK's machinery allocates by plain bytecode on behalf of a construct of the language.
    pub(crate) fn of_machinery(class: &[u8]) -> Option<Self> {
        if class.starts_with(b"java/lang/StringConcatHelper")
            || class.starts_with(b"java/lang/String$$StringConcat")
        {
            Some(Self::StringConcat)
        } else if class
            .starts_with(b"jdk/internal/reflect/GeneratedSerializationConstructorAccessor")
        {
            Some(Self::Deserialization)
        } else if class.starts_with(b"jdk/internal/reflect/GeneratedConstructorAccessor") {
            Some(Self::Reflection)
        } else {
            None
        }
    }
}

/// Size of an array's elements; the names are those of the helper's methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
