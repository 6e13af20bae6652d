//! Stores sampled stacks as a tree that shares common frames, and the samples at each node.
//!
//! Methods are identified by the VM's method id, which is never reused. Their names are looked up while one of their frames is on the
//! stack, so their class cannot be unloaded. Frames are distinguished by line, not by bytecode index. All tables are bounded; samples that
//! do not fit are dropped, and the caller counts them.

use ducktrack_jvmti::FrameInfo;
use ducktrack_trace_format::{
    Record, SampleSums, SizeClass, StackDefinitions, StackId, StackMethod, StackMethodId,
    StackNode, StackRow, StackType, StackTypeId, ThreadId,
};
use rustc_hash::FxHashMap;

const MOST_METHODS: usize = 1 << 16;
const MOST_NODES: usize = 1 << 18;
const MOST_TYPES: usize = 1 << 14;
/// Rows that may wait for the trace.
const MOST_ROWS: usize = 1 << 16;
/// With this many waiting rows, they are written before the next snapshot.
const MANY_ROWS: usize = MOST_ROWS / 2;
/// Maximum definitions and rows in one record.
const RECORD_ROWS: usize = 2048;
/// Stands for the method of frames that are not kept.
const DEEPER: usize = 0;

/// One sampled allocation.
pub(super) struct Sample<'a> {
    /// The frames, topmost first.
    pub(super) frames: &'a [FrameInfo],
    /// Whether there may be more frames below.
    pub(super) cut: bool,
    /// The type of the object as a descriptor, in modified UTF-8.
    pub(super) ty: &'a [u8],
    /// Its bytes.
    pub(super) size: u64,
    pub(super) thread: ThreadId,
    pub(super) sums: SampleSums,
}

/// Class, name and descriptor of a method.
pub(crate) struct MethodNames {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// The VM's information about methods with a frame on the current stack.
pub(crate) trait Names {
    /// The method's names.
    fn method(&self, method: usize) -> Option<MethodNames>;
    /// Bytecode indices at which lines start, with the lines.
    fn lines(&self, method: usize) -> Vec<(u16, u16)>;
}

/// The line of a bytecode index; `lines` are sorted by the index at which they start.
pub(crate) fn line_at(lines: &[(u16, u16)], index: u16) -> Option<u16> {
    let after = lines.partition_point(|(start, _)| *start <= index);
    lines.get(after.checked_sub(1)?).map(|(_, line)| *line)
}

/// Whether the rows should be written soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    Little,
}

/// The tables.
#[derive(Default)]
pub(super) struct StackTable {
    methods: FxHashMap<usize, StackMethodId>,
    lines: FxHashMap<usize, Box<[(u16, u16)]>>,
    nodes: FxHashMap<NodeKey, StackId>,
    types: FxHashMap<Box<[u8]>, StackTypeId>,
    rows: FxHashMap<(StackId, StackTypeId, ThreadId, SizeClass), SampleSums>,
    fresh: StackDefinitions,
    /// A class changed: lines found until the next tick may belong to its old bytecode.
    lines_are_young: bool,
    /// The time up to the last record written.
    pub(super) said_nanos: u64,
}

type NodeKey = (Option<StackId>, StackMethodId, Option<u16>);

