package java.lang;

/**
 * What helper classes, agent and readers agree on. Written by the crate {@code probe-vocabulary} (scripts/build-helper): do not edit.
 *
 * <p>Only constants of the compiler: no class file has a reference to this class, and none is made of it.
 */
final class DuckTrackLayout {
    private DuckTrackLayout() {}

    // Words of a thread's block: offsets in bytes.

    /** The note of the call of a tracked method that is under way; 0: none. */
    static final long NOTE = 1 * 8;
    /** The thread's allocated bytes before an allocation that may never reach the heap. */
    static final long HEAP_MARK = 2 * 8;
    /** Keyed objects that found no free entry. */
    static final long KEYED_LOST = 3 * 8;
    /** Their bytes. */
    static final long KEYED_LOST_BYTES = 4 * 8;
    /** Keyed entries in use. */
    static final long KEYED_IN_USE = 5 * 8;
    /** With this many entries the table must grow; 0: it does not grow. */
    static final long KEYED_LIMIT = 6 * 8;
    /** Bytes by which the table of keyed entries is shorter than its place. */
    static final long KEYED_ABSENT = 7 * 8;
    /** The top of the TLAB at the last event. */
    static final long LAST = 8 * 8;
    /** Where the next word of the buffer goes. */
    static final long CURSOR = 9 * 8;
    /** The last place where the fast path may write; 0 after a collection has cut the buffer. */
    static final long LIMIT = 10 * 8;
    /** The VM's count of bytes that the thread allocated in earlier TLABs and outside of TLABs, at the last event. */
    static final long SAVED = 11 * 8;
    /** SAVED less the start of the TLAB: LAST + BASE is what the thread had allocated at the last event. */
    static final long BASE = 12 * 8;
    /** Events that found no room. */
    static final long DROPPED = 13 * 8;
    /** The value of LIMIT while no collection cuts. */
    static final long FULL = 14 * 8;
    /** The end of the buffer; from FULL to END is room for what cannot wait. */
    static final long END = 15 * 8;
    /** The thread's allocated bytes when a collection cut the buffer. */
    static final long CUT = 16 * 8;
    /** The number of the buffer and 1. */
    static final long BUFFER = 17 * 8;
    /** With CURSOR, the thread's position in its stream: its number, and the bytes of words written so far, plus one word for each cut. */
    static final long BIAS = 18 * 8;
    /** Where the thread's holder is in the array of holders, from its first element on. */
    static final long HOLDER = 19 * 8;
    /** The clock as the thread has last written it. */
    static final long TOLD_CLOCK = 20 * 8;
    /** Collections before the holder was made. */
    static final long HOLDER_EPOCH = 21 * 8;
    /** In a block of a context: the number of the context whose executions end in it (file of counters). */
    static final long CONTEXT_ENTERED = 22 * 8;
    /** The thread in the lower half, its generation in the upper (file of counters). */
    static final long OWNER = 32 * 8;
    /** Number of the extent with the keyed entries (file of counters). */
    static final long KEYED_EXTENT = 33 * 8;
    /** Bytes allocated by the block's threads, by the VM's own count, at the agent's last update (file of counters). */
    static final long VM_BYTES = 34 * 8;
    /** Not 0: later keyed entries are in private memory (file of counters). */
    static final long KEYED_PRIVATE = 35 * 8;
    /** Odd while the table of keyed entries is being replaced. */
    static final long KEYED_VERSION = 36 * 8;
    /** In the block that all threads share: the clock for stamps of uses. */
    static final long USE_CLOCK = 40 * 8;
    /** The address of the buffer's first byte (`events.live`; from here to LIVE_CUT_LAST). */
    static final long LIVE_START = 42 * 8;
    /** The address up to which words were handed over. */
    static final long LIVE_TAKEN = 43 * 8;
    /** Number of words handed over before those at LIVE_START. */
    static final long LIVE_POSITION = 44 * 8;
    /** The thread's number; 0: no thread has the buffer. */
    static final long LIVE_THREAD = 45 * 8;
    /** The top of the TLAB at LIVE_TAKEN. */
    static final long LIVE_LAST_TOP = 46 * 8;
    /** When the words since the last hand-over were begun, microseconds since 1970. */
    static final long BEGUN = 47 * 8;
    /** 1: a collection has cut the buffer, and no word has come since. In a run that counts: see TOTAL_OBJECTS. */
    static final long LIVE_WAS_CUT = 48 * 8;
    /** The top of the TLAB at that collection. */
    static final long LIVE_CUT_TOP = 49 * 8;
    /** Its top at the last event before. */
    static final long LIVE_CUT_LAST = 50 * 8;
    /** Objects that the thread has executed so far. This word exists in runs that count with `app=` or `contexts=objects`, the next five with `app=`. */
    static final long TOTAL_OBJECTS = 48 * 8;
    /** Their bytes. */
    static final long TOTAL_BYTES = 49 * 8;
    /** Those objects that are charged: to the application code that made them, or to a call that has ended. */
    static final long CHARGED_OBJECTS = 50 * 8;
    /** Their bytes. */
    static final long CHARGED_BYTES = 51 * 8;
    /** The open calls; 0: none. Bytes of records << 32 | the bottom call's first counter. */
    static final long OPEN_CALLS = 52 * 8;
    /** The same when the virtual thread that runs here was mounted. */
    static final long OPEN_CALLS_BEFORE = 53 * 8;
    /** Contexts of a virtual thread begin above this block: the carrier was in a context itself, or skipped some, when it was mounted. */
    static final long CONTEXT_FLOOR = 37 * 8;
    /** Skipped contexts of the carrier at that moment. */
    static final long CONTEXT_FLOOR_SKIPPED = 38 * 8;
    /** Open measurements of the thread in this block: a 1, then a bit for each, which is 1 if it measures this thread alone. */
    static final long CONTEXT_MEASURED = 39 * 8;
    /** In a block of a context: the native thread that runs in it; 0: none. */
    static final long CONTEXT_THREAD = 41 * 8;
    /** The slot until the context was entered. */
    static final long CONTEXT_OUTER = 54 * 8;
    /** The recording's generation << 32 | the combination of contexts that the block counts for; 0 in a thread's own block. */
    static final long CONTEXT = 55 * 8;
    /** How many contexts are open on the thread. */
    static final long CONTEXT_DEPTH = 56 * 8;
    /** Contexts that were entered and do not count: the same again, or none could be had. They end before the block's own. */
    static final long CONTEXT_SKIPPED = 57 * 8;
    /** The thread's allocated bytes when the context was entered, or when the virtual thread was mounted. */
    static final long CONTEXT_START = 58 * 8;
    /** Bytes of this execution before the virtual thread was mounted. */
    static final long CONTEXT_BEFORE = 59 * 8;
    /** Executions that have ended. */
    static final long CONTEXT_EXECUTIONS = 60 * 8;
    /** Their bytes by the VM's count. */
    static final long CONTEXT_EXECUTION_BYTES = 61 * 8;
    /** Bytes of the largest one. */
    static final long CONTEXT_LARGEST = 62 * 8;
    /** Bytes by the VM's count that were moved to this block from the one around it, less those moved on. */
    static final long CONTEXT_VM_BYTES = 63 * 8;
    /** Objects of the executions that have ended in a block of a context. This word and the next three exist with `contexts=objects`. */
    static final long OBJECTS_OF_EXECUTIONS = 42 * 8;
    /** The most objects of one. */
    static final long OBJECTS_MOST = 43 * 8;
    /** TOTAL_OBJECTS when the context was entered, or when the virtual thread was mounted. */
    static final long OBJECTS_START = 44 * 8;
    /** Objects of this execution before the virtual thread was mounted. */
    static final long OBJECTS_BEFORE = 45 * 8;
    /** The first counter. */
    static final long FIRST_COUNTER = 64 * 8;

