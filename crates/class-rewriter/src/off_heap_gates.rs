//! The methods of the JDK through which Java code gets memory outside of the heap, and gives it back.
//!
//! ```text
//! Unsafe.allocateMemory(J)            direct buffers, segments, the buffers of libraries
//!   lload_1; invokestatic DuckTrackOffHeap.asked(J)V                         on entry
//!   ...
//!   dup2; invokestatic DuckTrackOffHeap.allocated(J)V                        before lreturn
//! Unsafe.freeMemory(J)                lload_1; released                      on entry
//! FileChannelImpl$Unmapper            its constructor: made; run, unmap: released
//! Inflater$InflaterZStreamRef         the same: constructor, run
//! Thread.start                        around start0: starts, started; exit: released
//! ```
//!
//! Memory is reported as released before it is, and as made after: no other thread can get the same address in between.

use ducktrack_classfile::{ClassFile, MemberRef, Opcode};
use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::OffHeapKind;
use ducktrack_probe_vocabulary::helper::off_heap;

use crate::part::{Part, PartBuilder};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;

const ASKED: ProbeMethod = calling(off_heap::ASKED);
const ALLOCATED: ProbeMethod = calling(off_heap::ALLOCATED);
const MADE: ProbeMethod = calling(off_heap::MADE);
const STARTS: ProbeMethod = calling(off_heap::STARTS);
const STARTED: ProbeMethod = calling(off_heap::STARTED);
const RELEASED: ProbeMethod = calling(off_heap::RELEASED);

const UNSAFE: &[u8] = b"jdk/internal/misc/Unsafe";
const THREAD: &[u8] = b"java/lang/Thread";

/// The objects that hold memory of other kinds, by class.
const HOLDERS: &[(&[u8], OffHeapKind)] = &[
    (b"sun/nio/ch/FileChannelImpl$Unmapper", OffHeapKind::Mapped),
    (
        b"java/util/zip/Inflater$InflaterZStreamRef",
        OffHeapKind::Inflater,
    ),
    (
        b"java/util/zip/Deflater$DeflaterZStreamRef",
        OffHeapKind::Deflater,
    ),
];

/// What zlib allocates for a stream, in bytes, with the parameters that the JDK uses (zlib's
/// `zconf.h`): a window of 32 KB; for compression as much again, twice, and the tables of hashes.
const INFLATER_BYTES: u32 = (1 << 15) + (7 << 10);
const DEFLATER_BYTES: u32 = (1 << 17) + (1 << 17) + (6 << 10);

/// What a class has to do with memory outside of the heap.
#[derive(Clone, Copy)]
enum Owner {
    Unsafe,
    /// Memory of this kind.
    Holder(OffHeapKind),
    /// `Thread`; its field with the size of its stack is in an object of its own.
    Thread {
        has_holder: bool,
    },
}

/// Reports memory outside of the heap.
pub(crate) struct OffHeapGates(Owner);

impl OffHeapGates {
    /// Those of a class; `None` where there are none.
    pub(crate) fn of(class: &ClassFile<'_>) -> Option<Self> {
        let owner = match class.name() {
            UNSAFE => Owner::Unsafe,
            THREAD => Owner::Thread {
                has_holder: class.fields().any(|field| field.name() == b"holder"),
            },
            name => {
                let mut holders = HOLDERS.iter();
                Owner::Holder(holders.find(|(class, _)| *class == name)?.1)
            }
        };
        Some(Self(owner))
    }
}

impl Planner for OffHeapGates {
    fn is_interested_in_method(&self, is_static: bool) -> bool {
        !is_static
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        match self.0 {
            Owner::Unsafe => watch_unsafe(&mut builder)?,
            Owner::Holder(kind) => watch_holder(&mut builder, kind)?,
            Owner::Thread { has_holder } => watch_threads(&mut builder, has_holder)?,
        }
        Ok(builder.part)
    }
}

fn long_of<'m>(class: &'m [u8], name: &'m [u8]) -> MemberRef<'m> {
    MemberRef {
        class,
        name,
        descriptor: b"J",
        interface: false,
    }
}

