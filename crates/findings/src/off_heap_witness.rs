//! The Java objects that date memory outside of the heap: one is made with
//! each block, and is alive as long as something may still release the block.
//!
//! The recording counts blocks and has no times of them. These objects are in the trace
//! with the moments of their births and deaths, so that a block is judged as an object is.

use ducktrack_count_model::OffHeapKind;

/// The objects of one kind of memory, by descriptors of types.
pub(crate) struct Witness {
    /// The first that the recording has of a line is taken: the others are of other JDKs, or made more than once.
    pub(crate) dated_by: &'static [&'static str],
    /// What code holds.
    pub(crate) held_as: &'static [&'static str],
    /// A collection that finds it dead releases the block, without `close`.
    pub(crate) is_collected: bool,
}

/// Those of a kind. `None`: its memory has no object.
pub(crate) fn witness(kind: OffHeapKind) -> Option<Witness> {
    let collected = |dated_by, held_as| {
        Some(Witness {
            dated_by,
            held_as,
            is_collected: true,
        })
    };
    match kind {
        OffHeapKind::Direct => collected(
            &["Ljava/nio/DirectByteBuffer$Deallocator;"],
            &["Ljava/nio/DirectByteBuffer;"],
        ),
        OffHeapKind::Mapped => collected(
            &[
                "Lsun/nio/ch/FileChannelImpl$DefaultUnmapper;",
                "Lsun/nio/ch/FileChannelImpl$SyncUnmapper;",
                "Lsun/nio/ch/FileChannelImpl$Unmapper;",
            ],
            &[
                "Ljava/nio/DirectByteBuffer;",
                "Ljava/nio/DirectByteBufferR;",
            ],
        ),
        OffHeapKind::Inflater => collected(
            &["Ljava/util/zip/Inflater$InflaterZStreamRef;"],
            &["Ljava/util/zip/Inflater;"],
        ),
        OffHeapKind::Deflater => collected(
            &["Ljava/util/zip/Deflater$DeflaterZStreamRef;"],
            &["Ljava/util/zip/Deflater;"],
        ),
        OffHeapKind::Segment => Some(Witness {
            dated_by: SEGMENT,
            held_as: SEGMENT,
            is_collected: false,
        }),
        OffHeapKind::Thread => Some(Witness {
            dated_by: &["Ljava/lang/Thread$FieldHolder;", "Ljava/lang/Thread;"],
            held_as: &["Ljava/lang/Thread;"],
            is_collected: false,
        }),
        OffHeapKind::Unsafe => None,
    }
}

/// What an arena does when it is closed; JDK 22 and later, then JDK 21.
const SEGMENT: &[&str] = &[
    "Ljdk/internal/foreign/SegmentFactories$1;",
    "Ljdk/internal/foreign/NativeMemorySegmentImpl$1;",
];
