//! Copies a dump and adds an allocation site to every object.
//!
//! An object's record has the serial number of a stack trace, which HotSpot sets to an unknown trace. Here it becomes that of the object's
//! site: a trace of one frame, or of two with the caller to blame. The strings, unnamed classes, frames and traces for this are inserted
//! before the first segment of the heap section. Everything else is copied while it is read, so memory does not depend on the size of the
//! dump.

use std::io::Write;

use rustc_hash::FxHashMap;

use crate::DumpError;
use crate::byte_stream::{ByteStream, DumpFile};
use crate::value_type::ValueType;

/// A frame to be added to the dump.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SiteFrame {
    /// Internal name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The source file; empty if unknown.
    pub source: String,
    /// The line, if known.
    pub line: Option<u16>,
}

/// A stack of frames, innermost first.
pub type SiteTrace = Vec<SiteFrame>;

/// Counts of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enriched {
    /// Objects and classes in the dump.
    pub objects: u64,
    /// How many of them have a site.
    pub with_site: u64,
    /// Stack traces added.
    pub traces: u64,
}

/// Identifiers added here start at this value; neither user memory nor the VM's symbols have addresses there.
const OUR_IDENTIFIERS: u64 = 0x7ff0_0000_0000_0000;
/// Serial numbers added here start at this value, or after the highest in the dump.
const OUR_SERIALS: u32 = 1 << 20;
const STRING: u8 = 0x01;
const LOAD_CLASS: u8 = 0x02;
const FRAME: u8 = 0x04;
const TRACE: u8 = 0x05;
/// The last record of a dump that the JVM finished: the end of all segments, or the heap in one record.
const ENDS: [u8; 2] = [0x2c, 0x0c];
const SEGMENTS: [u8; 2] = [0x0c, 0x1c];

/// Copies a dump. `trace_of` returns the index in `traces` for an object's identifier.
///
/// # Errors
/// If the dump is damaged, or cannot be read or written.
pub fn enrich(
    file: &DumpFile,
    traces: &[SiteTrace],
    trace_of: impl FnMut(u64) -> Option<u32>,
    out: impl Write,
) -> Result<Enriched, DumpError> {
    let mut copier = Copier {
        stream: file.open()?,
        out,
        traces,
        trace_of,
        names: Names::default(),
        first_serial: None,
        sum: Enriched::default(),
    };
    copier.head()?;
    let mut last = None;
    while !copier.stream.is_at_end()? {
        last = Some(copier.record()?).filter(|tag| ENDS.contains(tag));
    }
    if last.is_none() {
        return Err(DumpError::Cut {
            at: copier.stream.position(),
        });
    }
    copier.out.flush()?;
    Ok(copier.sum)
}

/// Names and serial numbers in the records before the heap section.
#[derive(Debug, Default)]
struct Names {
    /// Names of classes by identifier of the string.
    strings: FxHashMap<u64, Box<[u8]>>,
    /// Serial numbers of classes by identifier of the name's string.
    classes: Vec<(u64, u32)>,
    highest_class: u32,
    highest_trace: u32,
}

struct Copier<'a, W, F> {
    stream: ByteStream,
    out: W,
    traces: &'a [SiteTrace],
    trace_of: F,
    names: Names,
    /// Serial number of the first added trace, once they have been written.
    first_serial: Option<u32>,
    sum: Enriched,
}