fn watch_unsafe(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let kind = OffHeapKind::Unsafe.number();
    match (builder.view.method.name(), builder.view.descriptor) {
        (b"allocateMemory", b"(J)J") => {
            let asked = builder.probes.build().load_long(1).invoke(ASKED).finish()?;
            builder.insert(Place::Entry, asked);
            report_result(builder)
        }
        (b"reallocateMemory", b"(JJ)J") => {
            let probe = builder.probes.build().load_long(1).push(kind);
            let probe = probe.invoke(RELEASED).load_long(3).invoke(ASKED);
            let probe = probe.finish()?;
            builder.insert(Place::Entry, probe);
            report_result(builder)
        }
        (b"freeMemory", b"(J)V") => {
            let probe = builder.probes.build().load_long(1).push(kind);
            let probe = probe.invoke(RELEASED).finish()?;
            builder.insert(Place::Entry, probe);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The address that the method returns.
fn report_result(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    for instruction in builder.view.instructions {
        if instruction.opcode == Opcode::LRETURN {
            let probe = builder.probes.build().dup2().invoke(ALLOCATED).finish()?;
            builder.insert(Place::Before(instruction.offset), probe);
        }
    }
    Ok(())
}

fn watch_holder(builder: &mut PartBuilder<'_>, kind: OffHeapKind) -> Result<(), Reason> {
    let descriptor = builder.view.descriptor;
    let probe = builder.probes.build();
    let probe = match (builder.view.method.name(), kind) {
        // address, size
        (b"<init>", OffHeapKind::Mapped) if descriptor.starts_with(b"(JJ") => {
            probe.load_long(1).load_long(3)
        }
        // owner, address
        (b"<init>", OffHeapKind::Inflater) => probe.load_long(2).push_long(INFLATER_BYTES),
        (b"<init>", OffHeapKind::Deflater) => probe.load_long(2).push_long(DEFLATER_BYTES),
        (b"run" | b"unmap", _) if descriptor == b"()V" => {
            let address = long_of(builder.view.class.name(), b"address");
            let probe = builder.probes.build().load_reference(0).long_field(address);
            let probe = probe.push(kind.number()).invoke(RELEASED).finish()?;
            builder.insert(Place::Entry, probe);
            return Ok(());
        }
        _ => return Ok(()),
    };
    let probe = probe.push(kind.number()).invoke(MADE).finish()?;
    builder.insert(Place::Entry, probe);
    Ok(())
}

/// Calls of `start0`; a thread that cannot be started throws there.
fn watch_threads(builder: &mut PartBuilder<'_>, has_holder: bool) -> Result<(), Reason> {
    let id = long_of(THREAD, b"tid");
    if (builder.view.method.name(), builder.view.descriptor) == (b"exit", b"()V") {
        let probe = builder.probes.build().load_reference(0).long_field(id);
        let probe = probe.push(OffHeapKind::Thread.number()).invoke(RELEASED);
        let probe = probe.finish()?;
        builder.insert(Place::Entry, probe);
        return Ok(());
    }
    let pool = builder.view.code.pool();
    for instruction in builder.view.instructions {
        let Some(index) = instruction.pool_index() else {
            continue;
        };
        if !instruction.opcode.is_invoke()
            || instruction.opcode == Opcode::INVOKEDYNAMIC
            || pool.member_ref(index)?.name != b"start0"
        {
            continue;
        }
        let probe = builder.probes.build().load_reference(0).long_field(id);
        let probe = probe.load_reference(0);
        let holder = MemberRef {
            class: THREAD,
            name: b"holder",
            descriptor: b"Ljava/lang/Thread$FieldHolder;",
            interface: false,
        };
        let probe = match has_holder {
            true => probe
                .field(holder)
                .long_field(long_of(b"java/lang/Thread$FieldHolder", b"stackSize")),
            false => probe.long_field(long_of(THREAD, b"stackSize")),
        };
        let probe = probe.invoke(STARTS).finish()?;
        builder.insert(Place::Before(instruction.offset), probe);
        let probe = builder.probes.build().load_reference(0).long_field(id);
        let probe = probe.invoke(STARTED).finish()?;
        builder.insert(Place::After(instruction.offset), probe);
    }
    Ok(())
}
