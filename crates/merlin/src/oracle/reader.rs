//! Rows to records. The oracle has the last moment at which an object could be reached,
//! and no uses: the fact `uses` is `none`, and a root holds the object at that moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::stream::record::{
    Allocation, Definition, ObjectId, Record, RootKind, SiteId, ThreadId, TypeId,
};

/// Allocations between two collections: each finds what has died since the one before.
const EPOCH: u64 = 1 << 16;

/// A line that is no row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct OracleError {
    /// Its number, from 1.
    pub line: u64,
    /// The fault.
    pub fault: OracleFault,
}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OracleFault {
    /// A column that must be there.
    #[error("the first line must name the columns alloc_seq, free_at_seq and size; {0} is missing")]
    NoColumn(&'static str),
    /// Fewer or more fields than the first line.
    #[error("{found} fields, but the first line names {named} columns")]
    Fields {
        /// In the row.
        found: usize,
        /// In the first line.
        named: usize,
    },
    /// A field that is no number of its range.
    #[error("{column} is not a number, or out of range: {text}")]
    Number {
        /// Of which column.
        column: &'static str,
        /// The field; the first 40 letters.
        text: String,
    },
    /// Rows are in the order of allocation.
    #[error("alloc_seq is {found} after {before}: rows must be in the order of allocation")]
    Order {
        /// In the row.
        found: u64,
        /// In the row before.
        before: u64,
    },
    /// An object that is freed before it is there.
    #[error("free_at_seq is {free}, not after alloc_seq {born}")]
    FreedEarly {
        /// When it is freed.
        free: u64,
        /// When it is allocated.
        born: u64,
    },
    /// A quote without an end.
    #[error("a quoted field has no end")]
    Quote,
}

/// Where the fields of a row stand.
#[derive(Clone, Copy, Debug)]
struct Columns {
    count: usize,
    allocation: usize,
    free: usize,
    size: usize,
    ty: Option<usize>,
    object: Option<usize>,
    thread: Option<usize>,
}

/// Reads line after line.
#[derive(Debug, Default)]
pub struct OracleReader {
    line: u64,
    columns: Option<Columns>,
    /// The last `alloc_seq`.
    sequence: u64,
    types: FxHashMap<String, TypeId>,
    thread: Option<ThreadId>,
    /// When objects may be freed.
    free: BinaryHeap<Reverse<(u64, ObjectId)>>,
    /// The objects that have died since the last collection.
    dead: Vec<ObjectId>,
    collections: u64,
}

impl OracleReader {
    /// Appends the records of a line; none for empty lines and the first one.
    ///
    /// # Errors
    /// When it is no row; then nothing is appended.
    pub fn line(&mut self, line: &str, out: &mut Vec<Record>) -> Result<(), OracleError> {
        self.line += 1;
        self.read(line.trim_end_matches(['\r', '\n']), out)
            .map_err(|fault| OracleError {
                line: self.line,
                fault,
            })
    }

    /// The end of the text: objects that may be freed after the last allocation.
    pub fn finish(&mut self, out: &mut Vec<Record>) {
        self.free_before(u64::MAX, out);
        self.collect(out);
    }

    fn read(&mut self, line: &str, out: &mut Vec<Record>) -> Result<(), OracleFault> {
        if line.is_empty() {
            return Ok(());
        }
        let fields = fields(line)?;
        let Some(columns) = self.columns else {
            self.columns = Some(Columns::of(&fields)?);
            for (key, value) in [("level", "full"), ("uses", "none"), ("frontend", "oracle")] {
                let (key, value) = (key.to_owned(), value.to_owned());
                out.push(Record::Definition(Box::new(Definition::Fact {
                    key,
                    value,
                })));
            }
            return Ok(());
        };
        if fields.len() != columns.count {
            return Err(OracleFault::Fields {
                found: fields.len(),
                named: columns.count,
            });
        }
        let row = columns.row(&fields)?;
        if row.sequence <= self.sequence {
            return Err(OracleFault::Order {
                found: row.sequence,
                before: self.sequence,
            });
        }
        self.row(&row, out);
        Ok(())
    }

    fn row(&mut self, row: &Row<'_>, out: &mut Vec<Record>) {
        self.free_before(row.sequence, out);
        if row.sequence / EPOCH != self.sequence / EPOCH {
            self.collect(out);
        }
        self.sequence = row.sequence;
        let ty = self.ty(row.ty, out);
        if row.thread.is_some() && self.thread != row.thread {
            self.thread = row.thread;
            out.extend(row.thread.map(Record::Thread));
        }
        out.push(Record::Allocation(Allocation {
            object: row.object,
            bytes: row.size,
            length: None,
            ty,
            site: SiteId(0),
        }));
        self.free
            .extend(row.free.map(|free| Reverse((free, row.object))));
    }

    fn ty(&mut self, name: Option<&str>, out: &mut Vec<Record>) -> TypeId {
        let Some(name) = name else {
            return TypeId(0);
        };
        // Types of a file are fewer than 2^32.
        let next = TypeId(self.types.len() as u32 + 1);
        if let Some(known) = self.types.get(name) {
            return *known;
        }
        self.types.insert(name.to_owned(), next);
        out.push(Record::Definition(Box::new(Definition::Type {
            ty: next,
            name: name.to_owned(),
        })));
        next
    }

    /// Objects that may be freed before this allocation were reachable until the one before it.
    fn free_before(&mut self, sequence: u64, out: &mut Vec<Record>) {
        while let Some(Reverse((free, object))) = self.free.peek().copied()
            && free <= sequence
        {
            self.free.pop();
            let kind = RootKind::Runtime;
            out.push(Record::Root { kind, object });
            self.dead.push(object);
        }
    }

    fn collect(&mut self, out: &mut Vec<Record>) {
        if self.dead.is_empty() {
            return;
        }
        self.collections += 1;
        out.push(Record::Collection {
            number: self.collections,
            complete: false,
        });
        out.extend(self.dead.drain(..).map(Record::Dead));
        out.push(Record::CollectionEnd);
    }
}

/// A row.
struct Row<'a> {
    sequence: u64,
    free: Option<u64>,
    size: u64,
    ty: Option<&'a str>,
    object: ObjectId,
    thread: Option<ThreadId>,
}

