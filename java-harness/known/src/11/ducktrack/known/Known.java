package ducktrack.known;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a program expects of itself: the rows of its header, and what it counted, which must agree. */
final class Known {
    /** How often the loops run, unless they say otherwise. */
    static final int N = 100_000;

    private final String program;
    private final Map<String, String[]> rows = new LinkedHashMap<>();
    private final Map<String, Long> counts = new HashMap<>();

    private Known(Class<?> program) throws IOException {
        this.program = program.getSimpleName();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                program.getResourceAsStream(this.program + ".expect"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] row = line.split("\t");
                rows.put(row[0], row);
            }
        }
    }

    static Known of(Class<?> program) throws IOException {
        return new Known(program);
    }

    /** How often the program itself saw a site make an object. */
    Known count(String site, long count) {
        counts.put(site, count);
        return this;
    }

    /** Prints the {@code EXPECT} lines and the checksum; ends the program with 1 if its counts are not those of its header. */
    void done(long checksum) {
        boolean agree = counts.keySet().equals(rows.keySet());
        if (!agree) {
            System.out.println("DISAGREE " + program + " counted " + counts.keySet() + ", header " + rows.keySet());
        }
        for (String[] row : rows.values()) {
            Long count = counts.get(row[0]);
            if (count != null && !row[5].equals("*") && Long.parseLong(row[5]) != count) {
                System.out.println("DISAGREE " + program + " " + row[0] + " counted " + count + ", header " + row[5]);
                agree = false;
            }
            if (count != null) {
                String bytes = row[6].equals("-") ? "-" : Long.toString(Long.parseLong(row[6]) * count);
                System.out.println("EXPECT " + row[1] + " " + row[2] + " " + row[3] + " " + row[4] + " " + count + " " + bytes + " "
                        + row[7] + " " + row[8]);
            }
        }
        System.out.println("CHECKSUM " + Long.toHexString(checksum));
        System.out.flush();
        if (!agree) {
            System.exit(1);
        }
    }
}
