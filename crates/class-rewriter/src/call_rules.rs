//! Calls that are allocation sites themselves, because the callee is native or the JIT replaces it.
//!
//! C2 knows some JDK methods by heart and compiles a call of them to code of its own: what their bytecode counts is lost then. So
//! they are counted where they are called, and their own bodies are left uncounted ([`body_is_counted_by_callers`]). Native methods
//! have no body to count in. Private methods are found in the class file itself ([`replaced_methods`](crate::replaced_methods)).

use ducktrack_classfile::MemberRef;

use ducktrack_probe_vocabulary::AllocationKind;

/// How to find out what a call allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallRule {
    /// A box, unless the value is in the cache.
    Boxing(BoxCache),
    /// The result is a new array of the static type of the receiver or of the method's result.
    Array,
    /// The result is a new object of a class that only the run knows.
    Object,
    /// The same, if no class overrides `clone` for it: an override is counted in its own body.
    ObjectUnlessOverridden,
    /// The same, if it is not a hidden class (lambdas are counted at their `invokedynamic`).
    ObjectUnlessHidden,
    /// The same, unless the caller has noted that it is counted already ([`counts_again`]).
    ObjectUnlessCounted,
    /// The result is a new object, unless it is the last argument ([`ReplacedMethods`](crate::replaced_methods::ReplacedMethods)).
    ObjectUnlessPassed,
    /// The result is a new object of the class of the constructor that the call is given; it is made even if the constructor throws.
    Constructed,
    /// The result is a new array with all its levels.
    AllLevels,
    /// The VM makes the stack trace of the exception that is the result, and puts it into a field ([`BACKTRACE`]).
    StackTrace,
}

/// Which values have a box already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxCache {
    /// -128 to the top of `Integer`'s cache
    Integer,
    /// -128 to 127, argument of type long
    Long,
    /// -128 to 127, argument of type int
    Short,
    /// 0 to 127
    Character,
    /// none
    None,
}

const INVOKEVIRTUAL: u8 = 182;
const INVOKESPECIAL: u8 = 183;
const INVOKESTATIC: u8 = 184;

const THROWABLE: &[u8] = b"java/lang/Throwable";
/// Where an exception has its stack trace.
pub(crate) const BACKTRACE: MemberRef<'static> = MemberRef {
    class: THROWABLE,
    name: b"backtrace",
    descriptor: b"Ljava/lang/Object;",
    interface: false,
};
/// The native one of its two methods `fillInStackTrace`.
const FILL_IN: &[u8] = b"(I)Ljava/lang/Throwable;";

/// Whether a method of this name may have a [`rule`].
fn is_name_of_rule(name: &[u8]) -> bool {
    matches!(
        name,
        b"valueOf"
            | b"clone"
            | b"newArray"
            | b"multiNewArray"
            | b"copyOf"
            | b"copyOfRange"
            | b"toBytes"
            | b"newBytesFor"
            | b"newInstance0"
            | b"allocateInstance"
            | b"allocateUninitializedArray0"
            | b"fillInStackTrace"
    )
}

/// The rule for a call, if it allocates by itself. `caller` is the class that calls.
pub(crate) fn rule(
    opcode: u8,
    caller: &[u8],
    class: &[u8],
    name: &[u8],
    descriptor: &[u8],
) -> Option<(CallRule, AllocationKind)> {
    if !is_name_of_rule(name) {
        return None;
    }
    match (opcode, name) {
        (INVOKESTATIC, b"valueOf") => {
            boxing(class, descriptor).map(|cache| (CallRule::Boxing(cache), AllocationKind::Boxing))
        }
        (INVOKEVIRTUAL | INVOKESPECIAL, b"clone") if descriptor == b"()Ljava/lang/Object;" => {
            clone(opcode, class)
        }
        (INVOKESTATIC, _) => static_call(class, name, descriptor),
        (INVOKEVIRTUAL, b"allocateInstance") if class == b"jdk/internal/misc/Unsafe" => {
            Some(if caller == b"java/lang/invoke/DirectMethodHandle" {
                (CallRule::ObjectUnlessHidden, AllocationKind::MethodHandle)
            } else {
                (CallRule::Object, AllocationKind::UnsafeAllocate)
            })
        }
        (INVOKEVIRTUAL | INVOKESPECIAL, b"allocateUninitializedArray0")
            if class == b"jdk/internal/misc/Unsafe" =>
        {
            Some((CallRule::Object, AllocationKind::UnsafeAllocate))
        }
        (INVOKEVIRTUAL | INVOKESPECIAL, b"fillInStackTrace")
            if caller == THROWABLE && class == THROWABLE && descriptor == FILL_IN =>
        {
            Some((CallRule::StackTrace, AllocationKind::Vm))
        }
        _ => None,
    }
}

fn boxing(class: &[u8], descriptor: &[u8]) -> Option<BoxCache> {
    match (class, descriptor) {
        (b"java/lang/Integer", b"(I)Ljava/lang/Integer;") => Some(BoxCache::Integer),
        (b"java/lang/Long", b"(J)Ljava/lang/Long;") => Some(BoxCache::Long),
        (b"java/lang/Short", b"(S)Ljava/lang/Short;") => Some(BoxCache::Short),
        (b"java/lang/Character", b"(C)Ljava/lang/Character;") => Some(BoxCache::Character),
        (b"java/lang/Float", b"(F)Ljava/lang/Float;")
        | (b"java/lang/Double", b"(D)Ljava/lang/Double;") => Some(BoxCache::None),
        _ => None,
    }
}

