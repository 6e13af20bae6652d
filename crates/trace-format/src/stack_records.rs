//! Sampled call stacks: a tree of frames that all stacks share, and how often each stack was sampled.
//!
//! ```text
//! StackMethod 0  Main.main          StackNode 0  parent -, method 0, line 12
//! StackMethod 1  Parser.parse       StackNode 1  parent 0, method 1, line 40
//! StackType   0  [B                 StackRow     stack 1, type 0, thread 1: 3 samples
//! ```
//!
//! A stack is the node of its top frame; its callers are the parents. The sampler takes one allocation per `interval` bytes on
//! average, so an object of `s` bytes is taken with probability `p = 1 - exp(-s / interval)`. A sample stands for `1 / p` objects and
//! `s / p` bytes: its weights. Rows are differences: the values of all [`StackSamples`] of a trace are summed.
//!
//! Samples of one stack, type and thread have a row for each [`SizeClass`]: the samplers of JDK 11 to 21 take
//! too few of the objects that do not fit into an allocation buffer (TLAB), so that sizes must not be mixed.

use serde::{Deserialize, Serialize};

use crate::ids::{StackId, StackMethodId, StackTypeId, ThreadId};

/// The methods, types and frames that rows of [`StackSamples`] refer to; each id is defined once, before it is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackDefinitions {
    /// Methods.
    pub methods: Vec<StackMethod>,
    /// Types of objects.
    pub types: Vec<StackType>,
    /// Frames; each parent precedes its children.
    pub nodes: Vec<StackNode>,
}

/// A method that was seen on a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackMethod {
    /// Its id.
    pub id: StackMethodId,
    /// Internal name of its class. Empty if the frame stands for all those that were too deep to be kept.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A type of objects that were sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackType {
    /// Its id.
    pub id: StackTypeId,
    /// The type as a descriptor.
    pub descriptor: String,
}

/// A frame and its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackNode {
    /// Its id.
    pub id: StackId,
    /// The calling frame; `None` for the first frame of a thread.
    pub parent: Option<StackId>,
    /// The method.
    pub method: StackMethodId,
    /// The executing source line; `None` in native methods and if the class file does not have it.
    pub line: Option<u16>,
}

/// The samples since the previous record of this kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackSamples {
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// The samples, by stack, type, thread and size class.
    pub rows: Vec<StackRow>,
    /// Samples without a stack, because the tables were full or in use by another thread.
    pub skipped: u64,
    /// Time that sampling cost the program's threads.
    pub micros: u64,
}

/// Samples of one stack, type, thread and size class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackRow {
    /// The stack, identified by its top frame.
    pub stack: StackId,
    /// The type of the objects.
    pub ty: StackTypeId,
    /// The thread; 0 if unknown.
    pub thread: ThreadId,
    /// Sums of the samples.
    pub sums: SampleSums,
}

/// Sums over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleSums {
    /// Number of samples.
    pub samples: u64,
    /// Sum of the objects that they stand for.
    pub objects: f64,
    /// Sum of the squares of these numbers of objects.
    pub objects_squared: f64,
    /// Sum of the bytes that they stand for.
    pub bytes: f64,
    /// Sum of the squares of these numbers of bytes.
    pub bytes_squared: f64,
}

impl SampleSums {
    /// The sums of one sample: an object of `size` bytes, with a mean of `interval` bytes between samples (0: every object is taken).
    pub fn of_sample(size: u64, interval: u64) -> Self {
        let size = size.max(1);
        let probability = match interval {
            0 => 1.0,
            mean => -(-(size as f64) / mean as f64).exp_m1(),
        };
        let objects = 1.0 / probability.max(f64::MIN_POSITIVE);
        let bytes = size as f64 * objects;
        Self {
            samples: 1,
            objects,
            objects_squared: objects * objects,
            bytes,
            bytes_squared: bytes * bytes,
        }
    }

    /// The size class of the objects: all samples of a row have one.
    pub fn size_class(&self) -> SizeClass {
        // A mean of equal sizes may be a little less than each.
        let mean = self.bytes / self.objects * (1.0 + 1e-9);
        SizeClass::of(mean as u64)
    }

    /// True if the sums can result from samples.
    pub fn is_sound(&self) -> bool {
        let sums = [
            self.objects,
            self.objects_squared,
            self.bytes,
            self.bytes_squared,
        ];
        sums.iter().all(|sum| sum.is_finite() && *sum >= 0.0)
    }
}

/// Sizes of objects from one power of two up to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SizeClass(u8);

impl SizeClass {
    /// The class of a size in bytes.
    pub fn of(bytes: u64) -> Self {
        Self((u64::BITS - bytes.leading_zeros()) as u8)
    }

    /// The least size, and the least of the next class.
    pub fn bounds(self) -> [f64; 2] {
        [f64::from(self.0) - 1.0, f64::from(self.0)].map(f64::exp2)
    }
}

impl core::ops::AddAssign for SampleSums {
    fn add_assign(&mut self, other: Self) {
        self.samples = self.samples.saturating_add(other.samples);
        self.objects += other.objects;
        self.objects_squared += other.objects_squared;
        self.bytes += other.bytes;
        self.bytes_squared += other.bytes_squared;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_a_row_is_that_of_its_objects() {
        for size in [16, 24, 1040, 1 << 18, (1 << 18) + 16] {
            let mut sums = SampleSums::default();
            for interval in [0, 1000, 128 << 10] {
                sums += SampleSums::of_sample(size, interval);
            }
            assert_eq!(sums.size_class(), SizeClass::of(size), "{size}");
            let [low, high] = SizeClass::of(size).bounds();
            assert!((low..high).contains(&(size as f64)), "{size}");
        }
    }

    #[test]
    fn a_sample_stands_for_what_was_not_taken() {
        let all = SampleSums::of_sample(24, 0);
        assert_eq!((all.objects, all.bytes), (1.0, 24.0));
        let small = SampleSums::of_sample(24, 512 << 10);
        // One in about 21,845 objects of 24 bytes is taken.
        assert!((small.objects - 21_845.8).abs() < 1.0, "{small:?}");
        assert!((small.bytes - 24.0 * small.objects).abs() < 1e-6);
        let large = SampleSums::of_sample(64 << 20, 512 << 10);
        assert!((large.objects - 1.0).abs() < 1e-12, "{large:?}");
    }

    #[test]
    fn sums_that_no_sample_has_are_not_sound() {
        assert!(SampleSums::of_sample(0, 512).is_sound());
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            let sums = SampleSums {
                bytes: bad,
                ..SampleSums::default()
            };
            assert!(!sums.is_sound());
        }
    }
}
