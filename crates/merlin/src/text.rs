//! The stream as text, one record a line, for tests and for looking at one.
//!
//! ```text
//! new 1 type=1 site=1 bytes=24          new 2 type=2 site=1 bytes=40 length=3
//! set 1.0 = 2 was -                     object 1, slot 0: refers to object 2 now, to nothing before; globals are -.0
//! store 1.0 = 2                         the same; the old value is not stated
//! use 2                                 root global 2
//! enter 3 on 1                          exit 3 on 1              throw 3 on 1 with 2
//! thread 1                              tick 5 bytes=64 calls=2 micros=100
//! collect 1 complete                    dead 2    kept 1    stamp 2 used=4 lost=-    ref 0 = 1    end
//! fact level<TAB>full                   type 1<TAB>Node          method 3<TAB>Cache<TAB>get<TAB>Cache.java
//! site 1 method=3 line=17 caller=0      name 1<TAB>main          the name of thread 1
//! ```
//!
//! Empty lines and what follows `#` at the start of a line are skipped. Tabs and line ends within names become spaces.

use std::fmt::Write;

use thiserror::Error;

use crate::stream::record::{
    Allocation, Definition, MethodId, ObjectId, Reading, Record, RootKind, SiteId, SlotId,
    ThreadId, TypeId,
};

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}: {text}")]
pub struct TextError {
    /// Its number, from 1.
    pub line: usize,
    /// The fault.
    pub fault: TextFault,
    /// The line.
    pub text: String,
}

/// The fault of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextFault {
    /// The first word.
    #[error("not the name of a record")]
    Name,
    /// A number, or what stands in its place.
    #[error("a number is missing or out of range")]
    Number,
    /// A word that must be there.
    #[error("a word is missing")]
    Word,
}

/// The record as a line, without its end.
#[must_use]
pub fn record_to_text(record: &Record) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_record(&mut out, record);
    out
}

fn write_record(out: &mut String, record: &Record) -> std::fmt::Result {
    match record {
        Record::Allocation(one) => {
            let (object, ty, site) = (one.object.get(), one.ty.0, one.site.0);
            write!(
                out,
                "new {object} type={ty} site={site} bytes={}",
                one.bytes
            )?;
            match one.length {
                Some(length) => write!(out, " length={length}"),
                None => Ok(()),
            }
        }
        Record::Update {
            source,
            slot,
            old,
            new,
        } => {
            let (source, old, new) = (name(*source), name(*old), name(*new));
            write!(out, "set {source}.{} = {new} was {old}", slot.0)
        }
        Record::Store { source, slot, new } => {
            write!(out, "store {}.{} = {}", name(*source), slot.0, name(*new))
        }
        Record::Use(object) => write!(out, "use {}", object.get()),
        Record::Root { kind, object } => {
            write!(out, "root {} {}", root_word(*kind), object.get())
        }
        Record::Entry { method, receiver } => {
            write!(out, "enter {} on {}", method.0, name(*receiver))
        }
        Record::Exit { method, receiver } => {
            write!(out, "exit {} on {}", method.0, name(*receiver))
        }
        Record::ExceptionalExit {
            method,
            receiver,
            exception,
        } => {
            let (receiver, exception) = (name(*receiver), name(*exception));
            write!(out, "throw {} on {receiver} with {exception}", method.0)
        }
        Record::Thread(thread) => write!(out, "thread {}", thread.0),
        Record::Tick { advance, reading } => {
            write!(out, "tick {advance}")?;
            let clocks = [
                ("bytes", reading.bytes),
                ("calls", reading.calls),
                ("micros", reading.micros),
            ];
            clocks.iter().try_for_each(|(clock, value)| match value {
                Some(value) => write!(out, " {clock}={value}"),
                None => Ok(()),
            })
        }
        Record::Collection { number, complete } => {
            let scope = if *complete { "complete" } else { "partial" };
            write!(out, "collect {number} {scope}")
        }
        Record::Dead(object) => write!(out, "dead {}", object.get()),
        Record::Kept(object) => write!(out, "kept {}", object.get()),
        Record::Stamp { object, used, lost } => {
            let time = |time: &Option<u64>| time.map_or("-".to_owned(), |time| time.to_string());
            let object = object.get();
            write!(
                out,
                "stamp {object} used={} lost={}",
                time(used),
                time(lost)
            )
        }
        Record::Reference { slot, target } => write!(out, "ref {} = {}", slot.0, target.get()),
        Record::CollectionEnd => write!(out, "end"),
        Record::Definition(definition) => write_definition(out, definition),
    }
}

