//! Sampled call stacks as the trace has them: a tree of frames, and samples at its nodes.

use std::sync::Arc;

use ducktrack_trace_format::{
    SampleSums, SizeClass, StackDefinitions, StackId, StackMethodId, StackSamples, StackTypeId,
    ThreadId,
};
use rustc_hash::FxHashMap;

use crate::definitions::Definitions;
use crate::stable_name::{stable_class, stable_descriptor};

/// All sampled stacks of a trace. Positions in `frames`, `methods` and `types`
/// are what rows and frames name; a parent stands before its children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampledStacks {
    /// Methods, with stable names.
    pub methods: Vec<StackMethodRow>,
    /// Types as descriptors with stable names.
    pub types: Vec<Arc<str>>,
    /// Frames with their callers.
    pub frames: Vec<StackFrameRow>,
    /// The sampled allocation.
    pub rows: Vec<StackSampleRow>,
    /// Samples that have no stack because tables were full or busy.
    pub skipped: u64,
    /// Time that sampling took of the program's threads.
    pub micros: u64,
    /// Frames and rows that name something the trace does not introduce, or sums that no samples have; they are not in the tables.
    pub unknown: u64,
}

/// A method on sampled stacks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StackMethodRow {
    /// Stable class name in internal form; empty for frames that were too deep to be kept.
    pub class: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor with stable names.
    pub descriptor: Arc<str>,
}

/// A frame of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrameRow {
    /// The caller's position; it is smaller than the frame's own.
    pub parent: Option<usize>,
    /// Position of its method.
    pub method: usize,
    /// The line that runs.
    pub line: Option<u16>,
}

/// Samples of one stack, type, thread and size class.
#[derive(Clone, Debug, PartialEq)]
pub struct StackSampleRow {
    /// Position of the topmost frame.
    pub frame: usize,
    /// Position of the type.
    pub ty: usize,
    /// The thread's name, digits written `#` when it stands for several that have ended; `None` where it is not known.
    pub thread: Option<Arc<str>>,
    /// The class of the objects' sizes.
    pub size: SizeClass,
    /// The samples.
    pub sums: SampleSums,
}

/// Takes records; ids of an untrusted file are keys, never positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct StackCollector {
    stacks: SampledStacks,
    methods: FxHashMap<StackMethodId, usize>,
    types: FxHashMap<StackTypeId, usize>,
    frames: FxHashMap<StackId, usize>,
    sums: FxHashMap<(usize, usize, ThreadId, SizeClass), SampleSums>,
}

impl StackCollector {
    /// Takes what rows name.
    pub(crate) fn define(&mut self, definitions: StackDefinitions) {
        for method in definitions.methods {
            let at = self.stacks.methods.len();
            if self.methods.insert(method.id, at).is_some() {
                self.stacks.unknown += 1;
            }
            self.stacks.methods.push(StackMethodRow {
                class: stable_class(&method.class).as_ref().into(),
                name: method.name.into(),
                descriptor: stable_descriptor(&method.descriptor).into(),
            });
        }
        for ty in definitions.types {
            self.types.insert(ty.id, self.stacks.types.len());
            let descriptor = stable_descriptor(&ty.descriptor);
            self.stacks.types.push(descriptor.into());
        }
        for node in definitions.nodes {
            let method = self.methods.get(&node.method).copied();
            let parent = match node.parent {
                None => Some(None),
                Some(parent) => self.frames.get(&parent).copied().map(Some),
            };
            let (Some(method), Some(parent)) = (method, parent) else {
                self.stacks.unknown += 1;
                continue;
            };
            self.frames.insert(node.id, self.stacks.frames.len());
            self.stacks.frames.push(StackFrameRow {
                parent,
                method,
                line: node.line,
            });
        }
    }

    /// Adds samples.
    pub(crate) fn take(&mut self, samples: &StackSamples) {
        self.stacks.skipped = self.stacks.skipped.saturating_add(samples.skipped);
        self.stacks.micros = self.stacks.micros.saturating_add(samples.micros);
        for row in &samples.rows {
            let frame = self.frames.get(&row.stack);
            let ty = self.types.get(&row.ty);
            let (Some(frame), Some(ty), true) = (frame, ty, row.sums.is_sound()) else {
                self.stacks.unknown += 1;
                continue;
            };
            let key = (*frame, *ty, row.thread, row.sums.size_class());
            *self.sums.entry(key).or_default() += row.sums;
        }
    }

    /// The tables, rows in the order of their frames.
    pub(crate) fn finish(self, definitions: &Definitions) -> SampledStacks {
        let mut stacks = self.stacks;
        let mut sums: Vec<_> = self.sums.into_iter().collect();
        sums.sort_unstable_by_key(|(key, _)| *key);
        stacks.rows = sums
            .into_iter()
            .map(|((frame, ty, thread, size), sums)| StackSampleRow {
                frame,
                ty,
                thread: (definitions.thread(thread)).map(|thread| Arc::from(thread.name.as_str())),
                size,
                sums,
            })
            .collect();
        stacks
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{StackMethod, StackNode, StackRow, StackType};

    use super::*;

    fn definitions() -> StackDefinitions {
        StackDefinitions {
            methods: vec![StackMethod {
                id: StackMethodId(7),
                class: "Main$$Lambda$14/0x0001".into(),
                name: "run".into(),
                descriptor: "()V".into(),
            }],
            types: vec![StackType {
                id: StackTypeId(3),
                descriptor: "[B".into(),
            }],
            nodes: vec![
                StackNode {
                    id: StackId(1),
                    parent: None,
                    method: StackMethodId(7),
                    line: Some(5),
                },
                StackNode {
                    id: StackId(2),
                    parent: Some(StackId(99)),
                    method: StackMethodId(7),
                    line: None,
                },
            ],
        }
    }

    fn row(stack: u32, bytes: f64) -> StackRow {
        StackRow {
            stack: StackId(stack),
            ty: StackTypeId(3),
            thread: ThreadId(1),
            sums: SampleSums {
                samples: 1,
                bytes,
                ..SampleSums::default()
            },
        }
    }

    #[test]
    fn samples_add_up_and_what_is_not_introduced_is_counted() {
        let mut collector = StackCollector::default();
        collector.define(definitions());
        for rows in [
            vec![row(1, 5.0), row(1, 6.0)],
            vec![row(2, 1.0), row(1, f64::NAN)],
        ] {
            collector.take(&StackSamples {
                rows,
                skipped: 2,
                ..StackSamples::default()
            });
        }
        let stacks = collector.finish(&Definitions::default());
        assert_eq!(&*stacks.methods[0].class, "Main$$Lambda");
        assert_eq!(stacks.frames.len(), 1);
        assert_eq!((stacks.unknown, stacks.skipped), (3, 4));
        let [only] = &stacks.rows[..] else {
            panic!("{stacks:?}")
        };
        assert_eq!((only.sums.samples, only.sums.bytes), (2, 11.0));
    }
}