fn clone(opcode: u8, class: &[u8]) -> Option<(CallRule, AllocationKind)> {
    let rule = match class {
        [b'[', element @ ..] if is_leaf(element) => CallRule::Array,
        [b'[', b'[' | b'L', ..] => CallRule::Object,
        b"java/lang/Object" if opcode == INVOKESPECIAL => CallRule::Object,
        b"java/lang/Object" => CallRule::ObjectUnlessOverridden,
        _ => return None,
    };
    Some((rule, AllocationKind::Clone))
}

/// Has an array of this element type no subtypes? `Object[]` can be a `String[]`; of most classes only the run knows.
fn is_leaf(element: &[u8]) -> bool {
    match element {
        [b'[', nested @ ..] => is_leaf(nested),
        [primitive] => b"ZBCSIFJD".contains(primitive),
        reference => reference == b"Ljava/lang/String;",
    }
}

fn static_call(class: &[u8], name: &[u8], descriptor: &[u8]) -> Option<(CallRule, AllocationKind)> {
    use AllocationKind::{ArrayReflection, Intrinsic, Reflection};
    match (class, name, descriptor) {
        (b"java/lang/reflect/Array", b"newArray", _) => {
            Some((CallRule::ObjectUnlessCounted, ArrayReflection))
        }
        (b"java/lang/reflect/Array", b"multiNewArray", _) => {
            Some((CallRule::AllLevels, ArrayReflection))
        }
        (
            b"java/util/Arrays",
            b"copyOf",
            b"([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;",
        )
        | (
            b"java/util/Arrays",
            b"copyOfRange",
            b"([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;",
        ) => Some((CallRule::Object, Intrinsic)),
        (b"java/lang/StringUTF16", b"toBytes", b"([CII)[B")
        | (b"java/lang/StringUTF16", b"newBytesFor", b"(I)[B") => {
            Some((CallRule::Array, Intrinsic))
        }
        (
            b"jdk/internal/reflect/NativeConstructorAccessorImpl"
            | b"jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor",
            b"newInstance0",
            b"(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;",
        ) => Some((CallRule::Constructed, Reflection)),
        _ => None,
    }
}

/// Whether what a method's body allocates is counted by those who call it, so that the body must not count it again.
pub(crate) fn body_is_counted_by_callers(class: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
    match name {
        b"valueOf" => boxing(class, descriptor).is_some(),
        b"copyOf" | b"copyOfRange" | b"toBytes" | b"newBytesFor" => {
            static_call(class, name, descriptor).is_some()
        }
        b"allocateUninitializedArray0" => class == b"jdk/internal/misc/Unsafe",
        _ => false,
    }
}

/// Whether a method whose body is counted by its callers must note so before it calls this, which counts by itself.
pub(crate) fn counts_again(class: &[u8], name: &[u8]) -> bool {
    class == b"java/lang/reflect/Array" && name == b"newInstance"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_know_their_own_clone() {
        let rule = |opcode, class: &[u8]| {
            rule(opcode, b"A", class, b"clone", b"()Ljava/lang/Object;").map(|found| found.0)
        };
        assert_eq!(rule(INVOKEVIRTUAL, b"[I"), Some(CallRule::Array));
        assert_eq!(rule(INVOKEVIRTUAL, b"[[J"), Some(CallRule::Array));
        let strings = rule(INVOKEVIRTUAL, b"[Ljava/lang/String;");
        assert_eq!(strings, Some(CallRule::Array));
        // It may be an array of a subclass.
        let numbers = rule(INVOKEVIRTUAL, b"[Ljava/lang/Number;");
        assert_eq!(numbers, Some(CallRule::Object));
        let nested = rule(INVOKEVIRTUAL, b"[[Ljava/lang/Object;");
        assert_eq!(nested, Some(CallRule::Object));
        assert_eq!(
            rule(INVOKESPECIAL, b"java/lang/Object"),
            Some(CallRule::Object)
        );
        assert_eq!(
            rule(INVOKEVIRTUAL, b"java/lang/Object"),
            Some(CallRule::ObjectUnlessOverridden)
        );
        assert_eq!(rule(INVOKEVIRTUAL, b"java/util/ArrayList"), None);
    }

    #[test]
    fn only_the_native_method_makes_a_stack_trace() {
        let found = |opcode, caller: &[u8], descriptor: &[u8]| {
            rule(opcode, caller, THROWABLE, b"fillInStackTrace", descriptor)
        };
        let expected = Some((CallRule::StackTrace, AllocationKind::Vm));
        // Up to which release a compiler writes the one or the other does not matter.
        assert_eq!(found(INVOKESPECIAL, THROWABLE, FILL_IN), expected);
        assert_eq!(found(INVOKEVIRTUAL, THROWABLE, FILL_IN), expected);
        let public = b"()Ljava/lang/Throwable;";
        assert_eq!(found(INVOKEVIRTUAL, THROWABLE, public), None);
        assert_eq!(found(INVOKEVIRTUAL, b"A", FILL_IN), None);
    }

    #[test]
    fn what_callers_count_is_not_counted_in_the_body() {
        assert!(body_is_counted_by_callers(
            b"java/lang/Integer",
            b"valueOf",
            b"(I)Ljava/lang/Integer;"
        ));
        assert!(!body_is_counted_by_callers(
            b"java/lang/Integer",
            b"valueOf",
            b"(Ljava/lang/String;)Ljava/lang/Integer;"
        ));
        assert!(!body_is_counted_by_callers(
            b"java/util/Arrays",
            b"copyOf",
            b"([II)[I"
        ));
    }
}
