//! Fields that lead to objects without keeping them: the collector and its helpers go through them on the way to freeing an object.
//!
//! An object with a finalizer is always in the list `Finalizer.unfinalized`, and one with a
//! cleaner has the cleaner in a list; a reference that was found unreachable waits in a queue. An
//! object that is held in no other way is as good as free, so these ways come after all others.

/// The class that declares a field, and the field.
const FIELDS: [(&str, &str); 15] = [
    ("java/lang/ref/Finalizer", "unfinalized"),
    ("java/lang/ref/Finalizer", "next"),
    ("java/lang/ref/Finalizer", "prev"),
    ("java/lang/ref/Reference", "next"),
    ("java/lang/ref/Reference", "discovered"),
    ("java/lang/ref/Reference", "pending"),
    ("java/lang/ref/ReferenceQueue", "head"),
    ("java/lang/ref/NativeReferenceQueue", "head"),
    ("jdk/internal/ref/Cleaner", "first"),
    ("jdk/internal/ref/Cleaner", "next"),
    ("jdk/internal/ref/Cleaner", "prev"),
    ("jdk/internal/ref/PhantomCleanable", "next"),
    ("jdk/internal/ref/PhantomCleanable", "prev"),
    ("jdk/internal/ref/CleanerImpl$CleanableList$Node", "arr"),
    ("jdk/internal/ref/CleanerImpl$CleanableList", "head"),
];

/// Threads whose local variables are references under way to being freed.
pub(crate) const HANDLERS: [&str; 2] = [
    "java/lang/ref/Reference$ReferenceHandler",
    "java/lang/ref/Finalizer$FinalizerThread",
];

/// Objects that only instance fields of `java.lang.Class` hold, which no dump
/// has, and the field. Of these only class values keep anything of the program's.
pub(crate) const FIELDS_OF_CLASS_OBJECTS: [(&str, &str); 1] =
    [("java/lang/ClassValue$ClassValueMap", "classValueMap")];

/// How the referent of a reference object is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    Firm,
    /// It keeps its target until memory is short: never what fills a heap.
    Soft,
    Late,
    /// It does not keep its target (weak and phantom references).
    Weak,
}

/// The strength of a field, by the class that declares it and the classes that the object is of.
pub(crate) fn strength(declared_by: &str, field: &str, is_a: impl Fn(&str) -> bool) -> Strength {
    if (declared_by, field) == ("java/lang/ref/Reference", "referent") {
        return match () {
            () if is_a("java/lang/ref/WeakReference") => Strength::Weak,
            () if is_a("java/lang/ref/PhantomReference") => Strength::Weak,
            () if is_a("java/lang/ref/FinalReference") => Strength::Late,
            () if is_a("java/lang/ref/SoftReference") => Strength::Soft,
            () => Strength::Firm,
        };
    }
    match FIELDS.contains(&(declared_by, field)) {
        true => Strength::Late,
        false => Strength::Firm,
    }
}
