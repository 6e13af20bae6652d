package ducktrack.known;

// PROGRAM
// EXPECT
//   derived    main           new      Derived   N
//   toThis     Derived.<init> newarray int[]     N bytes=24
//   toSuper    Derived.<init> new      Part      N bytes=16
//   toSuper2   Derived.<init> newarray byte[]    N/2 bytes=24
//   field      Derived.<init> new      Part      N bytes=16
//   block      Derived.<init> newarray long[]    N bytes=24
//   last       Derived.<init> newarray short[]   N bytes=24
//   base       Base.<init>    newarray char[]    N bytes=24
//   choice     main           new      Part      N/4 bytes=16
// END
/** Arguments of {@code this(...)} and {@code super(...)} that allocate, before the object itself is initialized; initializers after. */
final class Constructors {
    private static final class Part {}

    private static class Base {
        final int base;

        Base(Part part, byte[] bytes) {
            base = new char[2].length + (part == null ? 0 : 1) + (bytes == null ? 0 : bytes.length); // SITE base
        }
    }

    private static final class Derived extends Base {
        final Part field = new Part(); // SITE field
        int sum;

        {
            sum += new long[1].length; // SITE block
        }

        Derived(int i) {
            this(i, new int[] {i, 2}); // SITE toThis
            sum += new short[4].length; // SITE last
        }

        private Derived(int i, int[] values) {
            super(new Part(), i % 2 == 0 ? new byte[3] : null); // SITE toSuper toSuper2
            sum += values.length + (field == null ? 1 : 0);
        }
    }

    private static int take(Part part, Derived derived) {
        return derived.sum + derived.base + (part == null ? 0 : 1);
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            // Both operands lie uninitialized on the stack while the other is made.
            sum += take(i % 4 == 0 ? new Part() : null, new Derived(i)); // SITE choice derived
        }
        Known known = Known.of(Constructors.class).count("toSuper2", Known.N / 2).count("choice", Known.N / 4);
        for (String site : "derived toThis toSuper field block last base".split(" ")) {
            known.count(site, Known.N);
        }
        known.done(sum);
    }
}
