//! Walks over the records of an HPROF file in order.
//!
//! ```text
//! file     = "JAVA PROFILE 1.0.2" 0  u4 size of identifiers (8)  u8 milliseconds since 1970  record*
//! record   = u1 tag  u4 microseconds  u4 length  body
//! segments = records with tag 0x0c or 0x1c, whose body is a sequence of sub-records without lengths
//!
//! 0x21 instance         id  u4 trace  id class  u4 length  fields (class first, then superclass, ...)
//! 0x22 array of objects id  u4 trace  u4 n  id class  n ids
//! 0x23 array of others  id  u4 trace  u4 n  u1 type  n values
//! 0x20 class            id  u4 trace  ids: super, loader, signers, domain, 2 unused  u4 size
//!                       u2 pool (u2 index, u1 type, value)*  u2 statics (id name, u1 type, value)*  u2 fields (id name, u1 type)*
//! ```
//!
//! The identifier of an object is its address at the time of the dump. The dump is untrusted: nothing is allocated for a stated length, and
//! nothing is kept here.

use crate::DumpError;
use crate::byte_stream::{ByteStream, RUN};
use crate::value_type::ValueType;

/// The address of an object; 0 is null. Strings, frames and classes have identifiers too.
pub type Identifier = u64;

/// Longest name in a class file: 64K bytes.
const MOST_NAME_BYTES: u32 = 1 << 16;

/// The kind of a GC root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub(crate) enum RootRecord {
    /// A global reference of native code.
    JniGlobal,
    /// A local reference of native code in a thread.
    JniLocal {
        /// Serial number of the thread.
        thread: u32,
    },
    /// A local variable of an active method.
    Frame {
        /// Serial number of the thread.
        thread: u32,
        /// Depth in its stack trace; `u32::MAX` if unknown.
        depth: u32,
    },
    /// A class that the JVM never unloads.
    StickyClass,
    /// A monitor that is held or waited for.
    Monitor,
    /// A running thread.
    Thread {
        /// Its serial number.
        thread: u32,
        /// The serial number of its stack trace.
        trace: u32,
    },
    /// Held by native code in another way, or the dump does not say how.
    Other,
}

/// A class record in the heap section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassRecord {
    /// The class object.
    pub(crate) id: Identifier,
    /// The class object of its superclass, or 0.
    pub(crate) superclass: Identifier,
    /// Its class loader, or 0.
    pub(crate) loader: Identifier,
    /// Signers and protection domain.
    pub(crate) others: [Identifier; 2],
    /// Name and value of each static field that is a reference.
    pub(crate) statics: Vec<(Identifier, Identifier)>,
    /// Name and type of each instance field, without those of superclasses.
    pub(crate) fields: Vec<(Identifier, ValueType)>,
}

/// The head of an object record in the heap section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectRecord {
    /// An instance; the fields follow.
    Instance {
        /// Its class object.
        class: Identifier,
        /// Bytes of its fields in the dump.
        bytes: u32,
    },
    /// An array of references; the elements follow.
    References {
        /// The class object of the array.
        class: Identifier,
        /// Number of elements.
        length: u32,
    },
    /// An array of a primitive type; the elements follow.
    Primitives {
        /// Type of the elements.
        ty: ValueType,
        /// Number of elements.
        length: u32,
    },
}

/// A frame of a stack trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameRecord {
    /// Identifier of the frame.
    pub(crate) id: Identifier,
    /// Identifier of the method's name.
    pub(crate) method: Identifier,
    /// Identifier of the source file's name.
    pub(crate) source: Identifier,
    /// Serial number of the class.
    pub(crate) class_serial: u32,
    /// Line number; 0 or less if unknown.
    pub(crate) line: i32,
}

