//! Bytes to records, within one block: the inverse of the encoder.

use crate::stream::encoder::BlockState;
use crate::stream::error::RecordFault;
use crate::stream::record::{
    Allocation, Definition, MethodId, ObjectId, Reading, Record, RootKind, SiteId, SlotId,
    ThreadId, Time, TypeId,
};
use crate::stream::tag;
use crate::stream::varint::{take, unzigzag};

/// Reads the records of one block.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'a> {
    rest: &'a [u8],
    state: BlockState,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(records: &'a [u8], state: BlockState) -> Self {
        Self {
            rest: records,
            state,
        }
    }

    pub(crate) fn state(&self) -> BlockState {
        self.state
    }

    /// The next record; `None` at the end of the block. Records that are not known are stepped over.
    #[inline]
    pub(crate) fn next_record(&mut self) -> Result<Option<Record>, RecordFault> {
        loop {
            let Some((tag, rest)) = self.rest.split_first() else {
                return Ok(None);
            };
            self.rest = rest;
            if *tag >= tag::FIRST_SKIPPABLE {
                if let Some(definition) = self.skippable(*tag)? {
                    return Ok(Some(Record::Definition(Box::new(definition))));
                }
                continue;
            }
            let record = self.fixed(*tag)?;
            if record.is_event() {
                self.state.time = self.state.time.checked_add(1).ok_or(RecordFault::Clock)?;
            }
            return Ok(Some(record));
        }
    }

    /// Flat: one arm per tag.
    #[inline]
    fn fixed(&mut self, tag: u8) -> Result<Record, RecordFault> {
        Ok(match tag {
            tag::ALLOCATION => Record::Allocation(self.allocation()?),
            tag::UPDATE => Record::Update {
                source: self.object()?,
                slot: SlotId(self.small()?),
                old: self.object()?,
                new: self.object()?,
            },
            tag::STORE => Record::Store {
                source: self.object()?,
                slot: SlotId(self.small()?),
                new: self.object()?,
            },
            tag::USE => Record::Use(self.named()?),
            tag::ROOT => {
                let kind = self.number()?;
                Record::Root {
                    kind: RootKind::of(kind).ok_or(RecordFault::Root(kind))?,
                    object: self.named()?,
                }
            }
            tag::ENTRY => Record::Entry {
                method: MethodId(self.small()?),
                receiver: self.object()?,
            },
            tag::EXIT => Record::Exit {
                method: MethodId(self.small()?),
                receiver: self.object()?,
            },
            tag::EXCEPTIONAL_EXIT => Record::ExceptionalExit {
                method: MethodId(self.small()?),
                receiver: self.object()?,
                exception: self.object()?,
            },
            tag::THREAD => Record::Thread(ThreadId(self.small()?)),
            tag::TICK => self.tick()?,
            tag::COLLECTION => {
                let flags = self.number()?;
                Record::Collection {
                    complete: match flags {
                        0 | 1 => flags == 1,
                        _ => return Err(RecordFault::Flags(flags)),
                    },
                    number: self.number()?,
                }
            }
            tag::DEAD => Record::Dead(self.named()?),
            tag::KEPT => Record::Kept(self.named()?),
            tag::STAMP => Record::Stamp {
                object: self.named()?,
                used: self.stamp()?,
                lost: self.stamp()?,
            },
            tag::REFERENCE => Record::Reference {
                slot: SlotId(self.small()?),
                target: self.named()?,
            },
            tag::COLLECTION_END => Record::CollectionEnd,
            _ => return Err(RecordFault::Tag(tag)),
        })
    }

    fn allocation(&mut self) -> Result<Allocation, RecordFault> {
        let step = i128::from(unzigzag(self.number()?));
        let object = object(i128::from(self.state.latest) + 1 + step)?;
        let allocation = Allocation {
            object,
            ty: TypeId(self.small()?),
            site: SiteId(self.small()?),
            bytes: self.number()?,
            length: self.number()?.checked_sub(1),
        };
        self.state.latest = object.get();
        Ok(allocation)
    }

    fn tick(&mut self) -> Result<Record, RecordFault> {
        let mask = self.number()?;
        if mask > 7 {
            return Err(RecordFault::Flags(mask));
        }
        let advance = self.number()?;
        let time = self.state.time.checked_add(advance);
        self.state.time = time.ok_or(RecordFault::Clock)?;
        Ok(Record::Tick {
            advance,
            reading: Reading {
                bytes: self.clock(mask, 0)?,
                calls: self.clock(mask, 1)?,
                micros: self.clock(mask, 2)?,
            },
        })
    }

    fn clock(&mut self, mask: u64, bit: usize) -> Result<Option<u64>, RecordFault> {
        if mask & (1 << bit) == 0 {
            return Ok(None);
        }
        let step = self.number()?;
        let Some(last) = self.state.clocks.get_mut(bit) else {
            return Ok(None);
        };
        *last = last.checked_add(step).ok_or(RecordFault::Clock)?;
        Ok(Some(*last))
    }

    fn stamp(&mut self) -> Result<Option<Time>, RecordFault> {
        let Some(back) = self.number()?.checked_sub(1) else {
            return Ok(None);
        };
        let stamp = self.state.time.checked_sub(back);
        stamp.map(Some).ok_or(RecordFault::Stamp(back))
    }

    #[inline]
    fn number(&mut self) -> Result<u64, RecordFault> {
        take(&mut self.rest).ok_or(RecordFault::Cut)
    }

    #[inline]
    fn small(&mut self) -> Result<u32, RecordFault> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| RecordFault::Number(number))
    }

    #[inline]
    fn object(&mut self) -> Result<Option<ObjectId>, RecordFault> {
        let Some(back) = self.number()?.checked_sub(1) else {
            return Ok(None);
        };
        let id = i128::from(self.state.latest) - i128::from(unzigzag(back));
        object(id).map(Some)
    }

    fn named(&mut self) -> Result<ObjectId, RecordFault> {
        self.object()?.ok_or(RecordFault::Object(0))
    }

    /// A record with its length: a definition, or `None` for one that is not known.
    fn skippable(&mut self, tag: u8) -> Result<Option<Definition>, RecordFault> {
        let length = self.number()?;
        let length = usize::try_from(length).map_err(|_| RecordFault::Cut)?;
        let (content, rest) = self.rest.split_at_checked(length).ok_or(RecordFault::Cut)?;
        self.rest = rest;
        Content(content).definition(tag)
    }
}

