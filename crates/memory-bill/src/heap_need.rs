//! The heap that a live set needs: what collections leave, and room enough that they do not take much of the time.
//!
//! A collection costs what is alive, and comes when the room beside it is full. So the share of the time in pauses with a heap
//! H, where L bytes are alive, follows from that with the heap H0 (Appel 1987: work for each allocated byte is L / (H - L)):
//!
//! ```text
//! share(H) = share(H0) * (H0 - L) / (H - L)        solved for H, with the share that is allowed
//! ```
//!
//! What is alive is known as an upper bound: the least that the heap held while it was
//! looked at. Garbage that no collection has found makes the advice larger, never smaller.

use crate::forecast::Sample;

/// The share of the time that pauses may take.
const MOST_SHARE: f64 = 0.05;
/// Room for each byte alive, at least (Hunt and John 2011: three to four times the live data). Of three times the old space has two by
/// default: Parallel, with less, takes every collection for one of the whole heap, since it asks for room for what the next may promote.
const LEAST_ROOM: f64 = 2.0;
const MIB: f64 = 1_048_576.0;

/// The heap that what is alive needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeapNeed {
    /// Bytes alive, at most.
    pub live: u64,
    /// The share of the time in pauses, from 0 to 1.
    pub share: f64,
    /// The heap that is enough, in whole MiB.
    pub heap: u64,
    /// The share with it.
    pub share_then: f64,
}

/// The need of a process that was looked at; `committed`: its heap, in bytes.
/// `None`: no collection was seen, or pauses are not what collections cost.
pub fn heap_need(samples: &[Sample], committed: u64) -> Option<HeapNeed> {
    let (first, last) = (samples.first()?, samples.last()?);
    let (before, after) = (first.pauses?, last.pauses?);
    let seconds = last.seconds - first.seconds;
    if after.collections <= before.collections || seconds <= 0.0 {
        return None;
    }
    let live = samples.iter().filter_map(|sample| sample.heap_used).min()?;
    let room = committed.checked_sub(live).filter(|room| *room > 0)? as f64;
    let share = (after.seconds - before.seconds).max(0.0) / seconds;
    let wanted = (room * share / MOST_SHARE).max(live as f64 * LEAST_ROOM);
    let heap = ((live as f64 + wanted) / MIB).ceil() * MIB;
    Some(HeapNeed {
        live,
        share,
        heap: heap as u64,
        share_then: share * room / (heap - live as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pauses::Pauses;

    const MB: u64 = 1 << 20;

    fn samples(collections: u64, seconds: f64) -> Vec<Sample> {
        let sample = |at: u32, used: u64| Sample {
            seconds: f64::from(at),
            held: 0,
            heap_used: Some(used),
            heap_resident: None,
            pauses: Some(Pauses {
                collections: u64::from(at) * collections,
                seconds: f64::from(at) * seconds / 10.0,
            }),
        };
        vec![
            sample(0, 300 * MB),
            sample(5, 100 * MB),
            sample(10, 200 * MB),
        ]
    }

    #[test]
    fn room_follows_from_the_share_that_is_allowed() {
        // 100 MB alive in 700: 600 MB of room take 2 % of the time; 240 MB would take 5 %.
        let need = heap_need(&samples(3, 0.2), 700 * MB).expect("a need");
        assert_eq!((need.live, need.heap), (100 * MB, 340 * MB));
        assert!((need.share - 0.02).abs() < 1e-9 && (need.share_then - 0.05).abs() < 1e-9);
        // Twice as much room as is alive at least, however cheap collections are.
        let cheap = heap_need(&samples(3, 0.0), 500 * MB).expect("a need");
        assert_eq!(cheap.heap, 300 * MB);
        // A heap that is too small: a fifth of the time is in pauses.
        let small = heap_need(&samples(3, 2.0), 160 * MB).expect("a need");
        assert_eq!(small.heap, 340 * MB);
        assert_eq!(heap_need(&samples(0, 0.0), 500 * MB), None);
    }
}
