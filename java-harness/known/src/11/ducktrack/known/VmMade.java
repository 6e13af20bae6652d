package ducktrack.known;

import java.lang.reflect.Method;

// PROGRAM tags=vm
// EXPECT
//   methods   - vm java.lang.reflect.Method 3_000 atleast
//   traces    - vm java.lang.StackTraceElement 10_000 atleast
//   thrown    main new  java.lang.IllegalStateException 10_000
// END
/**
 * Objects that the VM makes itself, for no bytecode of the program: {@code Method} objects, backtraces, class mirrors, string
 * constants. They belong to what a report calls unattributed; the counts are lower bounds.
 */
final class VmMade {
    private void one() {}

    private void two() {}

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long methods = 0;
        for (int i = 0; i < 1_000; i++) {
            for (Method method : VmMade.class.getDeclaredMethods()) {
                sum += method.getName().length();
                methods++;
            }
        }
        long elements = 0;
        for (int i = 0; i < 10_000; i++) {
            try {
                throw new IllegalStateException(); // SITE thrown
            } catch (IllegalStateException expected) {
                elements += expected.getStackTrace().length;
            }
        }
        Known.of(VmMade.class)
                .count("methods", methods).count("traces", elements).count("thrown", 10_000)
                .done(sum);
    }
}
