//! Methods of the library in which threads of the JVM itself wait for ever:
//! they are left as they are, unless every use of an object is stamped.
//!
//! Such a thread has entered its method before the agent could change it, and its frame runs the replaced version
//! as long as the JVM lives. The serviceability agent (`jhsdb`, live or on a core dump) cannot read a frame whose
//! method has been replaced by another one. All that these methods allocate is an exception for a wrong argument.

/// By class, each with its methods, whatever their parameters.
const WAITING: [(&[u8], &[&[u8]]); 3] = [
    (b"java/lang/Object", &[b"wait"]),
    (
        b"java/lang/ref/ReferenceQueue",
        &[b"remove", b"remove0", b"await"],
    ),
    (
        b"java/lang/ref/NativeReferenceQueue",
        &[b"remove", b"remove0", b"await"],
    ),
];

/// Whether a method is one of them.
pub(crate) fn waits_for_ever(class: &[u8], method: &[u8]) -> bool {
    let of_class = WAITING.iter().filter(|(waiting, _)| *waiting == class);
    of_class
        .flat_map(|(_, methods)| *methods)
        .any(|waiting| *waiting == method)
}