/// Receives the records of a walk. All methods do nothing by default.
pub(crate) trait RecordVisitor {
    /// The time in the file's head, milliseconds since 1970.
    fn header(&mut self, _unix_millis: u64) {}
    /// Whether the bytes of strings are needed.
    fn wants_strings(&self) -> bool {
        false
    }
    /// A string.
    fn string(&mut self, _id: Identifier, _text: &[u8]) {}
    /// A class and the string with its name.
    fn load_class(&mut self, _serial: u32, _id: Identifier, _name: Identifier) {}
    /// A frame.
    fn frame(&mut self, _frame: FrameRecord) {}
    /// A stack trace: its serial number, the thread's serial number, and the frames, innermost first.
    fn trace(&mut self, _serial: u32, _thread: u32, _frames: &[Identifier]) {}
    /// A root.
    fn root(&mut self, _id: Identifier, _root: RootRecord) {}
    /// A class; `at` is the offset of its sub-record.
    fn class(&mut self, _at: u64, _class: ClassRecord) -> Result<(), DumpError> {
        Ok(())
    }
    /// An object; `at` is the offset of its sub-record. Returns true if its content is needed.
    fn object(
        &mut self,
        _at: u64,
        _id: Identifier,
        _object: ObjectRecord,
    ) -> Result<bool, DumpError> {
        Ok(false)
    }
    /// The content of the object: an instance's fields at once, an array's elements in runs that split no element.
    fn content(&mut self, _bytes: &[u8]) -> Result<(), DumpError> {
        Ok(())
    }
    /// The end of the object's content, if it was needed.
    fn end_object(&mut self) {}
}

/// The time in the head of a dump, milliseconds since 1970.
pub(crate) fn time(stream: &mut ByteStream) -> Result<u64, DumpError> {
    struct Head(u64);
    impl RecordVisitor for Head {
        fn header(&mut self, unix_millis: u64) {
            self.0 = unix_millis;
        }
    }
    let mut head = Head(0);
    header(stream, &mut head)?;
    Ok(head.0)
}

/// How much of a dump must be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// Whatever the JVM has written.
    Partial,
}

/// Walks over a dump. Returns the offset at which an unfinished dump ends, if it may be partial.
///
/// # Errors
/// The walk ends at the first damage.
pub(crate) fn walk(
    stream: &mut ByteStream,
    visitor: &mut impl RecordVisitor,
    extent: Extent,
) -> Result<Option<u64>, DumpError> {
    header(stream, visitor)?;
    match (records(stream, visitor), extent) {
        (Ok(()), _) => Ok(None),
        (Err(DumpError::Cut { at }), Extent::Partial) => Ok(Some(at)),
        (Err(error), _) => Err(error),
    }
}

/// A heap in segments ends with a record of its own; without it the JVM was stopped between two segments, or before the first.
fn records(stream: &mut ByteStream, visitor: &mut impl RecordVisitor) -> Result<(), DumpError> {
    let mut is_open = true;
    while !stream.is_at_end()? {
        match record(stream, visitor)? {
            SEGMENT => is_open = true,
            SEGMENTS_END | WHOLE_HEAP => is_open = false,
            _ => {}
        }
    }
    match is_open {
        true => Err(DumpError::Cut {
            at: stream.position(),
        }),
        false => Ok(()),
    }
}

/// The heap in one record.
const WHOLE_HEAP: u8 = 0x0c;
/// A part of the heap, and the end of all parts.
const SEGMENT: u8 = 0x1c;
const SEGMENTS_END: u8 = 0x2c;

/// Walks over sub-records from the start of one until the visitor has enough. Skips the heads of segments, whose tags differ from those of
/// all sub-records.
pub(crate) fn walk_objects<V: RecordVisitor>(
    stream: &mut ByteStream,
    visitor: &mut V,
    has_enough: impl Fn(&V) -> bool,
) -> Result<(), DumpError> {
    while !has_enough(visitor) {
        let at = stream.position();
        match stream.u1()? {
            0x0c | 0x1c => stream.skip(8)?,
            tag => sub_record(stream, at, tag, visitor)?,
        }
    }
    Ok(())
}

const NAMES: [&[u8]; 2] = [b"JAVA PROFILE 1.0.2\0", b"JAVA PROFILE 1.0.1\0"];

