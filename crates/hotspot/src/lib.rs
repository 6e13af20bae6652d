//! What the running HotSpot VM's own tables say: thread layout, flags, classes, heap.
//!
//! Nothing here is assumed from a version number: offsets and addresses come from the tables libjvm exports for its Serviceability
//! Agent ([`VmStructs`]), and whatever is missing or implausible is an error value, after which the feature that needs it is left out.
//!
//! | what | type | from |
//! |---|---|---|
//! | offsets of the allocation buffer and counters in a thread | [`ThreadLayout`] | `gHotSpotVMStructs` |
//! | a free word in every thread | [`jvmci_reserved_slot`] | JVMCI's unexported table |
//! | `-XX:` flags and their values | [`JvmFlags`], [`Collector`] | `JVMFlag::flags` |
//! | sizes and names of classes | [`KlassLayout`], [`LayoutHelper`] | `Klass`, `Symbol` |
//! | memory that may not be there | [`read_value`], [`read_bytes`] | the operating system |
//! | memory for counters | [`Reservation`] | the operating system |
//!
//! When to load what: [`VmStructs`], [`JvmFlags`] and [`ThreadLayout`] from `Agent_OnLoad` on; [`KlassLayout`] from `VMInit` on.
//!
//! Tested against independent truth on every JDK installed: `tests/tests/hotspot_layout.rs`.

mod address;
mod careful_read;
mod collector;
mod error;
mod jvm_flags;
mod jvmci_slot;
mod klass;
mod layout_helper;
mod libjvm;
mod reservation;
mod thread_layout;
mod vm_structs;

pub use address::{Address, Plain};
pub use careful_read::{read_bytes, read_c_string, read_value};
pub use collector::Collector;
pub use error::Error;
pub use jvm_flags::{FlagType, FlagValue, JvmFlags};
pub use jvmci_slot::{JvmciSlotRefusal, jvmci_reserved_slot};
pub use klass::KlassLayout;
pub use layout_helper::{InstanceSize, LayoutHelper};
pub use libjvm::{Libjvm, Segment};
pub use reservation::{Reservation, page_size, resident_bytes};
pub use thread_layout::{ThreadLayout, Tlab};
pub use vm_structs::{Field, FieldPlace, VmStructs};
