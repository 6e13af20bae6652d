//! Events that only `mode=full` records: updates of references, and calls.
//!
//! A *reference* in a payload is the value in the field: one word with compressed references, two words otherwise; 0 is null
//! ([`ReferenceLayout`] gives the address). The number of words distinguishes the two.
//!
//! | extended op | name | payload | meaning |
//! |---|---|---|---|
//! | 0x0001 | vm bytes | bytes u64 | the VM or native code allocated these bytes since the last event |
//! | 0x0200 | update | slot, source, old, new | a field or an element was changed |
//! | 0x0201 | static update | number, old, new | a static field ([`StaticField`](crate::StaticField)) was changed |
//! | 0x0202 | enter | method number, receiver (none for static methods) | a method ([`CalledMethod`](crate::CalledMethod)) is entered |
//! | 0x0203 | exit | method number | a method returns |
//! | 0x0204 | thrown | method number, exception | an exception leaves a method |
//! | 0x0E00 + number / 4096 | bare exit | nothing | like 0x0203 for numbers below 0x100000; the word's lower 12 bits are those of the number |
//! | 0x0F00 + number / 4096 | bare enter | nothing | like 0x0202 without a receiver, in the same way |
//! | 0x1000 + number | short exit | nothing | before version 3: like 0x0203 for numbers below 0x3000 |
//! | 0x4000 + slot | short update | source, new | like 0x0200 for slots below 0x4000, if the old value is null |
//! | 0x4000 + slot | short update | source, old, new | the same with an old value |
//! | 0x8000 + number | short enter | receiver (nothing: before version 3) | like 0x0202 for numbers below 0x8000 |
//!
//! A slot is the distance from the start of the object, in units of 4 bytes.
//!
//! *The epoch of the addresses.* It is that of the last `cut` word before the record in its thread's stream, in this piece or in an earlier
//! one ([`DecodedPiece::seen`](crate::DecodedPiece)). A thread can be stopped between reading its objects and recording them, for several
//! collections; only its next `cut` shows that it has noticed them. So a reader translates an address through all collections from that
//! epoch on.
//!
//! FORMAT.md has a worked example.

use ducktrack_probe_vocabulary::event_word::extended::{
    ENTER, EXIT, FIRST_BARE_ENTER, FIRST_BARE_EXIT, FIRST_SHORT_ENTER, FIRST_SHORT_EXIT,
    FIRST_SHORT_UPDATE, STATIC_UPDATE, THROWN, UPDATE, VM_BYTES,
};

use crate::event_word::{bare_method, extended_payload};
use crate::word_reader::Words;
use crate::{Event, FormatError};

/// How references in fields are encoded.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ReferenceLayout {
    /// The address of a compressed reference `n` is `base + (n << shift)`.
    pub base: u64,
    /// See `base`.
    pub shift: u8,
}

impl ReferenceLayout {
    /// The address that a compressed reference stands for; 0 for null.
    pub fn address(self, narrow: u32) -> u64 {
        let units = u64::from(narrow).wrapping_shl(self.shift.into());
        if narrow == 0 {
            return 0;
        }
        self.base.wrapping_add(units)
    }
}

/// A reference in an object was changed. The head of `witness_event.rs` defines the epoch of the addresses; 0 is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The object.
    pub source: u64,
    /// The field or element, in units of 4 bytes from the object's start.
    pub slot: u32,
    /// The value that the thread read just before.
    pub old: u64,
    /// The new value.
    pub new: u64,
    /// The epoch of these addresses; `None`: that of the last `cut` in an earlier piece of the thread.
    pub seen: Option<u32>,
}

/// A static field was changed; see [`Update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticUpdate {
    /// Number of the field, see [`StaticField`](crate::StaticField).
    pub field: u32,
    /// The old value.
    pub old: u64,
    /// The new value.
    pub new: u64,
    /// The epoch of these addresses.
    pub seen: Option<u32>,
}

/// A method is entered, or left by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodEvent {
    /// Number of the method, see [`CalledMethod`](crate::CalledMethod).
    pub method: u32,
    /// The receiver of the call (0 for static methods), or the exception that leaves the method.
    pub object: u64,
    /// The epoch of the address.
    pub seen: Option<u32>,
}

/// Whether the word begins a record of an update or a call.
#[inline]
pub(crate) fn is_record(operation: u16) -> bool {
    operation >= UPDATE && (operation <= THROWN || operation >= FIRST_BARE_EXIT)
}

/// The event of the word of an extended operation, if it is one of these; consumes the whole payload.
pub(crate) fn decode(
    word: u32,
    words: &mut Words<'_>,
    (layout, seen): (ReferenceLayout, Option<u32>),
) -> Result<Option<Event>, FormatError> {
    let mut payload = Payload {
        words,
        left: extended_payload(word) as u32,
        layout,
    };
    let event = payload.event(word, seen)?;
    let left = payload.left;
    words.step_over(left)?;
    Ok(event)
}

