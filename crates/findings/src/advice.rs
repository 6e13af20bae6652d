//! What a person would do next about a finding.

use ducktrack_holders::{NamedField, NamedRoot};

use crate::places::Place;

/// The next step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Advice {
    /// Nothing: the JVM clears soft references before the heap is full. Their entries stay in this field.
    LeaveSoft(Option<NamedField>),
    /// Run longer: a straight line is a leak, a bound is a cache.
    RunLonger,
    /// Look before the shutdown hooks drop it.
    LookBeforeShutdown,
    /// Run longer: the program was still starting.
    RunPastStart,
    /// Run longer or with a smaller heap: collections that look at all of the old space are too few.
    MoreLooks,
    /// Run longer: it began late.
    RunPastBatch,
    /// Look at the old space.
    #[default]
    Look,
    /// A class stays as long as its loader; see this place of the program's own.
    FewerClasses(Option<Place>),
    /// Remove the value of this `ThreadLocal` when a thread has done its task.
    RemoveThreadLocal(NamedField),
    /// Soft references are cleared, their entries stay in this field.
    RemoveSoftEntries(NamedField),
    /// Remove from a field, which another field of the project leads to.
    Remove {
        /// The field.
        field: NamedField,
        /// The nearest field of the project that leads to the field of a library.
        outer: Option<NamedField>,
        /// Another field that holds the same objects: to remove from one of both frees nothing.
        also: Option<NamedField>,
        /// The line that adds; not of the JDK.
        adds: Option<Place>,
        /// The line of the project for which a library adds.
        adds_for: Option<Place>,
    },
    /// Remove from a `ClassValue` what this place adds.
    RemoveClassValue(Option<Place>),
    /// Remove from the static field, the local variable or the thread what this place adds.
    RemoveFromRoot(NamedRoot, Option<Place>),
    /// This root holds it, and no field of the program does: let this place keep less.
    KeepLess(NamedRoot, Option<Place>),
    /// Find who holds it, and remove what this place adds.
    FindHolder(Option<Place>),
}
