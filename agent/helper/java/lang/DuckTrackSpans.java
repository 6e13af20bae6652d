package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * OpenTelemetry's current span as a context: its name, and its trace for the largest execution.
 *
 * <pre>
 * ThreadLocalContextStorage.attach(context)   returns a scope: the span of the context becomes current      attached
 * ScopeImpl.close()                           what was current before is so again                           closing
 *
 * context   ArrayBasedContext.entries: key, value, key, value; the span is the value that is an SdkSpan
 * span      SdkSpan.name, SdkSpan.context (AutoValue_ImmutableSpanContext.traceId)
 * </pre>
 *
 * <p>Fields are read where they are, so that no code of the library runs here. A library that has others opens no contexts.
 */
public final class DuckTrackSpans {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final String SPAN = "SdkSpan";
    /** Traces by thread, each with the thread's identity. */
    private static final Object[][] TRACES = new Object[1 << 10][];
    private static final int ENTRIES = 0;
    private static final int NAME = 1;
    private static final int CONTEXT = 2;
    private static final int TRACE = 3;
    private static final int BEFORE = 4;
    private static final int CLOSED = 5;
    private static final String[] FIELDS = {"entries", "name", "context", "traceId", "beforeAttach", "closed"};
    /** By field: the class in which it was found last, and its offset there (a Long); 0: there is none. */
    private static final Object[][] PLACES = new Object[FIELDS.length][];
    /** Whether {@code Unsafe.getReference} is there: JDK 11 calls it {@code getObject}. */
    private static final boolean CAN_READ = canRead();

    private DuckTrackSpans() {}

    /** A context of OpenTelemetry became current on the thread, until the scope is closed. */
    @Hidden
    public static void attached(Object scope, Object context, int pattern) {
        // The scope that does nothing is an enum.
        if (!CAN_READ || scope == null || scope instanceof Enum || offset(scope, CLOSED) == 0) {
            return;
        }
        Object span = span(context);
        keepTrace(span);
        DuckTrackContexts.enterKnown(span == null ? null : value(span, NAME), pattern);
    }

    /** The scope is being closed. */
    @Hidden
    public static void closing(Object scope) {
        long closed = CAN_READ ? offset(scope, CLOSED) : 0;
        if (closed == 0 || U.getBoolean(scope, closed)) {
            return;
        }
        DuckTrackContexts.leave();
        keepTrace(span(value(scope, BEFORE)));
    }

    /** The trace of the thread's current span, or null. */
    static String trace(Thread thread) {
        int identity = System.identityHashCode(thread);
        Object[] row = TRACES[identity & TRACES.length - 1];
        boolean isIts = row != null && row[0] instanceof Integer && (Integer) row[0] == identity;
        return isIts && row[1] instanceof String ? (String) row[1] : null;
    }

    private static void keepTrace(Object span) {
        Object context = span == null ? null : value(span, CONTEXT);
        Object trace = context == null ? null : value(context, TRACE);
        int identity = System.identityHashCode(Thread.currentThread());
        try {
            TRACES[identity & TRACES.length - 1] = new Object[] {identity, trace};
        } catch (Throwable noMemory) {
            // The trace is not known.
        }
    }

    /** The span of a context, or null. */
    private static Object span(Object context) {
        Object entries = context == null ? null : value(context, ENTRIES);
        if (entries instanceof Object[]) {
            for (Object entry : (Object[]) entries) {
                if (entry != null && entry.getClass().getName().endsWith(SPAN)) {
                    return entry;
                }
            }
        }
        return null;
    }

    private static Object value(Object object, int field) {
        long offset = object == null ? 0 : offset(object, field);
        return offset == 0 ? null : U.getReference(object, offset);
    }

    private static long offset(Object object, int field) {
        Class<?> type = object.getClass();
        Object[] place = PLACES[field];
        if (place != null && place[0] == type && place[1] != null) {
            return (Long) place[1];
        }
        long offset = find(type, FIELDS[field]);
        try {
            PLACES[field] = new Object[] {type, offset};
        } catch (Throwable noMemory) {
            // It is looked up again.
        }
        return offset;
    }

    private static long find(Class<?> type, String field) {
        try {
            return U.objectFieldOffset(type, field);
        } catch (Throwable none) {
            return 0;
        }
    }

    private static boolean canRead() {
        try {
            return U.getReference(SPAN, U.objectFieldOffset(String.class, "value")) != null;
        } catch (Throwable older) {
            return false;
        }
    }
}