fn header(stream: &mut ByteStream, visitor: &mut impl RecordVisitor) -> Result<(), DumpError> {
    let mut name = Vec::new();
    let length = NAMES[0].len() as u64;
    match stream.runs(length, |bytes| name.extend_from_slice(bytes)) {
        Err(DumpError::Cut { .. }) => return Err(DumpError::NoDump),
        other => other?,
    }
    if !NAMES.contains(&name.as_slice()) {
        return Err(DumpError::NoDump);
    }
    match stream.u4()? {
        8 => visitor.header(stream.u8()?),
        other => return Err(DumpError::IdentifierSize(other)),
    }
    Ok(())
}

/// Reads a record; returns its tag.
fn record(stream: &mut ByteStream, visitor: &mut impl RecordVisitor) -> Result<u8, DumpError> {
    let tag = stream.u1()?;
    let _time = stream.u4()?;
    let length = u64::from(stream.u4()?);
    let start = stream.position();
    let end = start.saturating_add(length);
    match tag {
        0x01 if visitor.wants_strings() => string(stream, length, visitor)?,
        0x02 => {
            let (serial, id) = (stream.u4()?, stream.u8()?);
            let (_trace, name) = (stream.u4()?, stream.u8()?);
            visitor.load_class(serial, id, name);
        }
        0x04 => visitor.frame(frame(stream)?),
        0x05 => trace(stream, length, visitor)?,
        0x0c | 0x1c => segment(stream, end, visitor)?,
        _ => {}
    }
    if stream.position() > end {
        return Err(DumpError::Damaged {
            at: start,
            reason: "a record is shorter than its content",
        });
    }
    stream.skip_to(end)?;
    Ok(tag)
}

fn string(
    stream: &mut ByteStream,
    length: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    let at = stream.position();
    let id = stream.u8()?;
    let bytes = length.checked_sub(8).ok_or(DumpError::Damaged {
        at,
        reason: "a string without an identifier",
    })?;
    let kept = bytes.min(u64::from(MOST_NAME_BYTES));
    let mut text = Vec::new();
    stream.runs(kept, |run| text.extend_from_slice(run))?;
    visitor.string(id, &text);
    Ok(())
}

fn frame(stream: &mut ByteStream) -> Result<FrameRecord, DumpError> {
    let (id, method) = (stream.u8()?, stream.u8()?);
    let (_descriptor, source) = (stream.u8()?, stream.u8()?);
    let (class_serial, line) = (stream.u4()?, stream.u4()?);
    Ok(FrameRecord {
        id,
        method,
        source,
        class_serial,
        line: line.cast_signed(),
    })
}

fn trace(
    stream: &mut ByteStream,
    length: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    let at = stream.position();
    let (serial, thread, count) = (stream.u4()?, stream.u4()?, stream.u4()?);
    if u64::from(count) * 8 + 12 > length {
        return Err(DumpError::Damaged {
            at,
            reason: "a stack trace is shorter than its frames",
        });
    }
    let mut frames = Vec::new();
    for _ in 0..count {
        frames.push(stream.u8()?);
    }
    visitor.trace(serial, thread, &frames);
    Ok(())
}

fn segment(
    stream: &mut ByteStream,
    end: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    while stream.position() < end {
        let at = stream.position();
        let tag = stream.u1()?;
        sub_record(stream, at, tag, visitor)?;
    }
    Ok(())
}

fn sub_record(
    stream: &mut ByteStream,
    at: u64,
    tag: u8,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    match tag {
        0x20 => {
            let class = class(stream)?;
            visitor.class(at, class)
        }
        0x21 => instance(stream, at, visitor),
        0x22 => references(stream, at, visitor),
        0x23 => primitives(stream, at, visitor),
        tag => {
            let id = stream.u8()?;
            let root = root(stream, at, tag)?;
            visitor.root(id, root);
            Ok(())
        }
    }
}

