//! Content of a block of kind 21: found objects that were explained later.
//!
//! ```text
//! content = object*
//! object  = address:zigzag varint, units from the previous address (at first 0)  site:varint  thread:varint  caller:varint  birth:varint
//! ```
//!
//! An event may come without the address of its object (outside of thread-local buffers, or arrays of a `multianewarray` in more
//! than one buffer), or after the collection that moved the object (a straggler). The writer knows all survivors and states here
//! which object it was: the object that is now at `address` (after the last collection before this block) was allocated at this
//! site, by this thread, in this epoch. Caller 0: none was recorded, or several are possible.

use crate::varint::{FieldReader, from_zigzag, put_varint, zigzag};
use crate::{CallSiteId, FormatError, SiteId, ThreadId};

/// A found object with its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Explained {
    /// Current address of the object.
    pub address: u64,
    /// Its allocation site.
    pub site: SiteId,
    /// The thread that allocated it.
    pub thread: ThreadId,
    /// The caller to blame; 0 if unknown.
    pub caller: CallSiteId,
    /// The epoch in which it was allocated.
    pub birth: u32,
}

/// The content of a block for these objects.
pub fn encode_explained(objects: &[Explained], content: &mut Vec<u8>) {
    let mut at = 0;
    for object in objects {
        put_varint(zigzag(at, object.address / 8), content);
        at = object.address / 8;
        let numbers = [
            object.site.0,
            object.thread.0,
            object.caller.0,
            object.birth,
        ];
        for number in numbers {
            put_varint(u64::from(number), content);
        }
    }
}

/// Reads the objects of a block.
pub fn decode_explained(content: &[u8]) -> impl Iterator<Item = Result<Explained, FormatError>> {
    let mut fields = FieldReader::new(content);
    let mut at = 0;
    core::iter::from_fn(move || {
        if fields.is_at_end() {
            return None;
        }
        let object = explained(&mut fields, &mut at);
        if object.is_err() {
            fields = FieldReader::new(&[]);
        }
        Some(object)
    })
}

fn explained(fields: &mut FieldReader<'_>, at: &mut u64) -> Result<Explained, FormatError> {
    *at = from_zigzag(*at, fields.varint()?);
    let address = at.checked_mul(8);
    Ok(Explained {
        address: address.ok_or_else(|| fields.malformed("an address beyond 64 bits"))?,
        site: SiteId(fields.varint_u32()?),
        thread: ThreadId(fields.varint_u32()?),
        caller: CallSiteId(fields.varint_u32()?),
        birth: fields.varint_u32()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn objects_round_trip(numbers in prop::collection::vec((0..1_u64 << 44, any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()), 0..50)) {
            let objects: Vec<Explained> = numbers
                .into_iter()
                .map(|(unit, site, thread, caller, birth)| Explained {
                    address: unit * 8,
                    site: SiteId(site),
                    thread: ThreadId(thread),
                    caller: CallSiteId(caller),
                    birth,
                })
                .collect();
            let mut content = Vec::new();
            encode_explained(&objects, &mut content);
            let read: Result<Vec<_>, _> = decode_explained(&content).collect();
            prop_assert_eq!(read.unwrap(), objects);
        }

        #[test]
        fn any_bytes_end(content in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(decode_explained(&content).count() <= content.len());
        }
    }
}
