package java.lang;

/** The arrays of a stack trace as the VM makes it. */
final class DuckTrackStackTrace {
    private DuckTrackStackTrace() {}

    // A stack trace as the VM makes it (HotSpot's BacktraceBuilder). For every 32 frames it has a part, which is one of
    //   {short[], int[], Object[], long[], next part}                            JDK 11
    //   {short[], int[], Object[], long[], next part, mark}                      JDK 17
    //   {short[], int[], Object[], long[], Object[] or null, next part, mark}    JDK 21, 25
    // and the mark is null or an array that stands elsewhere, too.

    /** The first part; null: there is none, or it is not as those above. */
    static Object[] part(Object backtrace) {
        if (!(backtrace instanceof Object[])) {
            return null;
        }
        Object[] part = (Object[]) backtrace;
        return part.length >= 5 && part.length <= 7 ? part : null;
    }

    /** The number of arrays of a part: it is the first of them, the others stand in it before the next part. */
    static int arraysOf(Object[] part) {
        return part.length == 7 ? 6 : 5;
    }

    /** One of them, or null. */
    static Object arrayOf(Object[] part, int i) {
        return i == 0 ? part : part[i - 1];
    }

    static Object[] nextPart(Object[] part) {
        return part(part[arraysOf(part) - 1]);
    }
}
