//! The two generations of a heap, which the VM's tables do not have: found by their pointers to parts of the heap that the tables do have.
//!
//! ```text
//! ZGeneration   id  &page_allocator  &page_table  { size, map } of the forwarding table ... relocation set ... { phase, number }
//! young also    active type  &page_table  &forwarding table of old  &page_allocator
//! ```
//!
//! Each search must have exactly one hit. Before the first cycle, phase and number of both are {relocated,
//! 1}; later they are looked for at the places of the known releases. The places of phases and numbers are
//! proven again at each pause: a number grows by one at Mark Start, and phases follow each other.

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::read_bytes;

/// The collector's numbers of phases.
pub(super) const MARK: u32 = 0;
pub(super) const MARK_COMPLETE: u32 = 1;
pub(super) const RELOCATE: u32 = 2;

/// Where a generation is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GenerationPlace {
    pub(crate) phase: Address,
    pub(crate) seqnum: Address,
    /// Forwardings by granule.
    pub(crate) map: Address,
    pub(crate) slots: usize,
    /// The relocation set, if its place is known.
    pub(crate) relocation_set: Option<Address>,
    /// Where to look for it otherwise: start and bytes.
    pub(crate) search: (Address, usize),
}

/// What is known of the heap.
pub(crate) struct HeapParts {
    pub(crate) heap: Address,
    pub(crate) bytes: usize,
    pub(crate) page_allocator: Address,
    pub(crate) page_table: Address,
    pub(crate) page_map: Address,
}

/// The words of the heap's structure.
struct HeapWords {
    start: Address,
    words: Vec<u64>,
}

/// Phase and number before the first cycle: relocated, number 1.
const IDLE: u64 = 1 << 32 | RELOCATED as u64;
/// The last phase.
const RELOCATED: u32 = 2;
/// How many words they are after the first word in JDK 21 and 25.
const UNDER_WAY: [usize; 2] = [400, 360];
/// No run had more cycles when the agent was attached.
const MOST_CYCLES: u64 = 1 << 24;
/// The relocation set ends this many bytes before them.
const SET_BEFORE_PHASE: usize = 136;
/// Longest distance of a field from the start of its generation.
const LONGEST: usize = 16 << 10;

impl HeapWords {
    fn read(parts: &HeapParts) -> Result<Self, Error> {
        let mut bytes = vec![0; parts.bytes / 8 * 8];
        read_bytes(parts.heap, &mut bytes)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(Self {
            start: parts.heap,
            words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        })
    }

    fn place(&self, index: usize) -> Address {
        self.start.plus(index * 8)
    }

    fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }
}

/// Finds the young and the old generation, and the word with the type of the young collection.
pub(crate) fn find(parts: &HeapParts) -> Result<([GenerationPlace; 2], Address), Error> {
    let words = HeapWords::read(parts)?;
    let young = first_word(&words, parts, 0)?;
    let old = first_word(&words, parts, 1)?;
    let phase = phase_offset(&words, young, old)?;
    let active = active_type(&words, parts, (young, old))?;
    let place = |first: usize| {
        let at = words.place(first + phase);
        GenerationPlace {
            phase: at,
            seqnum: at.plus(4),
            slots: words.word(first + 2) as usize,
            map: Address(words.word(first + 3) as usize),
            relocation_set: Some(Address(at.0.wrapping_sub(SET_BEFORE_PHASE))),
            search: (words.place(first), 0),
        }
    };
    Ok(([place(young), place(old)], active))
}

/// The index of the word with the pointer to the page allocator in the generation with this number.
fn first_word(words: &HeapWords, parts: &HeapParts, number: u64) -> Result<usize, Error> {
    let is_generation = |index: &usize| {
        let map = words.word(index + 3);
        words.word(*index) == parts.page_allocator.0 as u64
            && words.word(index + 1) == parts.page_table.0 as u64
            && words.word(index - 1) & 0xFF == number
            && (1..1 << 28).contains(&words.word(index + 2))
            && map > 4096
            && map.is_multiple_of(4096)
            && map != parts.page_map.0 as u64
    };
    let mut found = (1..words.words.len()).filter(is_generation);
    only(found.next(), found.next(), "a generation of ZGC")
}

/// How many words phase and number are after the first word, in both generations.
fn phase_offset(words: &HeapWords, young: usize, old: usize) -> Result<usize, Error> {
    let most = young.abs_diff(old).min(LONGEST / 8);
    let is_idle = |at: &usize| words.word(young + at) == IDLE && words.word(old + at) == IDLE;
    let mut idle = (4..most).filter(is_idle);
    let mut under_way = UNDER_WAY
        .into_iter()
        .filter(|at| *at < most && is_under_way(words.word(young + at), words.word(old + at)));
    let found = match idle.next() {
        None => (under_way.next(), under_way.next()),
        found => (found, idle.next()),
    };
    only(found.0, found.1, "the phase of ZGC's generations")
}

/// Whether these can be phase and number of the young and of the old generation: each old cycle begins with a young one.
fn is_under_way(young: u64, old: u64) -> bool {
    let is_phase = |word: u64| word as u32 <= RELOCATED && (1..MOST_CYCLES).contains(&(word >> 32));
    is_phase(young) && is_phase(old) && young >> 32 >= old >> 32
}

fn active_type(
    words: &HeapWords,
    parts: &HeapParts,
    (young, old): (usize, usize),
) -> Result<Address, Error> {
    let forwarding_table = words.place(old + 2).0 as u64;
    let is_type = |index: &usize| {
        words.word(*index) == parts.page_table.0 as u64
            && words.word(index + 1) == forwarding_table
            && words.word(index + 2) == parts.page_allocator.0 as u64
    };
    let mut found = (young + 1..words.words.len()).filter(is_type);
    let index = only(found.next(), found.next(), "the kind of a young cycle")?;
    Ok(words.place(index - 1))
}

fn only(first: Option<usize>, second: Option<usize>, what: &'static str) -> Result<usize, Error> {
    match (first, second) {
        (Some(index), None) => Ok(index),
        _ => Err(Error::Ambiguous { what }),
    }
}
