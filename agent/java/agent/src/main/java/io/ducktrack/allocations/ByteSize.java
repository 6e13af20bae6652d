package io.ducktrack.allocations;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them. */
public final class ByteSize {
    private static final Pattern SIZE = Pattern.compile("\\s*(\\d+)\\s*([KMG]?)(i?)B?\\s*", Pattern.CASE_INSENSITIVE);

    private ByteSize() {}

    /**
     * {@code 4096}, {@code 4KiB} (1024 bytes each), {@code 4KB} (1000 bytes each).
     *
     * @throws IllegalArgumentException if it is none
     */
    public static long parse(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no size: write 4096, 4KiB or 4KB");
        }
        long unit = matcher.group(3).isEmpty() ? 1000 : 1024;
        long factor = 1;
        for (int power = "KMG".indexOf(matcher.group(2).toUpperCase(java.util.Locale.ROOT)); !matcher.group(2).isEmpty() && power >= 0; power--) {
            factor = Math.multiplyExact(factor, unit);
        }
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
    }
}