impl<W: Write, F: FnMut(u64) -> Option<u32>> Copier<'_, W, F> {
    fn u1(&mut self) -> Result<u8, DumpError> {
        let value = self.stream.u1()?;
        self.out.write_all(&[value])?;
        Ok(value)
    }

    fn u2(&mut self) -> Result<u16, DumpError> {
        let value = self.stream.u2()?;
        self.out.write_all(&value.to_be_bytes())?;
        Ok(value)
    }

    fn u4(&mut self) -> Result<u32, DumpError> {
        let value = self.stream.u4()?;
        self.out.write_all(&value.to_be_bytes())?;
        Ok(value)
    }

    fn u8(&mut self) -> Result<u64, DumpError> {
        let value = self.stream.u8()?;
        self.out.write_all(&value.to_be_bytes())?;
        Ok(value)
    }

    fn copy(&mut self, bytes: u64) -> Result<(), DumpError> {
        let mut result = Ok(());
        let out = &mut self.out;
        self.stream.runs(bytes, |run| {
            if result.is_ok() {
                result = out.write_all(run);
            }
        })?;
        Ok(result?)
    }

    fn head(&mut self) -> Result<(), DumpError> {
        crate::record_walk::time(&mut self.stream).map(|millis| {
            // Both names of the format have the same length; this is the newer one.
            self.out.write_all(b"JAVA PROFILE 1.0.2\0")?;
            self.out.write_all(&8_u32.to_be_bytes())?;
            Ok(self.out.write_all(&millis.to_be_bytes())?)
        })?
    }

    /// Returns its tag.
    fn record(&mut self) -> Result<u8, DumpError> {
        let tag = self.stream.u1()?;
        if SEGMENTS.contains(&tag) && self.first_serial.is_none() {
            self.put_traces()?;
        }
        self.out.write_all(&[tag])?;
        self.u4()?;
        let length = u64::from(self.u4()?);
        let start = self.stream.position();
        let end = start.saturating_add(length);
        match tag {
            STRING if length >= 8 => self.string(length - 8)?,
            LOAD_CLASS => self.load_class()?,
            TRACE => {
                let serial = self.u4()?;
                self.names.highest_trace = self.names.highest_trace.max(serial);
            }
            tag if SEGMENTS.contains(&tag) => {
                while self.stream.position() < end {
                    self.sub_record()?;
                }
            }
            _ => {}
        }
        let left = end.checked_sub(self.stream.position());
        let left = left.ok_or(DumpError::Damaged {
            at: start,
            reason: "a record is shorter than its content",
        })?;
        self.copy(left)?;
        Ok(tag)
    }

    fn string(&mut self, bytes: u64) -> Result<(), DumpError> {
        let id = self.u8()?;
        if bytes > u64::from(u16::MAX) {
            return Ok(());
        }
        let mut text = Vec::new();
        self.stream.runs(bytes, |run| text.extend_from_slice(run))?;
        self.out.write_all(&text)?;
        self.names.strings.insert(id, text.into());
        Ok(())
    }

    fn load_class(&mut self) -> Result<(), DumpError> {
        let serial = self.u4()?;
        let (_class, _trace) = (self.u8()?, self.u4()?);
        let name = self.u8()?;
        self.names.classes.push((name, serial));
        self.names.highest_class = self.names.highest_class.max(serial);
        Ok(())
    }

    fn sub_record(&mut self) -> Result<(), DumpError> {
        let at = self.stream.position();
        match self.u1()? {
            0x20 => self.class(),
            0x21 => {
                self.object()?;
                self.u8()?;
                let bytes = self.u4()?;
                self.copy(u64::from(bytes))
            }
            0x22 => {
                self.object()?;
                let length = self.u4()?;
                self.copy(8 + u64::from(length) * 8)
            }
            0x23 => {
                self.object()?;
                let length = self.u4()?;
                let ty = self.value_type()?;
                self.copy(u64::from(length) * ty.bytes())
            }
            tag => {
                let bytes = root_bytes(tag).ok_or(DumpError::Damaged {
                    at,
                    reason: "a sub-record of an unknown kind",
                })?;
                self.copy(bytes)
            }
        }
    }

    /// Copies the identifier, and replaces the serial number of the trace.
    fn object(&mut self) -> Result<(), DumpError> {
        let id = self.u8()?;
        let serial = self.stream.u4()?;
        self.sum.objects += 1;
        let known = (self.trace_of)(id).filter(|trace| (*trace as usize) < self.traces.len());
        let ours = known.and_then(|trace| self.first_serial?.checked_add(trace));
        self.sum.with_site += u64::from(ours.is_some());
        let serial = ours.unwrap_or(serial);
        Ok(self.out.write_all(&serial.to_be_bytes())?)
    }

    fn class(&mut self) -> Result<(), DumpError> {
        self.object()?;
        self.copy(6 * 8 + 4)?;
        for _ in 0..self.u2()? {
            self.u2()?;
            let ty = self.value_type()?;
            self.copy(ty.bytes())?;
        }
        for _ in 0..self.u2()? {
            self.u8()?;
            let ty = self.value_type()?;
            self.copy(ty.bytes())?;
        }
        let fields = u64::from(self.u2()?);
        self.copy(fields * 9)
    }

    fn value_type(&mut self) -> Result<ValueType, DumpError> {
        let at = self.stream.position();
        ValueType::of(self.u1()?).ok_or(DumpError::Damaged {
            at,
            reason: "a type of value that does not exist",
        })
    }

    /// Writes all traces and everything they refer to; remembers the serial number of the first.
    fn put_traces(&mut self) -> Result<(), DumpError> {
        let first = OUR_SERIALS.max(self.names.highest_trace.saturating_add(1));
        self.first_serial = Some(first);
        self.sum.traces = self.traces.len() as u64;
        let mut records = TraceRecords::new(core::mem::take(&mut self.names));
        for (serial, trace) in (first..).zip(self.traces) {
            records.trace(serial, trace);
        }
        Ok(self.out.write_all(&records.bytes)?)
    }
}

