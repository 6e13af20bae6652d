//! The memory that the kernel charges for a JVM and its container, part by part, and when its limit is reached.
//!
//! ```text
//! /proc/PID/smaps, threads, the group's files, answers of the JVM  ->  Bill: parts that add up to the charge
//! samples of the charge and of the heap                            ->  Trend, Forecast
//! ```
//!
//! Text in, values out: nothing here opens a file or waits.
#![forbid(unsafe_code)]

mod bill;
mod class_loaders;
mod forecast;
mod group;
mod heap_figures;
mod heap_need;
mod mappings;
mod native_memory;
mod part;
mod pauses;
mod trend;

pub use bill::{Bill, BillRow, Observed, Recorded};
pub use class_loaders::{LoadersOfClass, loaders_by_class};
pub use forecast::{End, Forecast, Sample, forecast};
pub use group::{Group, GroupVersion, group_path};
pub use heap_figures::{
    HeapFigures, code_ranges, heap_figures, max_heap, metaspace_committed, metaspace_used,
};
pub use heap_need::{HeapNeed, heap_need};
pub use mappings::{AddressRange, Mapping, mappings, stack_pointer};
pub use native_memory::{NativeCategory, native_memory};
pub use part::Part;
pub use pauses::{Pauses, pauses};
pub use trend::{Trend, trend};