impl Columns {
    fn of(names: &[String]) -> Result<Self, OracleFault> {
        let column = |name: &str| names.iter().position(|found| found.trim() == name);
        let needed = |name: &'static str| column(name).ok_or(OracleFault::NoColumn(name));
        Ok(Self {
            count: names.len(),
            allocation: needed("alloc_seq")?,
            free: needed("free_at_seq")?,
            size: needed("size")?,
            ty: column("type"),
            object: column("obj_id"),
            thread: column("thread"),
        })
    }

    fn row<'a>(&self, fields: &'a [String]) -> Result<Row<'a>, OracleFault> {
        let field = |at: usize| fields.get(at).map_or("", String::as_str);
        let number = |at: usize, column: &'static str| {
            let text = field(at).trim();
            text.parse::<u64>().map_err(|_| OracleFault::Number {
                column,
                text: text.chars().take(40).collect(),
            })
        };
        let out_of_range = |column: &'static str, value: u64| OracleFault::Number {
            column,
            text: value.to_string(),
        };
        let sequence = number(self.allocation, "alloc_seq")?;
        let free = match field(self.free).trim().is_empty() {
            true => None,
            false => Some(number(self.free, "free_at_seq")?),
        };
        if let Some(free) = free.filter(|free| *free <= sequence) {
            return Err(OracleFault::FreedEarly {
                free,
                born: sequence,
            });
        }
        let object = match self.object {
            Some(at) => number(at, "obj_id")?,
            None => sequence,
        };
        let thread = self.thread.filter(|at| !field(*at).trim().is_empty());
        let thread = thread.map(|at| number(at, "thread")).transpose()?;
        Ok(Row {
            sequence,
            free,
            size: number(self.size, "size")?,
            ty: self.ty.map(field),
            object: ObjectId::new(object).ok_or_else(|| out_of_range("obj_id", object))?,
            thread: thread
                .map(|thread| u32::try_from(thread).map_err(|_| out_of_range("thread", thread)))
                .transpose()?
                .map(ThreadId),
        })
    }
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Result<Vec<String>, OracleFault> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (field, after) = rest.split_at(end);
                (field.to_owned(), after)
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(fields),
        }
    }
}

/// A field after its first quote, and what comes after its last.
fn quoted_field(rest: &str) -> Result<(String, &str), OracleFault> {
    let mut field = String::new();
    let mut rest = rest;
    loop {
        let (text, after) = rest.split_once('"').ok_or(OracleFault::Quote)?;
        field.push_str(text);
        match after.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Ok((field, after)),
        }
    }
}