fn write_definition(out: &mut String, definition: &Definition) -> std::fmt::Result {
    match definition {
        Definition::Fact { key, value } => write!(out, "fact {}\t{}", plain(key), plain(value)),
        Definition::Type { ty, name } => write!(out, "type {}\t{}", ty.0, plain(name)),
        Definition::Method {
            method,
            class,
            name,
            file,
        } => {
            let (class, name, file) = (plain(class), plain(name), plain(file));
            write!(out, "method {}\t{class}\t{name}\t{file}", method.0)
        }
        Definition::Site {
            site,
            method,
            line,
            caller,
        } => write!(
            out,
            "site {} method={} line={line} caller={}",
            site.0, method.0, caller.0
        ),
        Definition::Thread { thread, name } => write!(out, "name {}\t{}", thread.0, plain(name)),
    }
}

fn plain(name: &str) -> String {
    name.replace(['\t', '\n', '\r'], " ")
}

fn name(object: Option<ObjectId>) -> String {
    object.map_or_else(|| "-".to_owned(), |object| object.get().to_string())
}

fn root_word(kind: RootKind) -> &'static str {
    match kind {
        RootKind::Stack => "stack",
        RootKind::Global => "global",
        RootKind::Native => "native",
        RootKind::Runtime => "runtime",
    }
}

/// All records of a text.
///
/// # Errors
/// At the first line that is no record.
pub fn records_from_text(text: &str) -> Result<Vec<Record>, TextError> {
    let mut records = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_end_matches([' ', '\r']);
        if trimmed.trim().is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let record = Line::new(trimmed).record().map_err(|fault| TextError {
            line: at + 1,
            fault,
            text: trimmed.to_owned(),
        })?;
        records.push(record);
    }
    Ok(records)
}

