package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The current thread's buffer of allocation events, in its block: writes events of every kind. Words are described in the crate {@code trace-format}.
 *
 * <pre>
 * block:  word 1       the note of the call of a tracked method that is under way ({@link DuckTrack})
 *         word 8       LAST     top of the TLAB by the last event
 *         word 9       CURSOR   where the next word goes
 *         word 10      LIMIT    the last place where the fast path may write; 0 after a collection has cut the buffer
 *         word 11      SAVED    the VM's count of bytes allocated by the thread in earlier TLABs and outside of TLABs, by the last event
 *         word 12      BASE     SAVED less the start of the TLAB: LAST + BASE is what the thread had allocated by the last event
 *         word 13      DROPPED  events that found no room
 *         word 14      FULL     what LIMIT is while no collection cuts
 *         word 15      END      the end of the buffer; from FULL to END is room for what cannot wait
 *         word 16      CUT      what the thread had allocated when a collection cut the buffer
 *         word 18      BIAS     with CURSOR, the thread's position in its stream ({@link DuckTrackWitness})
 *         word 17      OWNER    the number of the buffer and 1
 *         word 19      HOLDER   where the thread's holder is in the array of holders, from its first element on ({@link DuckTrackRecords})
 *         word 21      HOLDER_EPOCH  collections before the holder was made
 *         word 20      TOLD_CLOCK  the clock as the thread has told it
 *         word 47      BEGUN    when the words since the last flush were begun, microseconds since 1970
 * </pre>
 *
 * <p>A collection may begin between any two bytecodes, while they are interpreted, and wherever a method returns. The agent never writes CURSOR
 * then, it copies what is there and sets LIMIT to 0. The event that is under way may still be added, with the top from before the collection; the next
 * one comes to {@link #write}, and writes the word {@code cut} first: what is ahead of that is from before. The order of the three stores
 * matters: the words, CURSOR, LAST.
 */
final class DuckTrackEventBuffer {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long EETOP = DuckTrack.EETOP;
    private static final long SHARED = DuckTrack.SHARED;
    private static final long TLAB_TOP = DuckTrack.TLAB_TOP;
    private static final long ALLOCATED = DuckTrack.ALLOCATED;
    private static final long TLAB_START = DuckTrack.constant(21);
    private static final long TLAB_END = DuckTrack.constant(24);
    /** Where the number of collections so far is. */
    static final long EPOCH = DuckTrack.constant(25);

    static final long NOTE = 8;
    static final long LAST = 8 * 8;
    static final long CURSOR = 9 * 8;
    static final long LIMIT = 10 * 8;
    static final long SAVED = 11 * 8;
    private static final long BASE = 12 * 8;
    private static final long DROPPED = 13 * 8;
    private static final long FULL = 14 * 8;
    private static final long END = 15 * 8;
    private static final long CUT = 16 * 8;
    private static final long OWNER = 17 * 8;
    static final long BIAS = 18 * 8;
    static final long HOLDER = 19 * 8;
    static final long TOLD_CLOCK = 20 * 8;
    static final long HOLDER_EPOCH = 21 * 8;
    private static final long BEGUN = 47 * 8;

    private static final int SEEN_CUT = 1 << 11;
    private static final int AT = 1 << 12;
    private static final int OUTSIDE = 2 << 12;
    private static final int ARRAY = 3 << 12;
    private static final int GAP = 4 << 12;
    private static final int NOTHING = 5 << 12;
    private static final int TYPED = 6 << 12;
    private static final int CALLER = 7 << 12;
    private static final int LEVELS = 8 << 12;
    /** The top moved by just the arrays of the event. */
    private static final int AT_TOP = 1 << 11;
    private static final int DROP = 9 << 12;
    private static final int STRADDLE = 10 << 12;
    private static final int ELIMINATED = 11 << 12;
    private static final int MOVED = 12 << 12;
    private static final int TOP = 13 << 12;
    private static final int CLOCK = 0xE0000000;
    private static final long MOST_CLOCK = (1 << 28) - 1;
    /** The VM or native code allocated. */
    private static final int VM_BYTES = 0xF0001 << 12 | 2;

    /** A word has 12 bits for units of 8 bytes; the same bound holds for the room in a buffer. */
    static final long FAR = -32768;
    /** What one event takes at the most, but for arrays of arrays. */
    private static final long MOST_BYTES = 21 * 4;

    /** Where an object lies: at the top if it is in the TLAB at all, at the address of the object given, or not known. */
    static final int BY_TOP = 0;
    static final int ADDRESSED = 1;
    static final int ELSEWHERE = 2;

    private DuckTrackEventBuffer() {}

    /** The buffer is full: the agent takes its words and sets CURSOR, LIMIT and FULL anew. */
    private static native void flush(long block);

    /** A thread without a block allocates: the agent gives it one; what its slot must hold. */
    private static native long adopt(long eetop);

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
            long top = U.getLong(null, eetop + TLAB_TOP);
            long start = U.getLong(null, eetop + TLAB_START);
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
                cursor = newTop(cursor, cut, last, top);
            } else if (moved != total) {
                cursor = put(cursor, MOVED, moved);
            }
            U.putInt(null, cursor, LEVELS | dimensions | (atTop ? AT_TOP : 0));
            U.putInt(null, cursor + 4, site);
            cursor += 8;
            if (!atTop) {
                putLong(cursor, moved == 0 ? 0 : inBuffer ? total : 8);
                putLong(cursor + 8, top);
                cursor += 16;
            }
            if (array == null) {
                U.putInt(null, cursor, outer);
                U.putInt(null, cursor + 4, inner);
            } else {
                lengths(cursor, array, levelsAndElement);
            }
            if (U.getLong(null, block + LIMIT) != 0) {
                publish(block, cursor + 4L * dimensions, top, allocated, start);
                return;
            }
        }
    }

    private static void lengths(long cursor, Object array, int levelsAndElement) {
        Object level = array;
        for (int i = levelsAndElement >> 8; i > 0; i--, cursor += 4) {
            int n = level == null ? 0 : i == 1 ? DuckTrack.length(level, levelsAndElement & 0xff) : ((Object[]) level).length;
            U.putInt(null, cursor, n);
            level = i == 1 || n == 0 ? null : ((Object[]) level)[0];
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
            long top = U.getLong(null, eetop + TLAB_TOP);
            long start = U.getLong(null, eetop + TLAB_START);
            long allocated = U.getLong(null, eetop + ALLOCATED);
            long last = U.getLong(null, block + LAST);
            long all = allocated + (top - start);
            long moved = all - (last + U.getLong(null, block + BASE)) - others;
            cursor = before(block, cursor, cut, caller);
            if (klass != 0) {
                cursor = typed(cursor, klass);
            }
            if (where != BY_TOP) {
                long address = where == ADDRESSED ? addressOf(object) : 0;
                cursor = newTop(outside(cursor, site, bytes, address, moved), cut, last, top);
            } else if (moved == 0) {
                cursor = newTop(nothing(cursor, site, bytes), cut, last, top);
            } else if (cut && all == U.getLong(null, block + CUT)) {
                cursor = newTop(straddle(cursor, site, bytes, moved), cut, last, top);
            } else {
                long saved = U.getLong(null, block + SAVED);
                long delta = top - last;
                boolean same = !cut && allocated == saved;
                if (same && (delta & FAR) == 0 && bytes <= delta) {
                    long own = bytes == 0 ? delta : bytes;
                    if (own != delta) {
                        U.putInt(null, cursor, GAP | (int) (delta - own) >>> 3);
                        cursor += 4;
                    }
                    U.putInt(null, cursor, site << 12 | (int) own >>> 3);
                    cursor += 4;
                } else {
                    long startSaved = saved - U.getLong(null, block + BASE);
                    boolean sure = same || !cut && allocated - saved == last - startSaved && start != startSaved;
                    boolean inside = sure || inBuffer(bytes, top, start, cut ? 0 : startSaved, last, allocated - saved);
                    long address = sure || object == null ? 0 : addressOf(object);
                    if (inside && (address == 0 || address == top - bytes)) {
                        cursor = at(cursor, site, bytes, top, moved);
                    } else {
                        cursor = newTop(outside(cursor, site, bytes, address, moved), cut, last, top);
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

    private static long at(long cursor, int site, long bytes, long top, long moved) {
        if (moved != bytes && moved > 0) {
            cursor = put(cursor, MOVED, moved);
        }
        U.putInt(null, cursor, bytes == 0 ? AT : ARRAY);
        U.putInt(null, cursor + 4, site);
        cursor += 8;
        if (bytes != 0) {
            putLong(cursor, bytes);
            cursor += 8;
        }
        putLong(cursor, top);
        return cursor + 8;
    }

    private static long outside(long cursor, int site, long bytes, long address, long moved) {
        if (moved != bytes && moved > 0) {
            cursor = put(cursor, MOVED, moved);
        }
        U.putInt(null, cursor, OUTSIDE);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        putLong(cursor + 16, address);
        return cursor + 24;
    }

    private static long straddle(long cursor, int site, long bytes, long moved) {
        cursor = put(cursor, MOVED, moved);
        U.putInt(null, cursor, STRADDLE);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        return cursor + 16;
    }

    private static long nothing(long cursor, int site, long bytes) {
        if (bytes == 0) {
            U.putInt(null, cursor, site << 12);
            return cursor + 4;
        }
        if ((bytes & FAR) == 0) {
            U.putInt(null, cursor, NOTHING | (int) bytes >>> 3);
            U.putInt(null, cursor + 4, site);
            return cursor + 8;
        }
        U.putInt(null, cursor, ELIMINATED);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        return cursor + 16;
    }

    /** Where the TLAB stands now, after an event that does not say so. */
    private static long newTop(long cursor, boolean cut, long last, long top) {
        return top != 0 && (cut || top != last) ? put(cursor, TOP, top) : cursor;
    }

    /** What goes ahead of an event: that the thread has seen a cut, how many events found no room before, and the caller. */
    private static long before(long block, long cursor, boolean cut, int caller) {
        if (cut) {
            U.putInt(null, cursor, SEEN_CUT | U.getInt(null, EPOCH) & SEEN_CUT - 1);
            cursor += 4;
        }
        long dropped = U.getLong(null, block + DROPPED);
        if (dropped != 0) {
            cursor = put(cursor, DROP, dropped);
        }
        return caller(cursor, caller);
    }

    /** The call site to blame, if there is one, ahead of its event. */
    @ForceInline
    @Hidden
    static long caller(long cursor, int caller) {
        if (caller <= 0) {
            return cursor;
        }
        U.putInt(null, cursor, CALLER);
        U.putInt(null, cursor + 4, caller);
        return cursor + 8;
    }

    /** The class of an object, ahead of its event. */
    static long typed(long cursor, long klass) {
        return put(cursor, TYPED, klass);
    }

    private static long put(long cursor, int operation, long value) {
        U.putInt(null, cursor, operation);
        putLong(cursor + 4, value);
        return cursor + 12;
    }

    /** Words are only aligned to 4 bytes. */
    private static void putLong(long cursor, long value) {
        U.putInt(null, cursor, (int) value);
        U.putInt(null, cursor + 4, (int) (value >>> 32));
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
        flushIfFull(block, cursor);
    }

    /** The same for words that say nothing of what the thread has allocated. */
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
     * Where the next event goes. 0: there is no room for it and {@code more} bytes; one more is missing, which the next event of the thread says, and a
     * snapshot of threads without a block.
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
            long top = U.getLong(null, eetop + TLAB_TOP);
            long start = U.getLong(null, eetop + TLAB_START);
            long allocated = U.getLong(null, eetop + ALLOCATED);
            long last = U.getLong(null, block + LAST);
            long moved = allocated + (top - start) - (last + U.getLong(null, block + BASE)) + bytes;
            boolean room = top != 0 && U.getLong(null, eetop + TLAB_END) - top >= bytes;
            cursor = typed(before(block, cursor, cut, caller), klass);
            cursor = room
                    ? at(cursor, site, bytes, top + bytes, moved)
                    : newTop(outside(cursor, site, bytes, 0, moved), cut, last, top);
            if (U.getLong(null, block + LIMIT) != 0) {
                // It is told already, so it is no gap of the next event.
                publish(block, cursor, room ? top + bytes : top, allocated, room ? start : start - bytes);
                return;
            }
        }
    }

    /**
     * Makes the buffer ready for a record that is no event: the thread has seen the last collection, it has a holder, the time is told, and there is room. A collection may come
     * at once; so who writes looks again. False: nothing can be written now, and that one more is missing is noted.
     *
     * <p>An object may be there whose event comes after this record. So nothing is said of where the TLAB stands: after a cut that is forgotten, and the next event finds it out.
     */
    @Hidden
    static boolean ready(long clock) {
        long block = block();
        for (;;) {
            boolean cut = begin(block);
            if (U.getLong(null, block + HOLDER) == 0 && !DuckTrackRecords.give(block, U.getLong(null, block + OWNER))) {
                return missed(block, cut);
            }
            long cursor = room(block, cut, 0);
            if (cursor == 0) {
                return false;
            }
            cursor = before(block, cursor, cut, 0);
            long micros = U.getLong(null, clock);
            long since = micros - U.getLong(null, block + BEGUN);
            if (since > 0 && since <= MOST_CLOCK) {
                U.putInt(null, cursor, CLOCK + (int) since);
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
                return true;
            }
        }
    }

    /** After an event: a holder that a collection has left behind gives way to a young one, and that the thread has allocated is told. */
    @Hidden
    private static void renew(long block, long eetop) {
        if (!DuckTrackRecords.renew(block, U.getLong(null, block + OWNER))) {
            return;
        }
        long cursor = room(block, false, 0);
        long top = U.getLong(null, eetop + TLAB_TOP);
        long start = U.getLong(null, eetop + TLAB_START);
        long allocated = U.getLong(null, eetop + ALLOCATED);
        long last = U.getLong(null, block + LAST);
        long moved = allocated + (top - start) - (last + U.getLong(null, block + BASE));
        if (cursor == 0 || last == 0) {
            return;
        }
        cursor = newTop(put(cursor, VM_BYTES, moved), false, last, top);
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