/// Number of bytes after the tag of a root.
fn root_bytes(tag: u8) -> Option<u64> {
    Some(match tag {
        0xff | 0x89..=0x8d | 0x05 | 0x07 => 8,
        0x01 => 16,
        0x02 | 0x03 | 0x08 | 0x8e => 16,
        0x04 | 0x06 => 12,
        _ => return None,
    })
}

/// Records that define the added traces.
struct TraceRecords {
    bytes: Vec<u8>,
    next: u64,
    strings: FxHashMap<String, u64>,
    /// Serial numbers of classes, by name.
    classes: FxHashMap<String, u32>,
    next_class: u32,
    frames: FxHashMap<SiteFrame, u64>,
}

impl TraceRecords {
    fn new(names: Names) -> Self {
        let mut classes = FxHashMap::default();
        for (name, serial) in &names.classes {
            if let Some(text) = names.strings.get(name) {
                classes.insert(String::from_utf8_lossy(text).into_owned(), *serial);
            }
        }
        Self {
            bytes: Vec::new(),
            next: OUR_IDENTIFIERS,
            strings: FxHashMap::default(),
            classes,
            next_class: names.highest_class.saturating_add(1),
            frames: FxHashMap::default(),
        }
    }

    fn identifier(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn record(&mut self, tag: u8, body: &[u8]) {
        self.bytes.push(tag);
        self.bytes.extend([0; 4]);
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(body);
    }

    fn string(&mut self, text: &str) -> u64 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let id = self.identifier();
        self.strings.insert(text.to_owned(), id);
        let body = [&id.to_be_bytes(), text.as_bytes()].concat();
        self.record(STRING, &body);
        id
    }

    /// The class for a name. A class that the dump does not name (unloaded, or one of many generated ones) gets only
    /// a name.
    fn class(&mut self, name: &str) -> u32 {
        if let Some(known) = self.classes.get(name) {
            return *known;
        }
        let (text, id) = (self.string(name), self.identifier());
        let serial = self.next_class;
        self.next_class = serial.saturating_add(1);
        self.classes.insert(name.to_owned(), serial);
        let mut body = serial.to_be_bytes().to_vec();
        body.extend(id.to_be_bytes());
        body.extend([0; 4]);
        body.extend(text.to_be_bytes());
        self.record(LOAD_CLASS, &body);
        serial
    }

    fn frame(&mut self, frame: &SiteFrame) -> u64 {
        if let Some(known) = self.frames.get(frame) {
            return *known;
        }
        let texts = [&frame.method, &frame.descriptor, &frame.source];
        let texts = texts.map(|text| self.string(text));
        let class = self.class(&frame.class);
        let id = self.identifier();
        self.frames.insert(frame.clone(), id);
        let mut body = id.to_be_bytes().to_vec();
        texts
            .iter()
            .for_each(|text| body.extend(text.to_be_bytes()));
        body.extend(class.to_be_bytes());
        // -1: the line is unknown.
        let line = frame.line.map_or(-1, i32::from);
        body.extend(line.to_be_bytes());
        self.record(FRAME, &body);
        id
    }

    fn trace(&mut self, serial: u32, trace: &SiteTrace) {
        let frames: Vec<u64> = trace.iter().map(|frame| self.frame(frame)).collect();
        let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
        // Thread 0 stands for no thread.
        let mut body = [serial, 0, count].map(u32::to_be_bytes).concat();
        frames
            .iter()
            .for_each(|frame| body.extend(frame.to_be_bytes()));
        self.record(TRACE, &body);
    }
}