impl StackTable {
    /// Adds a sample. Returns `None` if a table is full or the VM does not name a method.
    pub(super) fn add(&mut self, sample: &Sample<'_>, names: &impl Names) -> Option<()> {
        let mut stack = None;
        if sample.cut {
            let deeper = self.deeper()?;
            stack = Some(self.node((None, deeper, None))?);
        }
        for frame in sample.frames.iter().rev() {
            let method = self.method(frame.method as usize, names)?;
            let line = self.line(frame, names);
            stack = Some(self.node((stack, method, line))?);
        }
        let size = SizeClass::of(sample.size);
        let key = (stack?, self.ty(sample.ty)?, sample.thread, size);
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            return None;
        }
        *self.rows.entry(key).or_default() += sample.sums;
        Some(())
    }

    fn deeper(&mut self) -> Option<StackMethodId> {
        self.known_method(DEEPER, || {
            Some(MethodNames {
                class: String::new(),
                name: "(deeper)".to_owned(),
                descriptor: String::new(),
            })
        })
    }

    fn method(&mut self, method: usize, names: &impl Names) -> Option<StackMethodId> {
        self.known_method(method, || names.method(method))
    }

    fn known_method(
        &mut self,
        method: usize,
        names: impl FnOnce() -> Option<MethodNames>,
    ) -> Option<StackMethodId> {
        if let Some(id) = self.methods.get(&method) {
            return Some(*id);
        }
        let id = StackMethodId(next_id(self.methods.len(), MOST_METHODS)?);
        let MethodNames {
            class,
            name,
            descriptor,
        } = names()?;
        self.methods.insert(method, id);
        self.fresh.methods.push(StackMethod {
            id,
            class,
            name,
            descriptor,
        });
        Some(id)
    }

    fn line(&mut self, frame: &FrameInfo, names: &impl Names) -> Option<u16> {
        let index = u16::try_from(frame.location).ok()?;
        let method = frame.method as usize;
        let lines = self.lines.entry(method).or_insert_with(|| {
            let mut lines = names.lines(method);
            lines.sort_unstable();
            lines.into_boxed_slice()
        });
        line_at(lines, index)
    }

    fn node(&mut self, key: NodeKey) -> Option<StackId> {
        if let Some(id) = self.nodes.get(&key) {
            return Some(*id);
        }
        let id = StackId(next_id(self.nodes.len(), MOST_NODES)?);
        let (parent, method, line) = key;
        self.nodes.insert(key, id);
        self.fresh.nodes.push(StackNode {
            id,
            parent,
            method,
            line,
        });
        Some(id)
    }

    fn ty(&mut self, descriptor: &[u8]) -> Option<StackTypeId> {
        if let Some(id) = self.types.get(descriptor) {
            return Some(*id);
        }
        let id = StackTypeId(next_id(self.types.len(), MOST_TYPES)?);
        self.types.insert(descriptor.into(), id);
        self.fresh.types.push(StackType {
            id,
            descriptor: ducktrack_classfile::decode_modified_utf8(descriptor).into_owned(),
        });
        Some(id)
    }

    /// Notes that the bytecode of a class is about to change.
    pub(super) fn forget_lines(&mut self) {
        self.lines.clear();
        self.lines_are_young = true;
    }

    /// Discards lines that were looked up while a class was changing.
    pub(super) fn settle(&mut self) -> Room {
        if std::mem::take(&mut self.lines_are_young) {
            self.lines.clear();
        }
        match self.rows.len() {
            rows if rows < MANY_ROWS => Room::Enough,
            _ => Room::Little,
        }
    }

    /// Takes the definitions added since the last call.
    pub(super) fn take_definitions(&mut self) -> Vec<Record> {
        let fresh = std::mem::take(&mut self.fresh);
        let methods = chunks(fresh.methods).map(|methods| StackDefinitions {
            methods,
            ..StackDefinitions::default()
        });
        let types = chunks(fresh.types).map(|types| StackDefinitions {
            types,
            ..StackDefinitions::default()
        });
        let nodes = chunks(fresh.nodes).map(|nodes| StackDefinitions {
            nodes,
            ..StackDefinitions::default()
        });
        let all = methods.chain(types).chain(nodes);
        all.map(Record::StackDefinitions).collect()
    }

    /// Takes the samples added since the last call.
    pub(super) fn take_rows(&mut self) -> Vec<StackRow> {
        let rows = std::mem::take(&mut self.rows).into_iter();
        let row = |((stack, ty, thread, _), sums)| StackRow {
            stack,
            ty,
            thread,
            sums,
        };
        rows.map(row).collect()
    }
}

/// Splits rows into records.
pub(super) fn in_records(rows: Vec<StackRow>) -> impl Iterator<Item = Vec<StackRow>> {
    chunks(rows)
}

fn chunks<T>(all: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    let mut rest = all.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<T> = rest.by_ref().take(RECORD_ROWS).collect();
        Some(chunk).filter(|chunk| !chunk.is_empty())
    })
}

