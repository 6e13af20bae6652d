package ducktrack.known;

// PROGRAM tags=paths,exceptions
// EXPECT
//   opened   resource new Resource       2N
//   outer    nested newarray int[]       N    bytes=24
//   inner    nested newarray int[]       N    bytes=24
//   handled  nested newarray int[]       N/5  bytes=24
//   inFinal  nested newarray int[]       N    bytes=24
//   outFinal nested newarray int[]       N    bytes=24
//   replaced override newarray byte[]    N    bytes=24
//   closed   Resource.close new java.lang.Object 2N bytes=16
//   broken   main newarray char[]        N/2  bytes=24
// END
/** Nested try, catch and finally, left by return, break, continue and exceptions; try with resources. Finally code has several copies. */
final class TryFinally {
    private static final class Resource implements AutoCloseable {
        @Override
        public void close() {
            closed += new Object() == null ? 0 : 1; // SITE closed
        }
    }

    private static long closed;

    private static Resource resource() {
        return new Resource(); // SITE opened
    }

    private static int nested(int i) {
        int sum = 0;
        try {
            sum += new int[1].length; // SITE outer
            try {
                sum += new int[2].length; // SITE inner
                switch (i % 5) {
                    case 0:
                        throw new IllegalStateException();
                    case 1:
                        return sum;
                    case 2:
                        break;
                    default:
                        sum++;
                }
            } catch (IllegalStateException expected) {
                sum += new int[1].length; // SITE handled
                if (i % 10 == 0) {
                    throw expected;
                }
            } finally {
                sum += new int[2].length; // SITE inFinal
            }
        } catch (IllegalStateException expected) {
            sum--;
        } finally {
            sum += new int[1].length; // SITE outFinal
        }
        return sum;
    }

    @SuppressWarnings("finally") // a finally that returns swallows the exception
    private static int override(int i) {
        try {
            return i / (i % 2);
        } finally {
            return new byte[5].length; // SITE replaced
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            sum += nested(i);
            sum += override(i);
            try (Resource first = resource();
                    Resource second = resource()) {
                if (i % 2 == 0) {
                    continue;
                }
                sum += first == second ? 1 : 0;
            } finally {
                if (i % 2 == 0) {
                    sum += new char[1].length; // SITE broken
                }
            }
        }
        Known.of(TryFinally.class)
                .count("opened", 2 * Known.N).count("outer", Known.N).count("inner", Known.N).count("handled", Known.N / 5)
                .count("inFinal", Known.N).count("outFinal", Known.N).count("replaced", Known.N).count("closed", closed)
                .count("broken", Known.N / 2)
                .done(sum);
    }
}
