//! A rewritten class before it has its numbers: it is planned once, and linked in each run.
//!
//! ```text
//! class bytes ── plan ──> template ── link ──> class bytes with numbers, and what they mean
//!                            │ encode ──> bytes on disk ── decode ──┘ (a later run)
//! ```
//!
//! Each place of the new code that pushes a number has three bytes, so that
//! no number changes the size of the code. The template has a list of them:
//!
//! ```text
//! template   13 ff fe    ldc_w #65534          a constant that no pool has
//! linked     11 01 2c    sipush 300
//!            13 01 f3    ldc_w #499            numbers from 32,768 on are appended to the pool
//! ```
//!
//! From the second recording of a process on, constants would pile up in the
//! VM: there each place has ten bytes, and the number is made in the code.

use ducktrack_classfile::{ClassFile, Error, Instructions, Opcode, PoolAppender};
use ducktrack_code_edit::{Probes, rewrite_class_methods};
use serde::{Deserialize, Serialize};

use crate::local_numbers::{RealNumbers, Request};
use crate::planned::Numbers;
use crate::refusal::Reason;
use crate::rewritten_class::RewrittenClass;

/// `max_stack`, `max_locals` and `code_length`, the bytes before the code.
const BEFORE_CODE: usize = 8;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassTemplate {
    /// What the numbers mean; they are local ones.
    class: RewrittenClass,
    requests: Vec<Request>,
    /// `constant_pool_count` with the constants of the probes.
    pool_count: u16,
    /// These constants.
    pool: Vec<u8>,
    /// New Code attributes by method index.
    edits: Vec<(u16, Vec<u8>)>,
    places: Vec<NumberPlace>,
    /// Numbers are made in the code.
    in_code: bool,
}

/// A place in the new code that pushes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NumberPlace {
    /// Index of the edit.
    edit: u16,
    /// In the attribute.
    offset: u32,
    /// A local number.
    number: u32,
}

impl ClassTemplate {
    /// # Errors
    /// If the pool has no room for the numbers.
    pub(crate) fn new(
        class: RewrittenClass,
        edits: Vec<(u16, Vec<u8>)>,
        requests: Vec<Request>,
        probes: &mut Probes,
    ) -> Result<Self, Reason> {
        let (later, in_code) = (probes.later().to_vec(), probes.has_numbers_in_code());
        let pool = probes.pool();
        if usize::from(pool.count()) + later.len() > usize::from(u16::MAX) {
            return Err(Error::pool_full().into());
        }
        let mut places = Vec::with_capacity(later.len());
        for (edit, (_, attribute)) in (0..).zip(&edits) {
            places_in(edit, attribute, &later, &mut places)?;
        }
        Ok(Self {
            class,
            requests,
            pool_count: pool.count(),
            pool: pool.bytes().to_vec(),
            edits,
            places,
            in_code,
        })
    }

    /// Whether the class can be linked again in another run. Where methods are refused, the reasons are found anew.
    #[must_use]
    pub fn can_be_kept(&self) -> bool {
        !self.in_code
            && self.class.refusals.is_empty()
            && self.class.called.is_empty()
            && self.class.static_fields.is_empty()
    }

    /// As bytes, for [`ClassTemplate::decode`] of the same build.
    #[must_use]
    pub fn encode(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }

    /// The template that these bytes are; `None` if they are none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// The class with these numbers. It must be the class of which the template was made.
    ///
    /// # Errors
    /// If numbers are exhausted, or the template is not one of this class.
    pub fn link(
        mut self,
        class: &ClassFile<'_>,
        numbers: &mut dyn Numbers,
    ) -> Result<RewrittenClass, Reason> {
        let real = RealNumbers::of(&self.requests, numbers)?;
        let mut pool = PoolAppender::resume(self.pool_count, self.pool);
        for place in &self.places {
            let (_, attribute) = self
                .edits
                .get_mut(usize::from(place.edit))
                .ok_or(Reason::BadTemplate)?;
            let number = real.get(place.number)?;
            let placed = match self.in_code {
                true => put(attribute, place.offset, &in_code(number)?),
                false => put(attribute, place.offset, &push(number, &mut pool)?),
            };
            placed.ok_or(Reason::BadTemplate)?;
        }
        if !self.edits.is_empty() {
            let edits = self.edits.iter();
            let edits = edits.map(|(method, code)| (usize::from(*method), code.as_slice()));
            self.class.bytes = Some(rewrite_class_methods(class, edits, &pool)?);
        }
        self.class.renumber(&real)?;
        Ok(self.class)
    }
}

/// Finds the instructions that push numbers: no pool has their constants.
fn places_in(
    edit: u16,
    attribute: &[u8],
    later: &[u32],
    places: &mut Vec<NumberPlace>,
) -> Result<(), Reason> {
    let length = attribute.get(4..BEFORE_CODE).unwrap_or_default();
    let length = <[u8; 4]>::try_from(length).map_or(0, u32::from_be_bytes) as usize;
    let code = attribute.get(BEFORE_CODE..BEFORE_CODE + length);
    for instruction in Instructions::new(code.unwrap_or_default()) {
        let instruction = instruction?;
        let Some(index) = instruction
            .pool_index()
            .filter(|_| instruction.opcode == Opcode::LDC_W)
        else {
            continue;
        };
        if let Some(number) = later.get(usize::from(u16::MAX - index.0)) {
            places.push(NumberPlace {
                edit,
                offset: instruction.offset.0 + BEFORE_CODE as u32,
                number: *number,
            });
        }
    }
    Ok(())
}

fn put(attribute: &mut [u8], offset: u32, code: &[u8]) -> Option<()> {
    let start = offset as usize;
    let bytes = attribute.get_mut(start..start + code.len())?;
    bytes.copy_from_slice(code);
    Some(())
}

/// Ten bytes that push a number without a constant: `sipush; bipush 15; ishl; sipush; ior`.
fn in_code(number: u32) -> Result<[u8; 10], Reason> {
    const LOW: u8 = 15;
    let high = u16::try_from(number >> LOW).ok();
    let high = high.filter(|high| *high <= i16::MAX.cast_unsigned());
    let [a, b] = high.ok_or(Reason::SitesExhausted)?.to_be_bytes();
    let [_, _, c, d] = (number & ((1 << LOW) - 1)).to_be_bytes();
    let (short, byte) = (Opcode::SIPUSH.0, Opcode::BIPUSH.0);
    Ok([
        short,
        a,
        b,
        byte,
        LOW,
        Opcode::ISHL.0,
        short,
        c,
        d,
        Opcode::IOR.0,
    ])
}

/// Three bytes that push a number.
fn push(number: u32, pool: &mut PoolAppender) -> Result<[u8; 3], Reason> {
    let (opcode, operand) = match u16::try_from(number) {
        Ok(short) if short <= i16::MAX.cast_unsigned() => (Opcode::SIPUSH, short),
        _ => (Opcode::LDC_W, pool.integer(number.cast_signed())?.0),
    };
    let [high, low] = operand.to_be_bytes();
    Ok([opcode.0, high, low])
}