struct Payload<'w, 'a> {
    words: &'w mut Words<'a>,
    left: u32,
    layout: ReferenceLayout,
}

impl Payload<'_, '_> {
    fn event(&mut self, word: u32, seen: Option<u32>) -> Result<Option<Event>, FormatError> {
        let (operation, length) = ((word >> 12) as u16, self.left);
        Ok(Some(match (operation, length) {
            (VM_BYTES, 2..) => Event::Gap {
                bytes: self.wide()?,
            },
            (UPDATE, 4..) => {
                let slot = self.word()?;
                let [source, old, new] = self.references(length >= 7)?;
                Event::Update(Update {
                    source,
                    slot,
                    old,
                    new,
                    seen,
                })
            }
            (STATIC_UPDATE, 3..) => {
                let field = self.word()?;
                let [old, new] = self.references(length >= 5)?;
                Event::StaticUpdate(StaticUpdate {
                    field,
                    old,
                    new,
                    seen,
                })
            }
            (ENTER, 1..) => {
                let method = self.word()?;
                Event::Enter(self.method(method, length - 1, seen)?)
            }
            (EXIT, 1..) => Event::Exit {
                method: self.word()?,
            },
            (FIRST_BARE_EXIT..FIRST_BARE_ENTER, _) => Event::Exit {
                method: bare_method(word),
            },
            (FIRST_BARE_ENTER..FIRST_SHORT_EXIT, _) => {
                Event::Enter(self.method(bare_method(word), 0, seen)?)
            }
            (FIRST_SHORT_EXIT..FIRST_SHORT_UPDATE, _) => Event::Exit {
                method: (operation - FIRST_SHORT_EXIT).into(),
            },
            (THROWN, 1..) => {
                let method = self.word()?;
                Event::Thrown(self.method(method, length - 1, seen)?)
            }
            (FIRST_SHORT_UPDATE..FIRST_SHORT_ENTER, 2 | 4) => {
                let [source, new] = self.references(length == 4)?;
                Event::Update(Update {
                    source,
                    slot: (operation - FIRST_SHORT_UPDATE).into(),
                    old: 0,
                    new,
                    seen,
                })
            }
            (FIRST_SHORT_UPDATE..FIRST_SHORT_ENTER, 3 | 6) => {
                let [source, old, new] = self.references(length == 6)?;
                Event::Update(Update {
                    source,
                    slot: (operation - FIRST_SHORT_UPDATE).into(),
                    old,
                    new,
                    seen,
                })
            }
            (FIRST_SHORT_ENTER.., _) => {
                let method = u32::from(operation - FIRST_SHORT_ENTER);
                Event::Enter(self.method(method, length, seen)?)
            }
            _ => return Ok(None),
        }))
    }

    /// A method, and an object if words are left.
    fn method(
        &mut self,
        method: u32,
        left: u32,
        seen: Option<u32>,
    ) -> Result<MethodEvent, FormatError> {
        let object = match left {
            0 => 0,
            1 => self.narrow()?,
            _ => self.wide()?,
        };
        Ok(MethodEvent {
            method,
            object,
            seen,
        })
    }

    fn references<const N: usize>(&mut self, wide: bool) -> Result<[u64; N], FormatError> {
        let mut found = [0; N];
        for reference in &mut found {
            *reference = if wide { self.wide()? } else { self.narrow()? };
        }
        Ok(found)
    }

    fn narrow(&mut self) -> Result<u64, FormatError> {
        let narrow = self.word()?;
        Ok(self.layout.address(narrow))
    }

