//! Lines to records. Deaths that follow each other are one collection that found these objects: they died together.

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::elephant::ElephantForm;
use crate::stream::record::{
    Allocation, Definition, MethodId, ObjectId, Record, RootKind, SiteId, SlotId, ThreadId, TypeId,
};

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}: {text}")]
pub struct ElephantError {
    /// Its number, from 1.
    pub line: u64,
    /// The fault.
    pub fault: ElephantFault,
    /// The line; the first 200 bytes.
    pub text: String,
}

/// The fault of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ElephantFault {
    /// The first letter.
    #[error("not a record of Elephant Tracks")]
    Letter,
    /// Fewer or more fields.
    #[error("fields are missing or left over")]
    Fields,
    /// A field that is no number of its range.
    #[error("a field is not a number, or out of range")]
    Number,
}

/// Reads line after line.
#[derive(Debug)]
pub struct ElephantReader {
    form: ElephantForm,
    line: u64,
    collections: u64,
    /// A collection that began and has no end yet.
    is_collecting: bool,
    thread: Option<ThreadId>,
    ids: Numbering,
    types: FxHashMap<String, TypeId>,
    threads: FxHashMap<u64, ThreadId>,
}

/// Ids of the file to ids of the stream: identity hashes and addresses may come again, ids of a stream may not.
#[derive(Debug, Default)]
struct Numbering {
    current: FxHashMap<u64, ObjectId>,
    last: u64,
}

impl ElephantReader {
    /// Reads this form.
    #[must_use]
    pub fn new(form: ElephantForm) -> Self {
        Self {
            form,
            line: 0,
            collections: 0,
            is_collecting: false,
            thread: None,
            ids: Numbering::default(),
            types: FxHashMap::default(),
            threads: FxHashMap::default(),
        }
    }

    /// Appends the records of a line; none for empty lines and comments (`#`).
    ///
    /// # Errors
    /// When it is no record; then nothing is appended.
    pub fn line(&mut self, line: &str, out: &mut Vec<Record>) -> Result<(), ElephantError> {
        self.line += 1;
        let from = out.len() + usize::from(self.is_collecting && !line.starts_with('D'));
        self.read(line, out).map_err(|fault| {
            out.truncate(from);
            let shown = line.trim_end();
            let ends = shown
                .char_indices()
                .map(|(at, letter)| at + letter.len_utf8());
            let end = ends.take_while(|end| *end <= 200).last();
            ElephantError {
                line: self.line,
                fault,
                text: shown.get(..end.unwrap_or(0)).unwrap_or_default().to_owned(),
            }
        })
    }

    /// The end of the text: a collection may have no end yet.
    pub fn finish(&mut self, out: &mut Vec<Record>) {
        if std::mem::take(&mut self.is_collecting) {
            out.push(Record::CollectionEnd);
        }
    }

    /// Flat: one arm per letter.
    fn read(&mut self, line: &str, out: &mut Vec<Record>) -> Result<(), ElephantFault> {
        let mut fields: Vec<&str> = line.split_whitespace().collect();
        let Some(letter) = fields.first().copied() else {
            return Ok(());
        };
        if letter.starts_with('#') {
            return Ok(());
        }
        fields.remove(0);
        if letter != "D" {
            self.finish(out);
        }
        let is_first = self.form == ElephantForm::Et1;
        match letter {
            "N" | "A" | "I" | "P" | "V" => {
                let [id, size, ty, site, length, last] = exactly(&fields)?;
                self.thread(last, out)?;
                let length = self.number(length)?;
                let allocation = Allocation {
                    object: self.ids.begin(self.number(id)?),
                    bytes: self.number(size)?,
                    length: (letter == "A").then_some(length),
                    ty: self.ty(ty, out),
                    site: SiteId(self.small(site)?),
                };
                out.push(Record::Allocation(allocation));
            }
            "U" if is_first => {
                let (fields, field) = match fields.as_slice() {
                    [old, source, new, field, thread] => ([*old, *source, *new, *thread], *field),
                    _ => (exactly(&fields)?, "0"),
                };
                let [old, source, new, thread] = fields;
                self.thread(thread, out)?;
                let (source, slot) = (self.object(source)?, self.slot(field)?);
                let (old, new) = (self.object(old)?, self.object(new)?);
                out.push(Record::Update {
                    source,
                    slot,
                    old,
                    new,
                });
            }
            "U" => {
                let [source, new, field, _] = exactly(&fields)?;
                let (source, slot) = (self.object(source)?, self.slot(field)?);
                let new = self.object(new)?;
                out.push(Record::Store { source, slot, new });
            }
            "M" => {
                let [method, receiver, last] = exactly(&fields)?;
                self.thread(last, out)?;
                let (method, receiver) = (self.method(method)?, self.object(receiver)?);
                out.push(Record::Entry { method, receiver });
            }
            "E" => {
                let (method, receiver, last) = match (is_first, fields.as_slice()) {
                    (true, [method, receiver, last]) => (*method, *receiver, *last),
                    (false, [method, last]) => (*method, "0", *last),
                    _ => return Err(ElephantFault::Fields),
                };
                self.thread(last, out)?;
                let (method, receiver) = (self.method(method)?, self.living(receiver)?);
                out.push(Record::Exit { method, receiver });
            }
            "X" => {
                let [method, receiver, exception, last] = exactly(&fields)?;
                self.thread(last, out)?;
                let (method, receiver) = (self.method(method)?, self.living(receiver)?);
                let exception = self.object(exception)?;
                out.push(Record::ExceptionalExit {
                    method,
                    receiver,
                    exception,
                });
            }
            // Thrown and handled exceptions: the object is in hand.
            "T" | "H" => {
                let [_, _, exception, last] = exactly(&fields)?;
                self.thread(last, out)?;
                out.extend(self.object(exception)?.map(Record::Use));
            }
            "R" if is_first => {
                let [object, last] = exactly(&fields)?;
                self.thread(last, out)?;
                let kind = RootKind::Stack;
                out.extend(
                    self.object(object)?
                        .map(|object| Record::Root { kind, object }),
                );
            }
            "D" => {
                let id = match (is_first, fields.as_slice()) {
                    (true, [id, _]) | (false, [id, _, _]) => *id,
                    _ => return Err(ElephantFault::Fields),
                };
                let id = self.number(id)?;
                self.dead(id, out);
            }
            _ => return Err(ElephantFault::Letter),
        }
        Ok(())
    }

