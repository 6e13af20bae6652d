package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * The current thread's buffer of allocation events, in its block: writes events of every kind. The words of the block are in
 * {@link DuckTrackLayout}, those of events in {@link DuckTrackEventWords}.
 *
 * <p>A collection may begin between any two bytecodes, while they are interpreted, and wherever a method returns. The agent never writes
 * CURSOR then, it copies what is there and sets LIMIT to 0. The event that is under way may still be added, with the top from before the
 * collection; the next one comes to {@link #write}, and writes the word {@code cut} first: what is ahead of that is from before. The order
 * of the three stores matters: the words, CURSOR, LAST.
 */
final class DuckTrackEventBuffer {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long EETOP = DuckTrack.EETOP;
    private static final long SHARED = DuckTrack.SHARED;
    private static final long TLAB_TOP = DuckTrack.TLAB_TOP;
    private static final long ADDRESS_BITS = DuckTrack.ADDRESS_BITS;
    private static final long ALLOCATED = DuckTrack.ALLOCATED;
    private static final long TLAB_START = DuckTrack.constant(DuckTrackLayout.ASK_TLAB_START);
    private static final long TLAB_END = DuckTrack.constant(DuckTrackLayout.ASK_TLAB_END);
    /** Where the number of collections so far is. */
    static final long EPOCH = DuckTrack.constant(DuckTrackLayout.ASK_EPOCH);

    private static final long LAST = DuckTrackLayout.LAST;
    private static final long CURSOR = DuckTrackLayout.CURSOR;
    private static final long LIMIT = DuckTrackLayout.LIMIT;
    private static final long SAVED = DuckTrackLayout.SAVED;
    private static final long BASE = DuckTrackLayout.BASE;
    private static final long DROPPED = DuckTrackLayout.DROPPED;
    private static final long FULL = DuckTrackLayout.FULL;
    private static final long END = DuckTrackLayout.END;
    private static final long CUT = DuckTrackLayout.CUT;
    private static final long BUFFER = DuckTrackLayout.BUFFER;
    private static final long HOLDER = DuckTrackLayout.HOLDER;
    private static final long TOLD_CLOCK = DuckTrackLayout.TOLD_CLOCK;
    private static final long HOLDER_EPOCH = DuckTrackLayout.HOLDER_EPOCH;
    private static final long BEGUN = DuckTrackLayout.BEGUN;

    /** A word has 12 bits for units of 8 bytes; the same bound holds for the room in a buffer. */
    static final long FAR = -32768;
    /** What one event takes at the most, but for arrays of arrays. */
    private static final long MOST_BYTES = 21 * 4;

    /** No TLAB starts there. At 0, where others have no TLAB, the first one of ZGC without generations does: its addresses are offsets. */
    private static final long NO_START = -1;
    private static final boolean HAS_ADDRESS_0 = ADDRESS_BITS != -1;

    /** Where an object lies: at the top if it is in the TLAB at all, at the address of the object given, or not known. */
    static final int BY_TOP = 0;
    static final int ADDRESSED = 1;
    static final int ELSEWHERE = 2;

    private DuckTrackEventBuffer() {}

    /** The buffer is full: the agent takes its words and sets CURSOR, LIMIT and FULL anew. */
    private static native void flush(long block);

    /** A thread without a block allocates: the agent gives it one; what its slot must hold. */
    private static native long adopt(long eetop);

    /** The thread with this block writes its first record after one of another thread: the clock must take short steps. */
    private static native void becomeWriter(long block);

    /** The address of an object, 0 if it cannot be known. */
    private static native long address(Object object);

    /** Writes a {@code multianewarray}; the lengths of two levels are given, of more they are those of the array. */
    @Hidden
    static void levels(Object array, int outer, int inner, int site, int levelsAndElement, long total) {
        long eetop = U.getLong(DuckTrack.thread(), EETOP);
        long block = block();
        int dimensions = levelsAndElement >> 8;
        for (;;) {
            boolean cut = beginEvent(block);
            long cursor = room(block, cut, 4L * dimensions);
            if (cursor == 0) {
                return;
            }
            long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
            long start = U.getLong(null, eetop + TLAB_START) & ADDRESS_BITS;
            long allocated = U.getLong(null, eetop + ALLOCATED);
            long saved = U.getLong(null, block + SAVED);
            long last = U.getLong(null, block + LAST);
            long base = U.getLong(null, block + BASE);
            long moved = allocated + (top - start) - (last + base);
            boolean inBuffer = !cut
                    && (allocated == saved ? top - last >= total : allocated - saved == last - (saved - base) && top - start >= total);
            cursor = before(block, cursor, cut, 0);
            boolean atTop = !cut && allocated == saved && moved == total && total > 0 && top - last == total;
            if (moved == 0) {
                cursor = DuckTrackEventWords.newTop(cursor, cut, last, top);
            } else if (moved != total) {
                cursor = DuckTrackEventWords.put(cursor, DuckTrackEventWords.MOVED, moved);
            }
            U.putInt(null, cursor, DuckTrackEventWords.LEVELS | dimensions | (atTop ? DuckTrackEventWords.AT_TOP : 0));
            U.putInt(null, cursor + 4, site);
            cursor += 8;
            if (!atTop) {
                DuckTrackEventWords.putLong(cursor, moved == 0 ? 0 : inBuffer ? total : 8);
                DuckTrackEventWords.putLong(cursor + 8, top);
                cursor += 16;
            }
            if (array == null) {
                U.putInt(null, cursor, outer);
                U.putInt(null, cursor + 4, inner);
            } else {
                DuckTrackEventWords.lengths(cursor, array, levelsAndElement);
            }
            if (U.getLong(null, block + LIMIT) != 0) {
                publish(block, cursor + 4L * dimensions, top, allocated, start);
                return;
            }
        }
    }

    /**
     * Writes an event of any kind.
     *
     * @param bytes of the object, 0 if all of the site have the same
     * @param klass of the object, 0 if it is the site's
     * @param caller call site to blame, or less than 1
     * @param object a large object, or one that is not at the top; null otherwise
     * @param others bytes of objects whose events follow at once
     */
    @Hidden
    static void write(int site, long bytes, long klass, int caller, Object object, int where, long others) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = block();
        for (;;) {
            boolean cut = beginEvent(block);
            long cursor = room(block, cut, 0);
            if (cursor == 0) {
                return;
            }
            long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
            long start = U.getLong(null, eetop + TLAB_START) & ADDRESS_BITS;
            long allocated = U.getLong(null, eetop + ALLOCATED);
            long last = U.getLong(null, block + LAST);
            long all = allocated + (top - start);
            long moved = all - (last + U.getLong(null, block + BASE)) - others;
            cursor = before(block, cursor, cut, caller);
            if (klass != 0) {
                cursor = DuckTrackEventWords.typed(cursor, klass);
            }
            if (where != BY_TOP) {
                long address = where == ADDRESSED ? addressOf(object) : 0;
                cursor = DuckTrackEventWords.newTop(DuckTrackEventWords.outside(cursor, site, bytes, address, moved), cut, last, top);
            } else if (moved == 0) {
                cursor = DuckTrackEventWords.newTop(DuckTrackEventWords.nothing(cursor, site, bytes), cut, last, top);
            } else if (cut && all == U.getLong(null, block + CUT)) {
                cursor = DuckTrackEventWords.newTop(DuckTrackEventWords.straddle(cursor, site, bytes, moved), cut, last, top);
            } else {
                long saved = U.getLong(null, block + SAVED);
                long delta = top - last;
                boolean same = !cut && allocated == saved;
                if (same && (delta & FAR) == 0 && bytes <= delta) {
                    long own = bytes == 0 ? delta : bytes;
                    if (own != delta) {
                        U.putInt(null, cursor, DuckTrackEventWords.GAP | (int) (delta - own) >>> 3);
                        cursor += 4;
                    }
                    U.putInt(null, cursor, site << 12 | (int) own >>> 3);
                    cursor += 4;
                } else {
                    long startSaved = saved - U.getLong(null, block + BASE);
                    boolean sure = same || !cut && allocated - saved == last - startSaved && start != startSaved;
                    boolean inside = sure || inBuffer(bytes, top, start, cut ? NO_START : startSaved, last, allocated - saved);
                    long address = sure || object == null ? 0 : addressOf(object);
                    if (inside && (address == 0 || address == top - bytes)) {
                        cursor = DuckTrackEventWords.endsAt(cursor, site, bytes, top, moved);
                    } else {
                        cursor = DuckTrackEventWords.newTop(DuckTrackEventWords.outside(cursor, site, bytes, address, moved), cut, last, top);
                    }
                }
            }
            if (U.getLong(null, block + LIMIT) != 0) {
                publish(block, cursor, top, allocated, start);
                if (U.getLong(null, block + HOLDER) != 0 && U.getLong(null, block + HOLDER_EPOCH) != U.getInt(null, EPOCH)) {
                    renew(block, eetop);
                }
                return;
            }
            // A collection came between: what was read of the TLAB is past.
        }
    }

    /** Whether an object is at the top of the TLAB, where neither the TLAB alone nor the count outside of it has moved. */
    private static boolean inBuffer(long bytes, long top, long start, long startSaved, long last, long elsewhere) {
        if (top == 0 || top - start < bytes) {
            return false;
        }
        if (start != startSaved) {
            return top != start;
        }
        long delta = top - last;
        return delta != 0 && delta >= bytes && (delta == bytes || bytes == 0 || elsewhere < bytes);
    }

    /** What goes ahead of an event: that the thread has seen a cut, how many events found no room before, and the caller. */
    private static long before(long block, long cursor, boolean cut, int caller) {
        if (cut) {
            U.putInt(null, cursor, DuckTrackEventWords.SEEN_CUT | U.getInt(null, EPOCH) & DuckTrackEventWords.SEEN_CUT - 1);
            cursor += 4;
        }
        long dropped = U.getLong(null, block + DROPPED);
        if (dropped != 0) {
            cursor = DuckTrackEventWords.put(cursor, DuckTrackEventWords.DROP, dropped);
        }
        return DuckTrackEventWords.caller(cursor, caller);
    }

    @Hidden
    private static long addressOf(Object object) {
        try {
            return address(object);
        } catch (StackOverflowError noRoomForTheCall) {
            return 0;
        }
    }

    /** The current thread's block. */
    @Hidden
    private static long block() {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long slot = DuckTrack.slot(thread, eetop);
        if (slot == 0) {
            slot = adopted(thread, eetop);
        }
        return slot + SHARED;
    }

    @Hidden
    private static long adopted(Thread thread, long eetop) {
        try {
            long slot = adopt(eetop);
            if (slot != 0 && DuckTrack.SLOT_KIND == DuckTrack.IN_PADDING) {
                DuckTrack.setSlot(thread, slot);
            }
            return slot;
        } catch (StackOverflowError noRoomForTheCall) {
            return 0;
        }
    }

    /** True where it is not known where the TLAB stood: a collection has cut the buffer since the last event. */
    private static boolean beginEvent(long block) {
        return begin(block) | U.getLong(null, block + LAST) == 0;
    }

    /** True if a collection has cut the buffer since the last word. */
    private static boolean begin(long block) {
        if (U.getLong(null, block + LIMIT) != 0) {
            return false;
        }
        U.putLong(null, block + LIMIT, U.getLong(null, block + FULL));
        return true;
    }

    /** Ends an event: what the thread has allocated by now is told, and what was dropped. A full buffer goes to the agent. */
    @Hidden
    private static void publish(long block, long cursor, long top, long allocated, long start) {
        U.putLong(null, block + CURSOR, cursor);
        U.putLong(null, block + DROPPED, 0);
        U.putLong(null, block + SAVED, allocated);
        U.putLong(null, block + BASE, allocated - start);
        U.putLong(null, block + LAST, top);
        if (top == 0) {
            forgetTop(block);
        }
        flushIfFull(block, cursor);
    }

    /**
     * It is not known where the TLAB stands: LAST is 0, and the next event must not take its distance from the top of a TLAB at address 0
     * for that of an object. So it goes the slow way, as after a cut.
     */
    @Hidden
    private static void forgetTop(long block) {
        if (HAS_ADDRESS_0) {
            U.putLong(null, block + LIMIT, 0);
        }
    }

    /** Ends words that say nothing of what the thread has allocated. */
    @Hidden
    private static void publish(long block, long cursor) {
        U.putLong(null, block + CURSOR, cursor);
        U.putLong(null, block + DROPPED, 0);
        flushIfFull(block, cursor);
    }

    @Hidden
    private static void flushIfFull(long block, long cursor) {
        if (cursor > U.getLong(null, block + FULL)) {
            try {
                flush(block);
            } catch (StackOverflowError noRoomForTheCall) {
                // There is room for some more events; the next one tries again.
            }
        }
    }

    /**
     * Where the next event goes. 0: there is no room for it and {@code more} bytes; one more is missing, which the next event of the thread
     * says, and a snapshot of threads without a block.
     */
    @Hidden
    private static long room(long block, boolean cut, long more) {
        long cursor = U.getLong(null, block + CURSOR);
        if (cursor + MOST_BYTES + more <= U.getLong(null, block + END)) {
            return cursor;
        }
        missed(block, cut);
        return 0;
    }

    /** An object that native code is about to make first of all: if the TLAB has room for it, that is where it will be. */
    @Hidden
    static void ahead(long klass, long bytes, int site, int caller) {
        long eetop = U.getLong(DuckTrack.thread(), EETOP);
        long block = block();
        for (;;) {
            boolean cut = beginEvent(block);
            long cursor = room(block, cut, 0);
            if (cursor == 0) {
                return;
            }
            long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
            long start = U.getLong(null, eetop + TLAB_START) & ADDRESS_BITS;
            long allocated = U.getLong(null, eetop + ALLOCATED);
            long last = U.getLong(null, block + LAST);
            long moved = allocated + (top - start) - (last + U.getLong(null, block + BASE)) + bytes;
            boolean room = top != 0 && (U.getLong(null, eetop + TLAB_END) & ADDRESS_BITS) - top >= bytes;
            cursor = DuckTrackEventWords.typed(before(block, cursor, cut, caller), klass);
            cursor = room
                    ? DuckTrackEventWords.endsAt(cursor, site, bytes, top + bytes, moved)
                    : DuckTrackEventWords.newTop(DuckTrackEventWords.outside(cursor, site, bytes, 0, moved), cut, last, top);
            if (U.getLong(null, block + LIMIT) != 0) {
                // It is told already, so it is no gap of the next event.
                publish(block, cursor, room ? top + bytes : top, allocated, room ? start : start - bytes);
                return;
            }
        }
    }

    /**
     * Makes the buffer ready for a record that is no event: the thread has seen the last collection, it has a holder, the time is told, and
     * there is room. A collection may come at once; so who writes looks again. False: nothing can be written now, and that one more is
     * missing is noted.
     *
     * <p>The order matters: the clock, who wrote last, the words ({@code agent/src/trace/buffers/record_clock.rs}). If the stack ends in
     * the call, nothing has changed.
     *
     * <p>An object may be there whose event comes after this record. So nothing is said of where the TLAB stands: after a cut that is
     * forgotten, and the next event finds it out.
     */
    @Hidden
    static boolean ready(long clock) {
        long block = block();
        long micros = U.getLongVolatile(null, clock);
        if (U.getLong(null, block + BUFFER) != 0 && U.getLongVolatile(null, DuckTrackRecords.LAST_WRITER) != block) {
            becomeWriter(block);
        }
        for (;;) {
            boolean cut = begin(block);
            if (U.getLong(null, block + HOLDER) == 0 && !DuckTrackHolders.give(block, U.getLong(null, block + BUFFER))) {
                return missed(block, cut);
            }
            long cursor = room(block, cut, 0);
            if (cursor == 0) {
                return false;
            }
            cursor = before(block, cursor, cut, 0);
            long since = micros - U.getLong(null, block + BEGUN);
            if (since > 0 && since <= DuckTrackLayout.EVENT_MAX_CLOCK) {
                U.putInt(null, cursor, DuckTrackEventWords.CLOCK + (int) since);
                cursor += 4;
            }
            if (U.getLong(null, block + LIMIT) != 0) {
                if (cut) {
                    long last = U.getLong(null, block + LAST);
                    U.putLong(null, block + BASE, U.getLong(null, block + BASE) + last);
                    U.putLong(null, block + LAST, 0);
                }
                U.putLong(null, block + TOLD_CLOCK, micros);
                publish(block, cursor);
                if (cut) {
                    forgetTop(block);
                }
                return true;
            }
        }
    }

    /** After an event: a holder that a collection has left behind gives way to a young one, and that the thread has allocated is told. */
    @Hidden
    private static void renew(long block, long eetop) {
        if (!DuckTrackHolders.renew(block, U.getLong(null, block + BUFFER))) {
            return;
        }
        long cursor = room(block, false, 0);
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
        long start = U.getLong(null, eetop + TLAB_START) & ADDRESS_BITS;
        long allocated = U.getLong(null, eetop + ALLOCATED);
        long last = U.getLong(null, block + LAST);
        long moved = allocated + (top - start) - (last + U.getLong(null, block + BASE));
        if (cursor == 0 || last == 0) {
            return;
        }
        cursor = DuckTrackEventWords.newTop(DuckTrackEventWords.put(cursor, DuckTrackEventWords.VM_BYTES, moved), false, last, top);
        if (U.getLong(null, block + LIMIT) != 0) {
            publish(block, cursor, top, allocated, start);
        }
        // Else a collection came between, and the next event tells it.
    }

    private static boolean missed(long block, boolean cut) {
        if (cut) {
            // The next event has to say it.
            U.putLong(null, block + LIMIT, 0);
        }
        U.getAndAddLong(null, block + DROPPED, 1);
        return false;
    }
}