fn object(id: i128) -> Result<ObjectId, RecordFault> {
    u64::try_from(id)
        .ok()
        .and_then(ObjectId::new)
        .ok_or(RecordFault::Object(id))
}

/// The bytes of one definition. Bytes after the known fields are of later versions, and ignored.
struct Content<'a>(&'a [u8]);

impl Content<'_> {
    fn definition(mut self, tag: u8) -> Result<Option<Definition>, RecordFault> {
        Ok(Some(match tag {
            tag::FACT => Definition::Fact {
                key: self.text()?,
                value: self.text()?,
            },
            tag::TYPE => Definition::Type {
                ty: TypeId(self.small()?),
                name: self.text()?,
            },
            tag::METHOD => Definition::Method {
                method: MethodId(self.small()?),
                class: self.text()?,
                name: self.text()?,
                file: self.text()?,
            },
            tag::SITE => Definition::Site {
                site: SiteId(self.small()?),
                method: MethodId(self.small()?),
                line: self.small()?,
                caller: SiteId(self.small()?),
            },
            tag::THREAD_NAME => Definition::Thread {
                thread: ThreadId(self.small()?),
                name: self.text()?,
            },
            _ => return Ok(None),
        }))
    }

    fn small(&mut self) -> Result<u32, RecordFault> {
        let number = take(&mut self.0).ok_or(RecordFault::Cut)?;
        u32::try_from(number).map_err(|_| RecordFault::Number(number))
    }

    fn text(&mut self) -> Result<String, RecordFault> {
        let length = take(&mut self.0).ok_or(RecordFault::Cut)?;
        let length = usize::try_from(length).map_err(|_| RecordFault::Cut)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(RecordFault::Cut)?;
        self.0 = rest;
        let text = std::str::from_utf8(text).map_err(|_| RecordFault::Name)?;
        Ok(text.to_owned())
    }
}
