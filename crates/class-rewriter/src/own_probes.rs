//! What application code calls where other code calls the class that counts: what it makes is its own, and charged to no call.

use ducktrack_code_edit::ProbeMethod;

use crate::probe::COUNTING_CLASS;

/// The class that counts for application code.
const OWN_CLASS: &str = "java/lang/DuckTrackOwn";
/// What it has of the methods of the class that counts.
const OWN_METHODS: [&str; 22] = [
    "c", "cm", "l1", "l2", "l4", "l8", "lr", "bi", "bj", "bs", "bc", "k", "k1", "k2", "k4", "k8",
    "kr", "d", "dx", "da", "dm", "m",
];

/// What application code calls where other code would call this.
pub(crate) fn own(method: ProbeMethod) -> ProbeMethod {
    match method.class == COUNTING_CLASS && OWN_METHODS.contains(&method.name) {
        true => ProbeMethod {
            class: OWN_CLASS,
            ..method
        },
        false => method,
    }
}