fn next_id(known: usize, most: usize) -> Option<u32> {
    u32::try_from(known).ok().filter(|_| known < most)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Method `m` is `Class.m<m>`; its bytecode index `i` is at line `i / 10`.
    #[derive(Default)]
    struct MadeUp {
        asked: Cell<u32>,
    }

    impl Names for MadeUp {
        fn method(&self, method: usize) -> Option<MethodNames> {
            self.asked.set(self.asked.get() + 1);
            Some(MethodNames {
                class: "Class".into(),
                name: format!("m{method}"),
                descriptor: "()V".into(),
            })
        }

        fn lines(&self, _: usize) -> Vec<(u16, u16)> {
            (0..100).map(|line| (line * 10, line)).collect()
        }
    }

    fn frame(method: usize, location: i64) -> FrameInfo {
        FrameInfo {
            method: method as ducktrack_jvmti::sys::jmethodID,
            location,
        }
    }

    fn sample(frames: &[FrameInfo]) -> Sample<'_> {
        Sample {
            frames,
            cut: false,
            ty: b"[B",
            size: 24,
            thread: ThreadId(1),
            sums: SampleSums::of_sample(24, 0),
        }
    }

    #[test]
    fn stacks_share_what_they_have_in_common() {
        let (mut table, names) = (StackTable::default(), MadeUp::default());
        let main = frame(1, 25);
        for (leaf, times) in [(frame(2, 0), 3), (frame(3, 11), 1), (frame(3, 19), 1)] {
            for _ in 0..times {
                table.add(&sample(&[leaf, main]), &names).unwrap();
            }
        }
        assert_eq!(names.asked.get(), 3, "each method is asked for once");
        assert_eq!(table.fresh.nodes.len(), 3);
        let root = table.fresh.nodes[0];
        assert_eq!((root.parent, root.line), (None, Some(2)));
        assert!(
            table.fresh.nodes[1..]
                .iter()
                .all(|node| node.parent == Some(root.id))
        );
        let mut samples: Vec<u64> = table
            .take_rows()
            .iter()
            .map(|row| row.sums.samples)
            .collect();
        samples.sort_unstable();
        assert_eq!(samples, [2, 3], "11 and 19 are on one line");
        assert!(table.take_rows().is_empty());
    }

    #[test]
    fn objects_of_other_sizes_have_rows_of_their_own() {
        let (mut table, names) = (StackTable::default(), MadeUp::default());
        let frames = [frame(1, 25)];
        for size in [1040, 1040, 1 << 18] {
            let sums = SampleSums::of_sample(size, 0);
            let one = Sample {
                size,
                sums,
                ..sample(&frames)
            };
            table.add(&one, &names).unwrap();
        }
        let mut samples: Vec<u64> = (table.take_rows().iter())
            .map(|row| row.sums.samples)
            .collect();
        samples.sort_unstable();
        assert_eq!(samples, [1, 2]);
    }

    #[test]
    fn a_native_frame_has_no_line_and_a_deep_stack_says_so() {
        let (mut table, names) = (StackTable::default(), MadeUp::default());
        let frames = [frame(9, -1)];
        let deep = Sample {
            cut: true,
            ..sample(&frames)
        };
        table.add(&deep, &names).unwrap();
        let nodes = &table.fresh.nodes;
        assert_eq!((nodes[1].parent, nodes[1].line), (Some(nodes[0].id), None));
        assert_eq!(table.fresh.methods[0].name, "(deeper)");
    }

    #[test]
    fn full_tables_take_no_more_and_stay_whole() {
        let (mut table, names) = (StackTable::default(), MadeUp::default());
        for method in 1..=MOST_METHODS + 10 {
            let added = table.add(&sample(&[frame(method, 0)]), &names);
            assert_eq!(added.is_some(), method <= MOST_METHODS, "{method}");
        }
        assert_eq!(table.settle(), Room::Little);
        assert_eq!(table.methods.len(), MOST_METHODS);
        let records = table.take_definitions();
        assert!(records.len() >= 2 * MOST_METHODS / RECORD_ROWS);
        assert_eq!(table.take_rows().len(), MOST_ROWS);
        assert_eq!(table.settle(), Room::Enough);
    }
}
