//! Reads the running HotSpot VM's own tables: thread layout, flags, classes, heap.
//!
//! Nothing is assumed from a version number. Offsets and addresses come from the tables that libjvm exports for its Serviceability Agent
//! ([`VmStructs`]). A missing or implausible entry is an error value, and the feature that needs it is disabled.
//!
//! | what | type | from |
//! |---|---|---|
//! | offsets of the allocation buffer and counters in a thread | [`ThreadLayout`] | `gHotSpotVMStructs` |
//! | a free word in every thread | [`jvmci_reserved_slot`] | JVMCI's unexported table |
//! | the dump at an `OutOfMemoryError` | [`DumpAtExhaustion`] | two manageable flags |
//! | `-XX:` flags and their values | [`JvmFlags`], [`Collector`] | `JVMFlag::flags` |
//! | sizes and names of classes | [`KlassLayout`], [`LayoutHelper`] | `Klass`, `Symbol` |
//! | names of parameters | [`MethodParameterLayout`] | `ConstMethod` |
//! | offsets of fields in objects | [`FieldLayout`] | `InstanceKlass` |
//! | the heap: spaces, classes by address, objects in address order | [`HeapSpaces`], [`ClassTable`], [`ObjectWalk`] | the heap of Serial, Parallel, G1 |
//! | objects that a collection moved, objects that died, and the references these held | [`CollectionWatch`], [`DeadRecorder`] | the heap of Serial, Parallel, G1 in the pause |
//! | the same of ZGC | [`ZgcWatch`] | its pages and forwarding tables, between phases |
//! | memory that may be unmapped | [`read_value`], [`read_bytes`] | the operating system |
//! | memory for counters | [`Reservation`] | the operating system |
//! | bytes of all mapped memory that are resident | [`resident_of_own_memory`] | the operating system |
//! | a word for each object | [`Shadow`] | the operating system |
//!
//! [`VmStructs`], [`JvmFlags`] and [`ThreadLayout`] can be loaded from `Agent_OnLoad` on; [`KlassLayout`] and the heap from `VMInit` on.
//!
//! The heap of Serial, Parallel and G1 can be read only while the world is stopped; that of ZGC between the phases of a cycle.
//!
//! The rooms, from bottom to top; each imports only those to its left (`scripts/steps/check-dependencies`):
//!
//! ```text
//! address, error - process - vm - hooks - classes - heap - collection - pause - zgc
//! ```
//!
//! Tested on every installed JDK against independent sources: `tests/vm/hotspot_layout.rs` and `tests/vm/heap_walk.rs`; moves and
//! deaths, object by object: `tests/vm/gc_moves`.

mod address;
mod classes;
mod collection;
mod error;
mod heap;
mod hooks;
mod pause;
mod process;
mod vm;
mod zgc;

pub use address::{Address, Plain};
pub use classes::class_table::{
    ClassId, ClassTable, ClassesAhead, FieldLayout, InstanceField, LoadedClass, ReferenceMapLayout,
    SizeRule,
};
pub use classes::klass::KlassLayout;
pub use classes::layout_helper::{InstanceSize, LayoutHelper};
pub use classes::method_parameters::{MethodParameterFacts, MethodParameterLayout, ParameterFacts};
pub use collection::dead_objects::{DeadRecorder, HeldReference};
pub use collection::full_collection::{FullCollection, FullCollectionReading, FullStep};
pub use collection::report::{CollectionKind, CollectionReport, MovesFault};
pub use collection::survivor::Survivor;
pub use collection::survivor_list::SurvivorList;
pub use error::Error;
pub use heap::address_range::AddressRange;
pub use heap::heap_spaces::HeapSpaces;
pub use heap::object_header::{ObjectHeader, forwarded_to};
pub use heap::object_walk::{HeapObject, ObjectSizes, ObjectWalk, WalkFault};
pub use heap::reference_form::ReferenceForm;
pub use heap::shadow::Shadow;
pub use heap::shadow_views::{HeapViews, resident_of_shadow_files};
pub use heap::shadowed_heap::ShadowedHeap;
pub use heap::space::{Space, SpaceKind};
pub use hooks::pause_hook::PauseHook;
pub use hooks::watched_thread::PauseObserver;
pub use pause::allocation_frontier::AllocationFrontier;
pub use pause::collection_watch::{Classes, CollectionWatch, UnannouncedCollections};
pub use process::careful_read::{read_bytes, read_c_string, read_value};
pub use process::own_memory::{note_mapped, note_unmapped, resident_of_own_memory};
pub use process::own_thread::{block_signals, give_way};
pub use process::page_size::page_size;
pub use process::reservation::{Reservation, resident_bytes};
pub use vm::collector::Collector;
pub use vm::dump_at_exhaustion::DumpAtExhaustion;
pub use vm::jvm_flags::{FlagType, FlagValue, JvmFlags};
pub use vm::jvmci_slot::{JvmciSlotRefusal, jvmci_reserved_slot};
pub use vm::libjvm::{Libjvm, Segment};
pub use vm::thread_layout::{ThreadLayout, Tlab};
pub use vm::vm_structs::{Field, FieldPlace, VmStructs};
pub use zgc::{
    CycleFault, CycleKind, CycleListener, CycleReport, CycleStart, CycleUses, OLD_GENERATION,
    ZgcClasses, ZgcWatch,
};
