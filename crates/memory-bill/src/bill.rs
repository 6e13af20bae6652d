//! The parts of a process and its group, which add up to what is charged.
//!
//! What a mapping holds is known by its address: the heap, compiled code, stacks. What lies in malloc or in mappings without a
//! name is told apart by the JVM's own count of its memory, if that is on, and by a recording of the process, if there is one;
//! else it is one part, *not explained*. The JVM counts what it committed: a part is never larger than what is in memory.

use crate::group::Group;
use crate::heap_figures::HeapFigures;
use crate::mappings::{AddressRange, Mapping};
use crate::native_memory::NativeCategory;
use crate::part::Part;

/// What was observed of a process.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Its mappings.
    pub mappings: Vec<Mapping>,
    /// Addresses in stacks of its threads.
    pub stack_pointers: Vec<u64>,
    /// The heap by the collector's own figures.
    pub heap: Option<HeapFigures>,
    /// Where compiled code is.
    pub code: Vec<AddressRange>,
    /// Committed bytes of class metadata.
    pub metaspace: Option<u64>,
    /// The JVM's count of its memory; empty: it does not count.
    pub native: Vec<NativeCategory>,
    /// What a recording of the process knows; `None`: there is none.
    pub recorded: Option<Recorded>,
    /// The group that it is in, if that has figures.
    pub group: Option<Group>,
    /// Bytes charged to the other processes of the group.
    pub others: u64,
}

/// What a recording of a process knows of its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Bytes of direct buffers, segments and other memory of `Unsafe` that were made and not released since it began.
    pub off_heap: u64,
    /// Bytes of the agent that records.
    pub agent: u64,
}

/// A part of the bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillRow {
    /// Which.
    pub part: Part,
    /// Its bytes.
    pub bytes: u64,
}

/// A bill. Its rows and `not_in_parts` add up to `charged`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    /// What the kernel charges the group; without a group what the process has in memory.
    pub charged: u64,
    /// True if it is the charge of a group.
    pub is_of_group: bool,
    /// Its limit.
    pub limit: Option<u64>,
    /// Parts with bytes, in the order of [`Part`].
    pub rows: Vec<BillRow>,
    /// Charged, and in no part (negative: the parts were read at another moment, and are larger).
    pub not_in_parts: i64,
}

impl Bill {
    /// The bill of a process.
    pub fn of(observed: &Observed) -> Self {
        let mut parts = Parts::default();
        parts.mapped(observed);
        parts.unnamed(observed);
        let of_files: u64 = observed.mappings.iter().map(Mapping::of_file).sum();
        let resident: u64 = parts.sum() + of_files;
        match observed.group {
            Some(group) => {
                parts.add(Part::OtherProcesses, observed.others);
                parts.add(Part::PageCache, group.files);
                parts.add(Part::Kernel, group.kernel);
            }
            None => parts.add(Part::PageCache, of_files),
        }
        let charged = observed.group.map_or(resident, |group| group.charged);
        let mut rows = parts.0;
        rows.retain(|row| row.bytes > 0);
        rows.sort_by_key(|row| row.part);
        let sum: u64 = rows.iter().map(|row| row.bytes).sum();
        Self {
            charged,
            is_of_group: observed.group.is_some(),
            limit: observed.group.and_then(|group| group.limit),
            rows,
            not_in_parts: signed(charged) - signed(sum),
        }
    }

    /// Bytes of a part.
    pub fn bytes(&self, part: Part) -> u64 {
        let row = self.rows.iter().find(|row| row.part == part);
        row.map_or(0, |row| row.bytes)
    }

