package ducktrack.known;

// PROGRAM tags=exceptions
// EXPECT
//   before     main  new   java.lang.Object  N    bytes=16
//   thrown     main  new   Failure           N/10
//   after      main  new   java.lang.Object  90_000 bytes=16
//   caught     main  newarray int[]          N/10 bytes=24
//   deepBefore deep  new   java.lang.Object  N    bytes=16
//   deepThrown deep  new   Stackless         N/5
//   deepAfter  deep  new   java.lang.Object  80_000 bytes=16
//   middle     middle newarray byte[]        N    bytes=24
//   skipped    middle newarray byte[]        80_000 bytes=32
//   caller     main  newarray long[]         N/5  bytes=24
//   failing    main  new   Failing           N
//   argument   main  new   java.lang.Object  N    bytes=16
//   inside     Failing.<init> new java.lang.Object N bytes=16
//   reason     Failing.<init> new Stackless  N/4
//   complete   Failing.<init> newarray int[] 75_000 bytes=16
//   divided    implicit newarray int[]       N    bytes=24
//   quotient   implicit newarray int[]       90_000 bytes=32
//   recovered  implicit newarray int[]       N/10 bytes=40
//   rethrown   rethrow  new Failure          N/10
//   wrapped    rethrow  new Failure          N/10
// END
/**
 * Exceptions in the middle of a path: thrown and caught here, by a caller's caller, in a constructor, by the VM (null, zero, index, cast,
 * store), rethrown and wrapped; with and without a stack trace.
 */
final class Exceptions {
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(Throwable cause) {
            super(cause);
        }
    }

    private static final class Stackless extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stackless() {
            super(null, null, false, false);
        }
    }

    private static final class Failing {
        final Object inside;

        Failing(Object argument, int i) {
            inside = new Object(); // SITE inside
            if (i % 4 == 0) {
                throw new Stackless(); // SITE reason
            }
            int[] complete = new int[0]; // SITE complete
            complete.clone();
        }
    }

    private static int deep(int i) {
        Object before = new Object(); // SITE deepBefore
        if (i % 5 == 0) {
            throw new Stackless(); // SITE deepThrown
        }
        return before.equals(new Object()) ? 1 : 0; // SITE deepAfter
    }

    private static int middle(int i) {
        byte[] kept = new byte[8]; // SITE middle
        int result = deep(i);
        return result + kept.length + new byte[16].length; // SITE skipped
    }

    private static int implicit(int i) {
        int[] divided = new int[2]; // SITE divided
        try {
            divided[0] = fault(i % 50, i);
            return new int[4].length; // SITE quotient
        } catch (RuntimeException expected) {
            return new int[6].length; // SITE recovered
        }
    }

    /** Five kinds of fault that the VM itself throws, two runs out of a hundred each. */
    private static int fault(int kind, int i) {
        Object[] strings = FAULTY;
        switch (kind) {
            case 0:
                return i / ZERO;
            case 1:
                return NOTHING.length();
            case 2:
                return strings[strings.length].hashCode();
            case 3:
                return ((Integer) strings[0]);
            case 4:
                strings[0] = i < 0 ? "x" : NUMBER;
                return 1;
            default:
                return kind;
        }
    }

    private static final Object[] FAULTY = new String[] {"a"};
    private static final Object NUMBER = 5;
    private static final String NOTHING = System.getProperty("ducktrack.known.nothing");
    private static final int ZERO = Integer.getInteger("ducktrack.known.zero", 0);

    private static void rethrow(int i) throws Failure {
        try {
            if (i % 10 == 3) {
                throw new Failure(null); // SITE rethrown
            }
        } catch (Failure first) {
            throw new Failure(first); // SITE wrapped
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            try {
                Object before = new Object(); // SITE before
                if (i % 10 == 0) {
                    throw new Failure(null); // SITE thrown
                }
                sum += before.equals(new Object()) ? 1 : 0; // SITE after
            } catch (Failure expected) {
                sum += new int[2].length; // SITE caught
            }
            try {
                sum += middle(i);
            } catch (Stackless expected) {
                sum += new long[1].length; // SITE caller
            }
            try {
                sum += new Failing(new Object(), i).inside == null ? 1 : 2; // SITE failing argument
            } catch (Stackless expected) {
                sum += 3;
            }
            sum += implicit(i);
            try {
                rethrow(i);
            } catch (Failure expected) {
                sum += expected.getCause() == null ? 4 : 5;
            }
        }
        Known known = Known.of(Exceptions.class);
        for (String site : "before deepBefore middle failing argument inside divided".split(" ")) {
            known.count(site, Known.N);
        }
        known.count("thrown", Known.N / 10).count("after", Known.N / 10 * 9).count("caught", Known.N / 10)
                .count("deepThrown", Known.N / 5).count("deepAfter", Known.N / 5 * 4).count("skipped", Known.N / 5 * 4)
                .count("caller", Known.N / 5).count("reason", Known.N / 4).count("complete", Known.N / 4 * 3)
                .count("quotient", Known.N / 10 * 9).count("recovered", Known.N / 10)
                .count("rethrown", Known.N / 10).count("wrapped", Known.N / 10)
                .done(sum);
    }
}
