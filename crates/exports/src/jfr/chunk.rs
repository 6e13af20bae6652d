//! The chunk: header, events, constants, metadata.

use super::bytes::Bytes;
use super::metadata::metadata;
use super::pools::Pools;

/// Bytes of the header.
const HEADER: usize = 68;
/// A header's numbers: eight bytes each, from here on.
const SIZE: usize = 8;
const CONSTANTS: usize = 16;
const METADATA: usize = 24;
const EVENT_METADATA: u64 = 0;
const EVENT_CONSTANTS: u64 = 1;
/// Ticks of a second: ours are nanoseconds since the start of the chunk.
const FREQUENCY: u64 = 1_000_000_000;
/// A chunk that grows.
#[derive(Debug)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    duration: u64,
}

impl Chunk {
    pub(super) fn begin(start_nanos: u64, duration: u64) -> Self {
        let mut bytes = b"FLR\0\0\x02\0\x01".to_vec();
        // Size and two offsets follow at the end.
        for number in [0, 0, 0, start_nanos, duration, 0, FREQUENCY] {
            bytes.extend_from_slice(&u64::to_be_bytes(number));
        }
        // Numbers are compressed; this is the last chunk.
        bytes.extend_from_slice(&3_u32.to_be_bytes());
        debug_assert_eq!(bytes.len(), HEADER);
        Self { bytes, duration }
    }

    /// Its size, its type, its fields.
    pub(super) fn event(&mut self, ty: u64, fields: impl FnOnce(&mut Bytes)) {
        let mut event = Bytes::default();
        event.int(ty);
        fields(&mut event);
        let mut size = Bytes::default();
        // The size counts itself.
        let mut total = event.0.len() + 1;
        loop {
            size.0.clear();
            size.int(total as u64);
            if size.0.len() + event.0.len() == total {
                break;
            }
            total = size.0.len() + event.0.len();
        }
        self.bytes.extend_from_slice(&size.0);
        self.bytes.extend_from_slice(&event.0);
    }

    pub(super) fn finish(mut self, pools: &Pools) -> Vec<u8> {
        let constants = self.bytes.len();
        self.event(EVENT_CONSTANTS, |event| {
            // When, how long, no checkpoint before it, of the whole chunk.
            event.int(0);
            event.int(0);
            event.int(0);
            event.0.push(1);
            pools.write(event);
        });
        let at = self.bytes.len();
        let duration = self.duration;
        self.event(EVENT_METADATA, |event| {
            event.int(0);
            event.int(duration);
            event.int(1);
            metadata(event);
        });
        let size = self.bytes.len();
        for (place, number) in [(SIZE, size), (CONSTANTS, constants), (METADATA, at)] {
            self.bytes[place..place + 8].copy_from_slice(&(number as u64).to_be_bytes());
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_an_event_counts_itself() {
        for length in [0, 1, 125, 126, 127, 128, 20_000] {
            let mut chunk = Chunk::begin(0, 0);
            chunk.event(5, |event| event.0.extend(vec![7; length]));
            let event = &chunk.bytes[HEADER..];
            let (mut size, mut shift) = (0, 0);
            for byte in event {
                size |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            assert_eq!(size, event.len());
        }
    }
}