fn root(stream: &mut ByteStream, at: u64, tag: u8) -> Result<RootRecord, DumpError> {
    Ok(match tag {
        0xff | 0x89..=0x8d => RootRecord::Other,
        0x01 => {
            stream.u8()?;
            RootRecord::JniGlobal
        }
        0x02 | 0x03 | 0x8e => {
            let (thread, depth) = (stream.u4()?, stream.u4()?);
            match tag {
                0x03 => RootRecord::Frame { thread, depth },
                _ => RootRecord::JniLocal { thread },
            }
        }
        0x04 | 0x06 => {
            stream.u4()?;
            RootRecord::Other
        }
        0x05 => RootRecord::StickyClass,
        0x07 => RootRecord::Monitor,
        0x08 => RootRecord::Thread {
            thread: stream.u4()?,
            trace: stream.u4()?,
        },
        _ => {
            return Err(DumpError::Damaged {
                at,
                reason: "a sub-record of an unknown kind",
            });
        }
    })
}

fn class(stream: &mut ByteStream) -> Result<ClassRecord, DumpError> {
    let id = stream.u8()?;
    let _trace = stream.u4()?;
    let (superclass, loader) = (stream.u8()?, stream.u8()?);
    let others = [stream.u8()?, stream.u8()?];
    let _unused = (stream.u8()?, stream.u8()?, stream.u4()?);
    for _ in 0..stream.u2()? {
        let _index = stream.u2()?;
        let ty = value_type(stream)?;
        stream.skip(ty.bytes())?;
    }
    let mut statics = Vec::new();
    for _ in 0..stream.u2()? {
        let name = stream.u8()?;
        match value_type(stream)? {
            ValueType::Reference => statics.push((name, stream.u8()?)),
            other => stream.skip(other.bytes())?,
        }
    }
    let mut fields = Vec::new();
    for _ in 0..stream.u2()? {
        fields.push((stream.u8()?, value_type(stream)?));
    }
    Ok(ClassRecord {
        id,
        superclass,
        loader,
        others,
        statics,
        fields,
    })
}

fn value_type(stream: &mut ByteStream) -> Result<ValueType, DumpError> {
    let at = stream.position();
    ValueType::of(stream.u1()?).ok_or(DumpError::Damaged {
        at,
        reason: "a type of value that does not exist",
    })
}

fn instance(
    stream: &mut ByteStream,
    at: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    let id = stream.u8()?;
    let _trace = stream.u4()?;
    let (class, bytes) = (stream.u8()?, stream.u4()?);
    if u64::from(bytes) > RUN {
        return Err(DumpError::Damaged {
            at,
            reason: "an instance of more than 512 KB: no class has that many fields",
        });
    }
    let is_wanted = visitor.object(at, id, ObjectRecord::Instance { class, bytes })?;
    content(stream, u64::from(bytes), is_wanted, visitor)
}

fn references(
    stream: &mut ByteStream,
    at: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    let id = stream.u8()?;
    let _trace = stream.u4()?;
    let (length, class) = (stream.u4()?, stream.u8()?);
    let is_wanted = visitor.object(at, id, ObjectRecord::References { class, length })?;
    content(stream, u64::from(length) * 8, is_wanted, visitor)
}

fn primitives(
    stream: &mut ByteStream,
    at: u64,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    let id = stream.u8()?;
    let _trace = stream.u4()?;
    let length = stream.u4()?;
    let ty = value_type(stream)?;
    let is_wanted = visitor.object(at, id, ObjectRecord::Primitives { ty, length })?;
    content(stream, u64::from(length) * ty.bytes(), is_wanted, visitor)
}

/// The fields or elements of an object, which are skipped if the visitor does not want them.
fn content(
    stream: &mut ByteStream,
    bytes: u64,
    is_wanted: bool,
    visitor: &mut impl RecordVisitor,
) -> Result<(), DumpError> {
    if !is_wanted {
        return stream.skip(bytes);
    }
    let mut result = Ok(());
    stream.runs(bytes, |run| {
        if result.is_ok() {
            result = visitor.content(run);
        }
    })?;
    visitor.end_object();
    result
}