    // Words of events.

    /** Bits of a word below the site or the operation. */
    static final int EVENT_OPERATION_SHIFT = 0xc;
    /** The most units a word can carry. */
    static final int EVENT_MAX_UNITS = 0xfff;
    /** Site ids below this are operations. */
    static final int EVENT_FIRST_SITE = 0x10;
    /** Ignored; with IS_CUT the first word after a collection. */
    static final int EVENT_PAD = 0x0;
    /** An object of fixed size that ends at a given top. */
    static final int EVENT_AT = 0x1;
    /** An object outside of TLABs. */
    static final int EVENT_OUTSIDE = 0x2;
    /** A measured object that ends at a given top. */
    static final int EVENT_ARRAY = 0x3;
    /** Units that belong to no site. */
    static final int EVENT_GAP = 0x4;
    /** An eliminated measured object. */
    static final int EVENT_NOTHING = 0x5;
    /** The class of the next object. */
    static final int EVENT_TYPED = 0x6;
    /** The caller of the next allocation. */
    static final int EVENT_CALLER = 0x7;
    /** An array of arrays. */
    static final int EVENT_LEVELS = 0x8;
    /** Events that were not recorded. */
    static final int EVENT_DROPPED = 0x9;
    /** Eliminated, or allocated just before the last collection. */
    static final int EVENT_STRADDLE = 0xa;
    /** An eliminated object with its bytes. */
    static final int EVENT_ELIMINATED = 0xb;
    /** Bytes that the thread allocated since its last event. */
    static final int EVENT_MOVED = 0xc;
    /** The top after the last event. */
    static final int EVENT_TOP = 0xd;
    /** In the low bits of PAD: a collection has cut the buffer; the bits below it have the collection's number. */
    static final int EVENT_IS_CUT = 0x800;
    /** In the low bits of LEVELS: the top moved by exactly these arrays. */
    static final int EVENT_AT_TOP = 0x800;
    /** From this number on, sites in words may be pairs of a site and a caller. */
    static final int EVENT_FIRST_CALLED_SITE = 0xb0000;
    /** The first number after those of such pairs. */
    static final int EVENT_END_OF_CALLED_SITES = 0xc0000;
    /** The first number after those of sites: the lowest of the upper bits of a clock word. */
    static final int EVENT_FIRST_CLOCK = 0xe0000;
    /** The most microseconds that a clock word can carry. */
    static final int EVENT_MAX_CLOCK = 0xfffffff;
    /** The upper bits of the extended operation 0. */
    static final int EVENT_FIRST_EXTENDED = 0xf0000;
    /** Methods whose returns, and entries without a receiver, have one word. */
    static final int EVENT_BARE_METHODS = 0x100000;
    /** Bytes that the VM or native code allocated. */
    static final int EVENT_VM_BYTES = 0x1;
    /** An update of a field or an element. */
    static final int EVENT_UPDATE = 0x200;
    /** An update of a static field. */
    static final int EVENT_STATIC_UPDATE = 0x201;
    /** A method is entered. */
    static final int EVENT_ENTER = 0x202;
    /** A method returns. */
    static final int EVENT_EXIT = 0x203;
    /** A method ends by an exception. */
    static final int EVENT_THROWN = 0x204;
    /** The return of methods 0 to 4095, in one word. */
    static final int EVENT_FIRST_BARE_EXIT = 0xe00;
    /** The entry of methods 0 to 4095 without a receiver, in one word. */
    static final int EVENT_FIRST_BARE_ENTER = 0xf00;
    /** Earlier traces: the short return of method 0. */
    static final int EVENT_FIRST_SHORT_EXIT = 0x1000;
    /** The short update of slot 0. */
    static final int EVENT_FIRST_SHORT_UPDATE = 0x4000;
    /** Slots that have a short update. */
    static final int EVENT_SHORT_UPDATES = 0x4000;
    /** The short entry of method 0. */
    static final int EVENT_FIRST_SHORT_ENTER = 0x8000;
    /** Methods that have a short entry. */
    static final int EVENT_SHORT_ENTERS = 0x8000;

