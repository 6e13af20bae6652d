//! The words of a thread's block before its counters, by index.
//!
//! A word that helper classes do not touch is listed as well, so that no two parts of the agent take the same one.

use crate::numbered::numbered;

numbered! { usize;
    /// The note of the call of a tracked method that is under way; 0: none.
    NOTE = 1;
    /// The thread's allocated bytes before an allocation that may never reach the heap.
    HEAP_MARK = 2;
    /// Keyed objects that found no free entry.
    KEYED_LOST = 3;
    /// Their bytes.
    KEYED_LOST_BYTES = 4;
    /// Keyed entries in use.
    KEYED_IN_USE = 5;
    /// With this many entries the table must grow; 0: it does not grow.
    KEYED_LIMIT = 6;
    /// Bytes by which the table of keyed entries is shorter than its place.
    KEYED_ABSENT = 7;
    /// The top of the TLAB at the last event.
    LAST = 8;
    /// Where the next word of the buffer goes.
    CURSOR = 9;
    /// The last place where the fast path may write; 0 after a collection has cut the buffer.
    LIMIT = 10;
    /// The VM's count of bytes that the thread allocated in earlier TLABs and outside of TLABs, at the last event.
    SAVED = 11;
    /// SAVED less the start of the TLAB: LAST + BASE is what the thread had allocated at the last event.
    BASE = 12;
    /// Events that found no room.
    DROPPED = 13;
    /// The value of LIMIT while no collection cuts.
    FULL = 14;
    /// The end of the buffer; from FULL to END is room for what cannot wait.
    END = 15;
    /// The thread's allocated bytes when a collection cut the buffer.
    CUT = 16;
    /// The number of the buffer and 1.
    BUFFER = 17;
    /// With CURSOR, the thread's position in its stream: its number, and the bytes of words written so far, plus one word for each cut.
    BIAS = 18;
    /// Where the thread's holder is in the array of holders, from its first element on.
    HOLDER = 19;
    /// The clock as the thread has last written it.
    TOLD_CLOCK = 20;
    /// Collections before the holder was made.
    HOLDER_EPOCH = 21;
    /// In a block of a context: the number of the context whose executions end in it (file of counters).
    CONTEXT_ENTERED = 22;
    /// The thread in the lower half, its generation in the upper (file of counters).
    OWNER = 32;
    /// Number of the extent with the keyed entries (file of counters).
    KEYED_EXTENT = 33;
    /// Bytes allocated by the block's threads, by the VM's own count, at the agent's last update (file of counters).
    VM_BYTES = 34;
    /// Not 0: later keyed entries are in private memory (file of counters).
    KEYED_PRIVATE = 35;
    /// Odd while the table of keyed entries is being replaced.
    KEYED_VERSION = 36;
    /// In the block that all threads share: the clock for stamps of uses.
    USE_CLOCK = 40;
    /// The address of the buffer's first byte (`events.live`; from here to LIVE_CUT_LAST).
    LIVE_START = 42;
    /// The address up to which words were handed over.
    LIVE_TAKEN = 43;
    /// Number of words handed over before those at LIVE_START.
    LIVE_POSITION = 44;
    /// The thread's number; 0: no thread has the buffer.
    LIVE_THREAD = 45;
    /// The top of the TLAB at LIVE_TAKEN.
    LIVE_LAST_TOP = 46;
    /// When the words since the last hand-over were begun, microseconds since 1970.
    BEGUN = 47;
    /// 1: a collection has cut the buffer, and no word has come since. In a run that counts: see TOTAL_OBJECTS.
    LIVE_WAS_CUT = 48;
    /// The top of the TLAB at that collection.
    LIVE_CUT_TOP = 49;
    /// Its top at the last event before.
    LIVE_CUT_LAST = 50;
    /// Objects that the thread has executed so far. This word exists in runs that count with `app=` or `contexts=objects`, the next five with `app=`.
    TOTAL_OBJECTS = 48;
    /// Their bytes.
    TOTAL_BYTES = 49;
    /// Those objects that are charged: to the application code that made them, or to a call that has ended.
    CHARGED_OBJECTS = 50;
    /// Their bytes.
    CHARGED_BYTES = 51;
    /// The open calls; 0: none. Bytes of records << 32 | the bottom call's first counter.
    OPEN_CALLS = 52;
    /// The same when the virtual thread that runs here was mounted.
    OPEN_CALLS_BEFORE = 53;
    /// Contexts of a virtual thread begin above this block: the carrier was in a context itself, or skipped some, when it was mounted.
    CONTEXT_FLOOR = 37;
    /// Skipped contexts of the carrier at that moment.
    CONTEXT_FLOOR_SKIPPED = 38;
    /// Open measurements of the thread in this block: a 1, then a bit for each, which is 1 if it measures this thread alone.
    CONTEXT_MEASURED = 39;
    /// In a block of a context: the native thread that runs in it; 0: none.
    CONTEXT_THREAD = 41;
    /// The slot until the context was entered.
    CONTEXT_OUTER = 54;
    /// The recording's generation << 32 | the combination of contexts that the block counts for; 0 in a thread's own block.
    CONTEXT = 55;
    /// How many contexts are open on the thread.
    CONTEXT_DEPTH = 56;
    /// Contexts that were entered and do not count: the same again, or none could be had. They end before the block's own.
    CONTEXT_SKIPPED = 57;
    /// The thread's allocated bytes when the context was entered, or when the virtual thread was mounted.
    CONTEXT_START = 58;
    /// Bytes of this execution before the virtual thread was mounted.
    CONTEXT_BEFORE = 59;
    /// Executions that have ended.
    CONTEXT_EXECUTIONS = 60;
    /// Their bytes by the VM's count.
    CONTEXT_EXECUTION_BYTES = 61;
    /// Bytes of the largest one.
    CONTEXT_LARGEST = 62;
    /// Bytes by the VM's count that were moved to this block from the one around it, less those moved on.
    CONTEXT_VM_BYTES = 63;
    /// Objects of the executions that have ended in a block of a context. This word and the next three exist with `contexts=objects`.
    OBJECTS_OF_EXECUTIONS = 42;
    /// The most objects of one.
    OBJECTS_MOST = 43;
    /// TOTAL_OBJECTS when the context was entered, or when the virtual thread was mounted.
    OBJECTS_START = 44;
    /// Objects of this execution before the virtual thread was mounted.
    OBJECTS_BEFORE = 45;
    /// The first counter.
    FIRST_COUNTER = 64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_parts_take_one_word_in_one_run() {
        let of_trace = |name: &str| name.starts_with("LIVE_");
        let of_count = |name: &str| {
            ["TOTAL_", "CHARGED_", "OPEN_", "OBJECTS_"]
                .iter()
                .any(|start| name.starts_with(start))
        };
        for (index, word) in ALL.iter().enumerate() {
            for other in &ALL[..index] {
                let apart = of_trace(word.name) && of_count(other.name)
                    || of_count(word.name) && of_trace(other.name);
                assert!(apart || word.value != other.value, "{word:?} {other:?}");
            }
            assert!(word.value <= FIRST_COUNTER as u64);
        }
    }
}