    fn wide(&mut self) -> Result<u64, FormatError> {
        let low = self.word()?;
        let high = self.word()?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    fn word(&mut self) -> Result<u32, FormatError> {
        self.left = self.left.saturating_sub(1);
        self.words.payload()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EventBlock, EventBlockHeader, EventDecoder, EventFlags, EventWords, SiteFacts, SiteId,
        ThreadId,
    };

    struct Facts;

    impl SiteFacts for Facts {
        fn fixed_bytes(&self, _: SiteId) -> Option<u32> {
            Some(24)
        }

        fn is_measured(&self, _: SiteId) -> bool {
            false
        }

        fn references(&self) -> ReferenceLayout {
            ReferenceLayout {
                base: 0x8_0000_0000,
                shift: 3,
            }
        }
    }

    fn decode(words: &EventWords, flags: EventFlags, epoch: u32) -> (Vec<Event>, Option<u32>) {
        let header = EventBlockHeader {
            thread: ThreadId(1),
            epoch,
            begun: 0,
            handed_over: 0,
            flags,
            last_top: 0x1000,
        };
        let mut events = Vec::new();
        let block = EventBlock {
            header,
            words: words.as_bytes(),
        };
        let piece = EventDecoder::new(&Facts)
            .decode(&block, |event| events.push(event))
            .expect("words");
        (events, piece.seen)
    }

    #[test]
    fn every_form_of_an_update_is_the_same_event() {
        let expected = |old: u64| {
            Event::Update(Update {
                source: 0x8_0000_0100,
                slot: 3,
                old,
                new: 0x8_0000_0200,
                seen: None,
            })
        };
        let wide = [0x100, 8, 0x200, 8];
        let forms = [
            EventWords::new().extended(UPDATE, &[3, 0x20, 0, 0x40]),
            EventWords::new().extended(FIRST_SHORT_UPDATE + 3, &[0x20, 0x40]),
            EventWords::new().extended(FIRST_SHORT_UPDATE + 3, &[0x20, 0, 0x40]),
            EventWords::new().extended(FIRST_SHORT_UPDATE + 3, &wide),
            EventWords::new().extended(UPDATE, &[3, 0x100, 8, 0, 0, 0x200, 8]),
        ];
        for words in forms {
            let (events, _) = decode(&words, EventFlags::NONE, 0);
            assert_eq!(events, [expected(0)]);
        }
        let words = EventWords::new()
            .extended(FIRST_SHORT_UPDATE + 3, &[0x20, 0x60, 0x40])
            .extended(FIRST_SHORT_UPDATE + 3, &[0x100, 8, 0x300, 8, 0x200, 8]);
        let (events, _) = decode(&words, EventFlags::NONE, 0);
        assert_eq!(events, [expected(0x8_0000_0300); 2]);
    }

    /// The example of FORMAT.md.
    #[test]
    fn the_documented_example() {
        let page = include_str!("../FORMAT.md");
        let (_, example) = page
            .split_once("## Example of a witness")
            .expect("an example");
        let (_, example) = example.split_once("```text").expect("bytes");
        let (example, _) = example.split_once("```").expect("an end");
        let bytes: Vec<u8> = example
            .lines()
            .flat_map(|line| line.get(..41).unwrap_or(line).split_whitespace())
            .map(|byte| u8::from_str_radix(byte, 16).expect("a byte"))
            .collect();
        let words = EventWords::new()
            .extended(FIRST_SHORT_ENTER + 7, &[0x1000_0203])
            .extended(FIRST_SHORT_UPDATE + 3, &[0x1000_0203, 0x1000_0205])
            .clock(250)
            .bare(FIRST_BARE_EXIT, 7);
        assert_eq!(bytes, words.as_bytes());
    }

    #[test]
    fn calls_and_static_fields() {
        let words = EventWords::new()
            .extended(FIRST_SHORT_ENTER + 7, &[0x20])
            .extended(FIRST_SHORT_ENTER + 8, &[])
            .extended(ENTER, &[0x9000, 0x100, 8])
            .extended(STATIC_UPDATE, &[5, 0x20, 0])
            .extended(THROWN, &[0x9000, 0x40])
            .extended(EXIT, &[8])
            .extended(FIRST_SHORT_EXIT + 7, &[])
            .extended(0x0DFF, &[1, 2, 3])
            .bare(FIRST_BARE_ENTER, 0x9003)
            .bare(FIRST_BARE_EXIT, 0xF_FFFF)
            .bare(FIRST_BARE_ENTER, 0xF_FFFF)
            .bare(FIRST_BARE_EXIT, 0)
            .extended(VM_BYTES, &[24, 0])
            .site(SiteId(16), 3);
        let (events, _) = decode(&words, EventFlags::NONE, 0);
        let method = |method: u32, object: u64| MethodEvent {
            method,
            object,
            seen: None,
        };
        assert_eq!(
            events[..12],
            [
                Event::Enter(method(7, 0x8_0000_0100)),
                Event::Enter(method(8, 0)),
                Event::Enter(method(0x9000, 0x8_0000_0100)),
                Event::StaticUpdate(StaticUpdate {
                    field: 5,
                    old: 0x8_0000_0100,
                    new: 0,
                    seen: None,
                }),
                Event::Thrown(method(0x9000, 0x8_0000_0200)),
                Event::Exit { method: 8 },
                Event::Exit { method: 7 },
                Event::Enter(method(0x9003, 0)),
                Event::Exit { method: 0xF_FFFF },
                Event::Enter(method(0xF_FFFF, 0)),
                Event::Exit { method: 0 },
                Event::Gap { bytes: 24 },
            ]
        );
        assert!(matches!(events[12..], [Event::Allocation(_)]));
    }

    #[test]
    fn addresses_are_of_the_epoch_of_the_last_cut() {
        let update = |words: EventWords| words.extended(FIRST_SHORT_UPDATE + 3, &[0x20, 0x40]);
        let words = update(update(update(EventWords::new()).cut(5001)).cut(5003));
        let (events, seen) = decode(&words, EventFlags::AFTER_CUT, 5003);
        let epochs = events.iter().map(|event| match event {
            Event::Update(update) => update.seen,
            other => panic!("{other:?}"),
        });
        assert_eq!(epochs.collect::<Vec<_>>(), [None, Some(5001), Some(5003)]);
        assert_eq!(seen, Some(5003));
        let (_, seen) = decode(&update(EventWords::new()), EventFlags::NONE, 5003);
        assert_eq!(seen, None);
    }
}
