//! Blocks that recordings have left, for the next one of the process: address space and mappings do not grow with the number of recordings.
//!
//! A thread may be between the load of a counter and its store for as long as it is not scheduled. So a block goes back
//! to the thread that had it, once that is seen outside of the helper classes, or to any thread if its own has ended.
//!
//! ```text
//! stop      block of a living thread ── kept under its native thread ── next recording: the same thread, outside of helpers ──> its block
//!           block of an ended thread ── free                          ── next recording: any thread                        ──> its block
//! ```

use std::sync::LazyLock;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::threads::counter_block::CounterBlock;

/// See the module.
#[derive(Default)]
struct RetiredBlocks {
    of_threads: FxHashMap<usize, CounterBlock>,
    free: Vec<CounterBlock>,
}

static RETIRED: LazyLock<Mutex<RetiredBlocks>> = LazyLock::new(Mutex::default);

/// Keeps a block whose thread no longer finds it. `native`: the thread, if it lives. Its memory is given back.
pub(super) fn keep(native: Option<usize>, block: CounterBlock) {
    if block.make_private().is_err() {
        return;
    }
    let mut retired = RETIRED.lock();
    match native {
        Some(native) => {
            retired.of_threads.insert(native, block);
        }
        None => retired.free.push(block),
    }
}

/// A block for a thread, or for no thread in particular, all zeros.
pub(super) fn take(native: Option<usize>) -> Option<CounterBlock> {
    let mut retired = RETIRED.lock();
    let block = native.and_then(|native| retired.of_threads.remove(&native));
    let block = block.or_else(|| retired.free.pop())?;
    drop(retired);
    // The store that was under way at the stop has been made by now.
    block.make_private().is_ok().then_some(block)
}

/// Whether a thread has left a block.
pub(crate) fn has(native: usize) -> bool {
    RETIRED.lock().of_threads.contains_key(&native)
}

/// A thread may still store into the block that it had: nobody gets it.
pub(crate) fn give_up(native: usize) {
    RETIRED.lock().of_threads.remove(&native);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_back_to_its_thread_and_is_empty() {
        let [own, of_ended] = [(); 2].map(|()| CounterBlock::new().expect("memory"));
        own.set_word(100, 7);
        keep(Some(11), own);
        keep(None, of_ended);
        assert!(has(11) && !has(12));
        assert_eq!(take(Some(12)), Some(of_ended));
        assert_eq!(take(Some(12)), None);
        own.set_word(101, 8);
        assert_eq!(take(Some(11)), Some(own));
        assert_eq!((own.word(100), own.word(101)), (0, 0));
        keep(Some(11), own);
        give_up(11);
        assert_eq!(take(Some(11)), None);
    }
}