    /// What the kernel cannot take back.
    pub fn held(&self) -> u64 {
        self.charged.saturating_sub(self.bytes(Part::PageCache))
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[derive(Default)]
struct Parts(Vec<BillRow>);

impl Parts {
    fn add(&mut self, part: Part, bytes: u64) {
        match self.0.iter_mut().find(|row| row.part == part) {
            Some(row) => row.bytes += bytes,
            None => self.0.push(BillRow { part, bytes }),
        }
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|row| row.bytes).sum()
    }

    /// Adds each mapping to the part that its address tells; the others go to [`Part::NotExplained`].
    fn mapped(&mut self, observed: &Observed) {
        let mut heap = 0;
        for mapping in &observed.mappings {
            let bytes = mapping.charged();
            match place(observed, mapping) {
                Place::Heap => heap += bytes,
                Place::Part(part) => self.add(part, bytes),
            }
        }
        let used = observed.heap.map_or(heap, |figures| figures.used).min(heap);
        self.add(Part::HeapUsed, used);
        self.add(Part::HeapFree, heap - used);
    }

    /// Divides [`Part::NotExplained`] by the JVM's own count and by the recording.
    fn unnamed(&mut self, observed: &Observed) {
        let Some(row) = self.0.iter_mut().find(|row| row.part == Part::NotExplained) else {
            return;
        };
        let mut left = core::mem::take(&mut row.bytes);
        let mut take = |parts: &mut Self, part: Part, bytes: u64| {
            let taken = bytes.min(left);
            left -= taken;
            parts.add(part, taken);
        };
        let of_malloc =
            |category: &NativeCategory| category.committed.saturating_sub(category.mapped);
        let counted = || {
            let known = observed.native.iter();
            known.filter_map(|category| Some((part_of(&category.name)?, category)))
        };
        // What Java code asked for has been written: buffers are filled with zeros.
        let asked_for = counted().filter(|(part, _)| *part == Part::OffHeap);
        let asked_for: u64 = asked_for.map(|(_, category)| of_malloc(category)).sum();
        let recorded = observed.recorded.unwrap_or_default();
        let off_heap = match observed.native.is_empty() {
            true => recorded.off_heap,
            false => asked_for,
        };
        take(self, Part::OffHeap, off_heap);
        take(self, Part::Agent, recorded.agent);
        take(self, Part::Metaspace, observed.metaspace.unwrap_or(0));
        // Memory of malloc has been written, as a rule; of mappings perhaps only a part: these come last.
        for (part, category) in counted().filter(|(part, _)| *part != Part::OffHeap) {
            take(self, part, of_malloc(category));
        }
        for (part, category) in counted() {
            take(self, part, category.mapped);
        }
        self.add(Part::NotExplained, left);
    }
}

enum Place {
    Heap,
    Part(Part),
}

fn place(observed: &Observed, mapping: &Mapping) -> Place {
    if observed.heap.is_some_and(|heap| heap.has(mapping)) {
        return Place::Heap;
    }
    if observed.code.iter().any(|range| range.has(mapping)) {
        return Place::Part(Part::CodeCache);
    }
    let is_stack = mapping.name.starts_with("[stack")
        || mapping.name.is_empty() && {
            let mut pointers = observed.stack_pointers.iter();
            pointers.any(|pointer| mapping.range.has_address(*pointer))
        };
    Place::Part(match is_stack {
        true => Part::ThreadStacks,
        false if mapping.name.starts_with('/') => Part::Libraries,
        false => Part::NotExplained,
    })
}

/// The part of a category of the JVM's count; `None`: it is in a part that addresses tell.
fn part_of(category: &str) -> Option<Part> {
    Some(match category {
        "Java Heap" | "Code" | "Thread" | "Shared class space" | "Metaspace" | "Class" => {
            return None;
        }
        "Other" => Part::OffHeap,
        "GC" | "GCCardSet" => Part::Collector,
        "Symbol" | "String Deduplication" => Part::Symbols,
        "Compiler" => Part::Compilers,
        _ => Part::JvmItself,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64, name: &str, anonymous: u64) -> Mapping {
        Mapping {
            range: AddressRange { start, end },
            name: name.to_owned(),
            resident: anonymous + 10,
            share: anonymous + 10,
            anonymous,
        }
    }

    fn observed() -> Observed {
        let range = |start, end| AddressRange { start, end };
        Observed {
            mappings: vec![
                mapping(1000, 2000, "", 500),
                mapping(3000, 3500, "", 70),
                mapping(4000, 5000, "", 60),
                mapping(6000, 9000, "[heap]", 1000),
                mapping(9000, 9900, "/lib/libjvm.so", 20),
            ],
            stack_pointers: vec![4999],
            heap: Some(HeapFigures {
                used: 400,
                range: Some(range(1000, 2000)),
            }),
            code: vec![range(3000, 3500)],
            metaspace: Some(200),
            native: vec![
                NativeCategory {
                    name: "Other".to_owned(),
                    committed: 300,
                    mapped: 0,
                },
                NativeCategory {
                    name: "GC".to_owned(),
                    committed: 900,
                    mapped: 800,
                },
            ],
            recorded: None,
            group: Some(Group {
                charged: 2000,
                limit: Some(3000),
                files: 100,
                kernel: 40,
            }),
            others: 30,
        }
    }

    #[test]
    fn parts_add_up_to_the_charge() {
        let bill = Bill::of(&observed());
        let bytes: Vec<(Part, u64)> = bill.rows.iter().map(|row| (row.part, row.bytes)).collect();
        assert_eq!(
            bytes,
            [
                (Part::HeapUsed, 400),
                (Part::HeapFree, 100),
                (Part::Metaspace, 200),
                (Part::CodeCache, 70),
                (Part::ThreadStacks, 60),
                (Part::OffHeap, 300),
                (Part::Collector, 500),
                (Part::Libraries, 20),
                (Part::OtherProcesses, 30),
                (Part::PageCache, 100),
                (Part::Kernel, 40),
            ],
            "the collector's tables are what is left in memory, not what is committed"
        );
        assert_eq!((bill.not_in_parts, bill.held()), (180, 1900));
    }

    #[test]
    fn a_recording_tells_what_the_jvm_does_not_count() {
        let bill = Bill::of(&Observed {
            native: Vec::new(),
            recorded: Some(Recorded {
                off_heap: 300,
                agent: 100,
            }),
            ..observed()
        });
        let bytes = [Part::OffHeap, Part::Agent, Part::NotExplained];
        assert_eq!(bytes.map(|part| bill.bytes(part)), [300, 100, 400]);
        assert_eq!(bill.not_in_parts, 180);
    }

    #[test]
    fn without_a_group_resident_memory_is_the_sum() {
        let bill = Bill::of(&Observed {
            group: None,
            native: Vec::new(),
            ..observed()
        });
        assert_eq!(bill.charged, 1650 + 50);
        assert_eq!(bill.not_in_parts, 0);
        assert_eq!(bill.bytes(Part::NotExplained), 800);
    }
}
