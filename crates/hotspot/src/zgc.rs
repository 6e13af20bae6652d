//! What ZGC does with objects, read beside the program: on the collector's own driver threads, between phases, while the program runs.
//!
//! ```text
//! Pause Mark Start       a cycle of a generation begins; its number grows              (events: the buffers are cut)
//!   Concurrent Mark
//! Pause Mark End         every object of the generation that was there at mark start is marked or dead
//!   first clock read     driver: copies the live maps of all pages that the cycle judges
//! Pause Relocate Start
//!   Concurrent Relocate  driver, once each forwarding is released: copies the forwarding tables, old address -> new address
//!   afterwards           a thread of ours: classes and sizes of the live objects, where they are now
//! ```
//!
//! A driver runs the phases of its generation one after the other and reads the clock between them, through the word
//! that [`crate::hooks::pause_hook`] replaces. While our code runs there, nothing else can change the pages that the cycle
//! judges. The program's threads go on; no object is touched, and pauses hold no work. A driver only copies: at the
//! next end of marking, from which on the VM may free what our thread still reads, it waits until that is read.
//!
//! | JDK | generations | prefix of the structures | drivers |
//! |---|---|---|---|
//! | 17 | one | `Z` | `ZDriver` |
//! | 21 | one | `X` | `XDriver` |
//! | 21 `-XX:+ZGenerational`, 25 | two | `Z` | `ZDriverMinor`, `ZDriverMajor` |
//!
//! *Addresses.* ZGC colours its references. Here an address is without colours, as the program's own reads use
//! it. With two generations, an address of the old one has [`OLD_GENERATION`] set: while an old cycle runs, an
//! address may belong to a dead object of the old generation and to a new one of the young generation.
//!
//! *When a cycle counts.* A young cycle (and the only one, without generations) judges what was allocated before
//! its Mark Start. An old one judges the pages that were old at its Mark Start; it counts from its Mark End on,
//! and the driver waits there until a young cycle that began before is through, so that no object can be
//! promoted to memory that the old cycle frees. So each cycle is like a collection that happens at one moment.
//!
//! *The whole heap.* Without generations, each cycle lists it. With generations, it is put together
//! from an old cycle and the young ones after it ([`inventory`]), where a recording asks for that.
//!
//! Every reading is checked ([`live_map`], [`forwarding_table`]): marked objects against the
//! page's own count and bytes, entries against marks. Any difference is a fault of the cycle.

mod address_key;
mod capture;
mod collector_threads;
mod cycle_report;
mod cycle_watch;
mod forwarding_table;
mod generations;
mod inventory;
mod layout;
mod live_map;
mod object_reader;
mod old_uses;
mod own_thread;
mod page_table;
mod use_reader;
mod views;
mod young_beside_old;

pub use address_key::OLD_GENERATION;
pub use capture::CycleFault;
pub use cycle_report::{CycleKind, CycleListener, CycleReport, CycleStart};
pub use cycle_watch::{ZgcClasses, ZgcWatch};
pub use use_reader::CycleUses;