    // Questions to the agent.

    /** Where threads keep their slot: 0 in reserved memory of the VM's thread, 1 in the padding of the Thread object, 2 in a table. */
    static final int ASK_SLOT_KIND = 0;
    /** The slot's offset in either. */
    static final int ASK_SLOT_OFFSET = 1;
    /** The offset of `Thread.eetop`. */
    static final int ASK_EETOP = 2;
    /** The address of the block that threads without one share. */
    static final int ASK_SHARED = 3;
    /** 1: virtual threads have carriers. */
    static final int ASK_HAS_CARRIERS = 4;
    /** The address of the table of slots. */
    static final int ASK_SLOT_TABLE = 5;
    /** Bits of an offset in it. */
    static final int ASK_SLOT_TABLE_MASK = 6;
    /** The offset of keyed entries in a block. */
    static final int ASK_KEYED = 7;
    /** Bits of an offset in the largest table of keyed entries. */
    static final int ASK_KEYED_MASK = 8;
    /** The offset of the klass in a Class. */
    static final int ASK_KLASS = 9;
    /** The offset of the layout helper in a klass. */
    static final int ASK_LAYOUT_HELPER = 10;
    /** The largest value of the cache of Integer. */
    static final int ASK_INTEGER_CACHE_TOP = 11;
    /** The offset of the TLAB's top in the VM's thread. */
    static final int ASK_TLAB_TOP = 12;
    /** The alignment of objects. */
    static final int ASK_ALIGNMENT = 13;
    /** Bytes before the elements of an array, for elements of 1 byte. */
    static final int ASK_BASE1 = 14;
    /** The same for 2 bytes. */
    static final int ASK_BASE2 = 15;
    /** The same for 4 bytes. */
    static final int ASK_BASE4 = 16;
    /** The same for 8 bytes. */
    static final int ASK_BASE8 = 17;
    /** The same for references. */
    static final int ASK_BASE_REFERENCE = 18;
    /** The logarithm of a reference's bytes. */
    static final int ASK_REFERENCE_SHIFT = 19;
    /** The offset of the thread's count of allocated bytes. */
    static final int ASK_ALLOCATED = 20;
    /** The offset of the TLAB's start. */
    static final int ASK_TLAB_START = 21;
    /** The address of the table of classes whose names the agent knows. */
    static final int ASK_SEEN_CLASSES = 22;
    /** Bits of an offset in it. */
    static final int ASK_SEEN_CLASSES_MASK = 23;
    /** The offset of the TLAB's end. */
    static final int ASK_TLAB_END = 24;
    /** The address of the number of collections. */
    static final int ASK_EPOCH = 25;
    /** The address of the keys of pairs of site and caller. */
    static final int ASK_CALLED_SITES = 26;
    /** 1: threads' totals are kept. */
    static final int ASK_TOTALS = 27;
    /** The address of the bytes that one more of each counter stands for. */
    static final int ASK_COUNTER_BYTES = 28;
    /** The address of the bytes of an object of each site. */
    static final int ASK_SITE_BYTES = 29;
    /** The offset of records of open calls in a block. */
    static final int ASK_CALL_RECORDS = 30;
    /** Bytes of all of them. */
    static final int ASK_CALL_RECORDS_BYTES = 31;
    /** The address of the number of virtual threads that wait in the middle of a call. */
    static final int ASK_WAITING_THREADS = 32;
    /** The bits of an address, without a collector's colours. */
    static final int ASK_ADDRESS_BITS = 33;
    /** The distance of an object's word from the object. */
    static final int ASK_USE_SHADOW = 0;
    /** The address of the clock. */
    static final int ASK_USE_CLOCK_ADDRESS = 1;
    /** 1: `DuckTrackHints` works here. */
    static final int ASK_USE_HINTS = 2;
    /** The distance of an object's word for uses from the object. */
    static final int ASK_WITNESS_USED = 0;
    /** The same for the loss of references. */
    static final int ASK_WITNESS_LOST = 1;
    /** 1: `DuckTrackHints` works here. */
    static final int ASK_WITNESS_HINTS = 2;
    /** The address of the offsets of fields. */
    static final int ASK_WITNESS_FIELDS = 3;
    /** 1: references in fields are compressed. */
    static final int ASK_RECORD_NARROW = 0;
    /** The address of the word that counts microseconds since 1970. */
    static final int ASK_RECORD_CLOCK = 1;
    /** The address of the count of updates without a record. */
    static final int ASK_RECORD_UNSEEN = 2;
    /** Threads that can have a holder at a time. */
    static final int ASK_RECORD_MOST_HOLDERS = 3;
    /** The address of the count of records that could not be made because the stack ended. */
    static final int ASK_RECORD_WITHOUT_STACK = 4;
    /** 1: the probes of entries are inlined. */
    static final int ASK_RECORD_INLINED = 5;
    /** The offset of the number of oop maps in a class. */
    static final int ASK_RECORD_MAPS = 6;
    /** The offset of the length of its vtable. */
    static final int ASK_RECORD_VTABLE_LENGTH = 7;
    /** The offset of the length of its itable. */
    static final int ASK_RECORD_ITABLE_LENGTH = 8;
    /** Where its tables begin; 0 if that is not known. */
    static final int ASK_RECORD_TABLES = 9;
    /** The address of the block of the thread that wrote the last record. */
    static final int ASK_RECORD_LAST_WRITER = 10;
    /** The address of the words that hold idle blocks: for each combination of contexts 8 cache lines. */
    static final int ASK_CONTEXT_BANKS = 0;
    /** The address of the table of combinations: a combination << 32 | the context entered in it, and the combination then. */
    static final int ASK_CONTEXT_COMBINATIONS = 1;
    /** Bits of an offset in it. */
    static final int ASK_CONTEXT_COMBINATIONS_MASK = 2;
    /** The address of the recording's generation, shifted by 32. */
    static final int ASK_CONTEXT_GENERATION = 3;
    /** The address of the number of virtual threads that wait in contexts. */
    static final int ASK_CONTEXT_WAITING = 4;
    /** The offset of the histogram of executions in a block. */
    static final int ASK_CONTEXT_HISTOGRAM = 5;
    /** The offset of the histogram of executions by their objects; 0: they are not counted. */
    static final int ASK_CONTEXT_OBJECTS_HISTOGRAM = 6;
}
