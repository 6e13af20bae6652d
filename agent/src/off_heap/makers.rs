//! The makers of memory: each stack from which memory of a kind is made has four counters.

use ducktrack_jvmti::FrameInfo;
use ducktrack_probe_vocabulary::OffHeapKind;
use ducktrack_trace_format::OffHeapFrame;
use rustc_hash::FxHashMap;

use crate::core::Core;
use crate::stacks::{Names, line_at};

/// More makers are counted as one, without a stack.
const MOST_MAKERS: usize = 1 << 14;

/// A maker, by its first counter: made, their bytes, released, their bytes.
#[derive(Clone, Copy)]
pub(super) struct Maker(u32);

impl Maker {
    /// The counter of what was made.
    pub(super) fn made(self) -> u32 {
        self.0
    }

    /// The counter of what was released.
    pub(super) fn released(self) -> u32 {
        self.0 + 2
    }
}

/// Frames by method and place in its bytecode.
type Frames = Box<[(usize, i64)]>;

/// All makers, by kind as the probe says it.
#[derive(Default)]
pub(super) struct Makers(FxHashMap<(OffHeapKind, Frames), Maker>);

impl Makers {
    /// The maker of memory from this stack. A new one is in the trace before it counts. `None`: there is no counter left.
    pub(super) fn maker(
        &mut self,
        core: &Core,
        kind: OffHeapKind,
        frames: &[FrameInfo],
        names: &impl Names,
    ) -> Option<Maker> {
        let key = |frames: &[FrameInfo]| {
            let places = frames.iter();
            places
                .map(|frame| (frame.method as usize, frame.location))
                .collect()
        };
        let mut frames = frames;
        let mut wanted = (kind, key(frames));
        if let Some(known) = self.0.get(&wanted) {
            return Some(*known);
        }
        if self.0.len() >= MOST_MAKERS {
            frames = &[];
            wanted = (kind, key(frames));
            if let Some(known) = self.0.get(&wanted) {
                return Some(*known);
            }
        }
        let frames: Vec<OffHeapFrame> = frames
            .iter()
            .filter_map(|frame| named(frame, names))
            .collect();
        let first = core
            .registry
            .add_off_heap_maker(refined(kind, &frames), frames)?;
        core.secure_definitions();
        core.cover_counters();
        let maker = Maker(first);
        self.0.insert(wanted, maker);
        Some(maker)
    }
}

fn named(frame: &FrameInfo, names: &impl Names) -> Option<OffHeapFrame> {
    let method = frame.method as usize;
    let known = names.method(method)?;
    let line = u16::try_from(frame.location).ok().and_then(|index| {
        let mut lines = names.lines(method);
        lines.sort_unstable();
        line_at(&lines, index)
    });
    Some(OffHeapFrame {
        class: known.class,
        method: known.name,
        line,
    })
}

/// The class that called `Unsafe` tells the kind of the memory.
fn refined(kind: OffHeapKind, frames: &[OffHeapFrame]) -> OffHeapKind {
    if kind != OffHeapKind::Unsafe {
        return kind;
    }
    let mut classes = frames.iter().map(|frame| frame.class.as_str());
    let user = classes.find(|class| !class.ends_with("/misc/Unsafe"));
    match user {
        Some("java/nio/DirectByteBuffer") => OffHeapKind::Direct,
        Some(class) if class.starts_with("jdk/internal/foreign/") => OffHeapKind::Segment,
        _ => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_unsafe_is_named_by_the_first_class_that_asked() {
        let frames = |classes: &[&str]| -> Vec<OffHeapFrame> {
            let frame = |class: &&str| OffHeapFrame {
                class: (*class).to_owned(),
                method: "m".to_owned(),
                line: None,
            };
            classes.iter().map(frame).collect()
        };
        let of = |classes: &[&str]| refined(OffHeapKind::Unsafe, &frames(classes));
        let unsafe_class = "jdk/internal/misc/Unsafe";
        assert_eq!(
            of(&[unsafe_class, "java/nio/DirectByteBuffer", "shop/Cache"]),
            OffHeapKind::Direct
        );
        assert_eq!(
            of(&[unsafe_class, "jdk/internal/foreign/SegmentFactories"]),
            OffHeapKind::Segment
        );
        assert_eq!(
            of(&[
                unsafe_class,
                "sun/misc/Unsafe",
                "io/netty/X",
                "java/nio/DirectByteBuffer"
            ]),
            OffHeapKind::Unsafe
        );
        assert_eq!(
            refined(OffHeapKind::Mapped, &frames(&["java/nio/DirectByteBuffer"])),
            OffHeapKind::Mapped
        );
    }
}