    fn dead(&mut self, id: u64, out: &mut Vec<Record>) {
        if !std::mem::replace(&mut self.is_collecting, true) {
            self.collections += 1;
            out.push(Record::Collection {
                number: self.collections,
                complete: false,
            });
        }
        out.extend(self.ids.end(id).map(Record::Dead));
    }

    fn number(&self, field: &str) -> Result<u64, ElephantFault> {
        let radix = match self.form {
            ElephantForm::Et1 => 16,
            ElephantForm::Et3 => 10,
        };
        u64::from_str_radix(field, radix).map_err(|_| ElephantFault::Number)
    }

    fn small(&self, field: &str) -> Result<u32, ElephantFault> {
        u32::try_from(self.number(field)?).map_err(|_| ElephantFault::Number)
    }

    fn slot(&self, field: &str) -> Result<SlotId, ElephantFault> {
        self.small(field).map(SlotId)
    }

    fn method(&self, field: &str) -> Result<MethodId, ElephantFault> {
        self.small(field).map(MethodId)
    }

    fn object(&mut self, field: &str) -> Result<Option<ObjectId>, ElephantFault> {
        let id = self.number(field)?;
        Ok((id != 0).then(|| self.ids.of(id)))
    }

    /// The receiver of a method that ends, unless it died within.
    fn living(&self, field: &str) -> Result<Option<ObjectId>, ElephantFault> {
        let id = self.number(field)?;
        Ok(self.ids.current.get(&id).copied())
    }

    /// ET1's last field. ET3 has a time there, which the stream has by itself.
    fn thread(&mut self, field: &str, out: &mut Vec<Record>) -> Result<(), ElephantFault> {
        let number = self.number(field)?;
        if self.form == ElephantForm::Et3 {
            return Ok(());
        }
        let next = ThreadId(self.threads.len() as u32 + 1);
        let thread = *self.threads.entry(number).or_insert_with(|| {
            out.push(Record::Definition(Box::new(Definition::Thread {
                thread: next,
                name: format!("thread {number:x}"),
            })));
            next
        });
        if self.thread != Some(thread) {
            self.thread = Some(thread);
            out.push(Record::Thread(thread));
        }
        Ok(())
    }

    fn ty(&mut self, name: &str, out: &mut Vec<Record>) -> TypeId {
        if let Some(ty) = self.types.get(name) {
            return *ty;
        }
        let ty = TypeId(self.types.len() as u32 + 1);
        self.types.insert(name.to_owned(), ty);
        out.push(Record::Definition(Box::new(Definition::Type {
            ty,
            name: name.to_owned(),
        })));
        ty
    }
}

impl Numbering {
    fn begin(&mut self, id: u64) -> ObjectId {
        self.last += 1;
        // Lines of a file are fewer than 2^62.
        let object = ObjectId::new(self.last).unwrap_or(ObjectId::FIRST);
        self.current.insert(id, object);
        object
    }

    /// An object that was never allocated gets an id, too: the stream's checks count it.
    fn of(&mut self, id: u64) -> ObjectId {
        match self.current.get(&id) {
            Some(object) => *object,
            None => self.begin(id),
        }
    }

    fn end(&mut self, id: u64) -> Option<ObjectId> {
        self.current.remove(&id)
    }
}

fn exactly<'a, const N: usize>(fields: &[&'a str]) -> Result<[&'a str; N], ElephantFault> {
    fields.try_into().map_err(|_| ElephantFault::Fields)
}
