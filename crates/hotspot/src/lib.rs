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
//! | memory that may be unmapped | [`read_value`], [`read_bytes`] | the operating system |
//! | memory for counters | [`Reservation`] | the operating system |
//! | bytes of all mapped memory that are resident | [`resident_of_own_memory`] | the operating system |
//! | a word for each object | [`Shadow`] | the operating system |
//!
//! [`VmStructs`], [`JvmFlags`] and [`ThreadLayout`] can be loaded from `Agent_OnLoad` on; [`KlassLayout`] and the heap from `VMInit` on.
//!
//! The heap can be read only while the world is stopped, and only with Serial, Parallel and G1.
//!
//! Tested on every installed JDK against independent sources: `tests/vm/hotspot_layout.rs` and `tests/vm/heap_walk.rs`; moves and
//! deaths, object by object: `tests/vm/gc_moves`.

mod address;
mod allocation_frontier;
mod careful_read;
mod class_cache;
mod class_lines;
mod class_table;
mod collected_spaces;
mod collection_cause;
mod collection_report;
mod collection_watch;
mod collector;
mod confirmed_pages;
mod dead_objects;
mod driver_threads;
mod dump_at_exhaustion;
mod elapsed;
mod error;
mod evacuation_failure;
mod evacuation_walk;
mod filler_class;
mod first_inventory;
mod forwarding_scan;
mod full_collection;
mod full_inventory;
mod full_report;
mod g1_regions;
mod heap_spaces;
mod import_slots;
mod jvm_flags;
mod jvmci_slot;
mod klass;
mod lanes;
mod layout_helper;
mod libjvm;
mod listed_heap;
#[cfg(test)]
mod made_up_heap;
mod mark_bitmap;
mod memory_hook;
mod method_parameters;
mod new_places;
mod object_header;
mod object_walk;
mod own_memory;
mod own_thread;
mod page_size;
mod pause;
mod pause_hook;
mod phase_list;
mod piecewise_walk;
mod placement_sum;
mod reference_form;
mod reservation;
mod shadow;
mod shadow_views;
mod shadowed_heap;
mod space;
mod stretch;
mod survivor;
mod survivor_list;
mod thread_layout;
mod vm_structs;
mod walk_pool;
mod watched_thread;
mod write_watch;
mod young_coverage;
mod zgc;

pub use address::{Address, Plain};
pub use allocation_frontier::AllocationFrontier;
pub use careful_read::{read_bytes, read_c_string, read_value};
pub use class_table::{
    ClassId, ClassTable, ClassesAhead, FieldLayout, InstanceField, LoadedClass, ReferenceMapLayout,
    SizeRule,
};
pub use collection_report::{
    AddressRange, CollectionKind, CollectionReport, MovesFault, MovesLevel,
};
pub use collection_watch::{Classes, CollectionWatch, UnannouncedCollections};
pub use collector::Collector;
pub use dead_objects::{DeadRecorder, HeldReference};
pub use dump_at_exhaustion::DumpAtExhaustion;
pub use error::Error;
pub use full_collection::{FullCollection, FullCollectionReading, FullStep};
pub use heap_spaces::HeapSpaces;
pub use jvm_flags::{FlagType, FlagValue, JvmFlags};
pub use jvmci_slot::{JvmciSlotRefusal, jvmci_reserved_slot};
pub use klass::KlassLayout;
pub use layout_helper::{InstanceSize, LayoutHelper};
pub use libjvm::{Libjvm, Segment};
pub use method_parameters::{MethodParameterFacts, MethodParameterLayout, ParameterFacts};
pub use object_header::{ObjectHeader, forwarded_to};
pub use object_walk::{HeapObject, ObjectSizes, ObjectWalk, WalkFault};
pub use own_memory::{note_mapped, note_unmapped, resident_of_own_memory};
pub use own_thread::{block_signals, give_way};
pub use page_size::page_size;
pub use pause_hook::PauseHook;
pub use reference_form::ReferenceForm;
pub use reservation::{Reservation, resident_bytes};
pub use shadow::Shadow;
pub use shadow_views::{HeapViews, resident_of_shadow_files};
pub use shadowed_heap::ShadowedHeap;
pub use space::{Space, SpaceKind};
pub use survivor::Survivor;
pub use survivor_list::SurvivorList;
pub use thread_layout::{ThreadLayout, Tlab};
pub use vm_structs::{Field, FieldPlace, VmStructs};
pub use watched_thread::PauseObserver;
pub use zgc::{
    CycleFault, CycleKind, CycleListener, CycleReport, CycleStart, CycleUses, OLD_GENERATION,
    ZgcClasses, ZgcWatch,
};
