//! A change that is advised.

use std::sync::Arc;

use ducktrack_count_model::Tally;

use crate::rule::Rule;

/// A smaller part that the JIT removed may be chance.
const LEAST_REMOVED: f64 = 0.05;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The kind of change.
    pub rule: Rule,
    /// Where it is to be made.
    pub place: Place,
    /// The details of its sentence.
    pub change: Change,
    /// The objects and bytes that it saves, executed.
    pub saving: Tally,
    /// The certainty of `saving`.
    pub sure: Sure,
    /// The number of these objects that reach the heap today; the JIT removes the others. `None`: not known, too few were sampled.
    pub reaches_heap: Option<i64>,
    /// No more than this number reach the heap, 95 of 100 times.
    pub reaches_heap_at_most: Option<i64>,
    /// This change with others of its method, and of methods that it calls or that call it; `None`: there are none.
    pub together: Option<Together>,
}

/// Changes that one looks at together.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// Positions of the other changes in the list, from 0.
    pub others: Vec<usize>,
    /// The sum of the savings.
    pub saving: Tally,
    /// The certainty of the sum.
    pub sure: Sure,
}

impl Advice {
    /// The bytes of its objects that reach the heap; all, where that is not known.
    pub fn heap_bytes(&self) -> i64 {
        match self.reaches_heap {
            Some(objects) if self.saving.count > 0 => {
                let bytes = i128::from(self.saving.bytes) * i128::from(objects);
                i64::try_from(bytes / i128::from(self.saving.count)).unwrap_or(i64::MAX)
            }
            _ => self.saving.bytes,
        }
    }

    /// The share of its objects that the JIT removed. `None`: not known, or chance may be the reason why few were sampled.
    pub fn removed_by_jit(&self) -> Option<f64> {
        let share = |objects: i64| 1.0 - objects as f64 / self.saving.count.max(1) as f64;
        let is_sure = self.reaches_heap_at_most.map(share)? >= LEAST_REMOVED;
        self.reaches_heap.map(share).filter(|_| is_sure)
    }

    /// Whether the JIT removes nearly all of these objects: the change saves nothing once the code is compiled.
    pub fn is_removed_by_jit(&self) -> bool {
        let removed = |objects: i64| objects.saturating_mul(20) <= self.saving.count;
        self.reaches_heap.is_some_and(removed)
    }
}

/// A place in code that is not the JDK's. Names are in internal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The class.
    pub class: Arc<str>,
    /// The method as it is in the source: the one around a lambda's body.
    pub method: Arc<str>,
    /// The line.
    pub line: Option<u16>,
}

/// How certain a saving is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sure {
    /// To the object and the byte.
    Exact,
    /// Some of the objects may be needed after the change.
    AtMost,
    /// Within these bounds, 95 of 100 times.
    Estimate {
        /// Least and most objects.
        objects: (i64, i64),
        /// Least and most bytes.
        bytes: (i64, i64),
    },
}

impl Sure {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::AtMost => "at most",
            Self::Estimate { .. } => "estimate",
        }
    }
}

/// The details of a change's sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The type of most of the objects as a descriptor.
    pub ty: Option<Arc<str>>,
    /// The called method that makes them, `java/util/List.iterator`; `None`: the line makes them itself.
    pub callee: Option<Arc<str>>,
    /// The line is in a loop of its method.
    pub in_loop: bool,
    /// A closure whose captured values are the same in each pass of the loop, or always.
    pub is_unchanged: bool,
    /// The arrays are empty.
    pub is_empty: bool,
    /// The last argument of the call is a constant.
    pub has_constant_argument: bool,
    /// Of `Optional`s: the method returns one.
    pub is_returned: bool,
    /// Of an iterator: its list has an index, so a loop by index needs no iterator.
    pub is_indexed: bool,
    /// Of a growing collection: the argument of its constructor that saves this.
    pub capacity: Option<i64>,
    /// Of a growing collection: bytes that this capacity leaves unused, more than today.
    pub waste: i64,
}