/// One line: its words, and its names after tabs.
struct Line<'a> {
    words: std::str::SplitWhitespace<'a>,
    names: std::str::Split<'a, char>,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let mut names = line.split('\t');
        let words = names.next().unwrap_or_default().split_whitespace();
        Self { words, names }
    }

    /// Flat: one arm per record.
    fn record(mut self) -> Result<Record, TextFault> {
        Ok(match self.word()? {
            "new" => Record::Allocation(Allocation {
                object: self.object()?,
                ty: TypeId(self.pair("type")?),
                site: SiteId(self.pair("site")?),
                bytes: self.pair("bytes")?,
                length: self.optional_pair("length")?,
            }),
            "set" => {
                let (source, slot) = self.place()?;
                let new = self.after("=")?;
                let old = self.after("was")?;
                Record::Update {
                    source,
                    slot,
                    old,
                    new,
                }
            }
            "store" => {
                let (source, slot) = self.place()?;
                let new = self.after("=")?;
                Record::Store { source, slot, new }
            }
            "use" => Record::Use(self.object()?),
            "root" => Record::Root {
                kind: self.root()?,
                object: self.object()?,
            },
            "enter" => Record::Entry {
                method: MethodId(self.number()?),
                receiver: self.after("on")?,
            },
            "exit" => Record::Exit {
                method: MethodId(self.number()?),
                receiver: self.after("on")?,
            },
            "throw" => Record::ExceptionalExit {
                method: MethodId(self.number()?),
                receiver: self.after("on")?,
                exception: self.after("with")?,
            },
            "thread" => Record::Thread(ThreadId(self.number()?)),
            "tick" => Record::Tick {
                advance: self.number()?,
                reading: Reading {
                    bytes: self.optional_pair("bytes")?,
                    calls: self.optional_pair("calls")?,
                    micros: self.optional_pair("micros")?,
                },
            },
            "collect" => Record::Collection {
                number: self.number()?,
                complete: match self.word()? {
                    "complete" => true,
                    "partial" => false,
                    _ => return Err(TextFault::Word),
                },
            },
            "dead" => Record::Dead(self.object()?),
            "kept" => Record::Kept(self.object()?),
            "stamp" => Record::Stamp {
                object: self.object()?,
                used: self.time("used")?,
                lost: self.time("lost")?,
            },
            "ref" => Record::Reference {
                slot: SlotId(self.number()?),
                target: self.after("=")?.ok_or(TextFault::Number)?,
            },
            "end" => Record::CollectionEnd,
            word => Record::Definition(Box::new(self.definition(word)?)),
        })
    }

    fn definition(mut self, word: &str) -> Result<Definition, TextFault> {
        Ok(match word {
            "fact" => Definition::Fact {
                key: self.word()?.to_owned(),
                value: self.name()?,
            },
            "type" => Definition::Type {
                ty: TypeId(self.number()?),
                name: self.name()?,
            },
            "method" => Definition::Method {
                method: MethodId(self.number()?),
                class: self.name()?,
                name: self.name()?,
                file: self.name()?,
            },
            "site" => Definition::Site {
                site: SiteId(self.number()?),
                method: MethodId(self.pair("method")?),
                line: self.pair("line")?,
                caller: SiteId(self.pair("caller")?),
            },
            "name" => Definition::Thread {
                thread: ThreadId(self.number()?),
                name: self.name()?,
            },
            _ => return Err(TextFault::Name),
        })
    }

    fn word(&mut self) -> Result<&'a str, TextFault> {
        self.words.next().ok_or(TextFault::Word)
    }

    fn name(&mut self) -> Result<String, TextFault> {
        self.names.next().map(str::to_owned).ok_or(TextFault::Word)
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N, TextFault> {
        self.word()?.parse().map_err(|_| TextFault::Number)
    }

    fn object(&mut self) -> Result<ObjectId, TextFault> {
        object(self.word()?)?.ok_or(TextFault::Number)
    }

    fn after(&mut self, word: &str) -> Result<Option<ObjectId>, TextFault> {
        if self.word()? != word {
            return Err(TextFault::Word);
        }
        object(self.word()?)
    }

    fn place(&mut self) -> Result<(Option<ObjectId>, SlotId), TextFault> {
        let (source, slot) = self.word()?.split_once('.').ok_or(TextFault::Number)?;
        let slot = slot.parse().map_err(|_| TextFault::Number)?;
        Ok((object(source)?, SlotId(slot)))
    }

    fn root(&mut self) -> Result<RootKind, TextFault> {
        let word = self.word()?;
        let mut kinds = RootKind::ALL.into_iter();
        kinds
            .find(|kind| root_word(*kind) == word)
            .ok_or(TextFault::Word)
    }

    fn pair<N: std::str::FromStr>(&mut self, key: &str) -> Result<N, TextFault> {
        self.optional_pair(key)?.ok_or(TextFault::Word)
    }

    /// The value, if `key=value` is the next word.
    fn optional_pair<N: std::str::FromStr>(&mut self, key: &str) -> Result<Option<N>, TextFault> {
        let mut ahead = self.words.clone();
        let Some(value) = ahead.next().and_then(|word| word.strip_prefix(key)) else {
            return Ok(None);
        };
        let value = value.strip_prefix('=').ok_or(TextFault::Word)?;
        self.words = ahead;
        value.parse().map(Some).map_err(|_| TextFault::Number)
    }

    fn time(&mut self, key: &str) -> Result<Option<u64>, TextFault> {
        match self.pair::<String>(key)?.as_str() {
            "-" => Ok(None),
            time => time.parse().map(Some).map_err(|_| TextFault::Number),
        }
    }
}

fn object(word: &str) -> Result<Option<ObjectId>, TextFault> {
    if word == "-" {
        return Ok(None);
    }
    let id = word.parse().map_err(|_| TextFault::Number)?;
    ObjectId::new(id).map(Some).ok_or(TextFault::Number)
}
