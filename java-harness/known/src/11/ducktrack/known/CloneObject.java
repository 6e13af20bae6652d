package ducktrack.known;

// PROGRAM
// EXPECT
//   base   Base.clone clone Base   N bytes=16
//   middle Base.clone clone Middle N bytes=24
//   leaf   Base.clone clone Leaf   2N bytes=24
//   extra  Leaf.clone new java.lang.Object 2N bytes=16
//   plain  Plain.copy clone Plain  N bytes=16
//   other  Overriding.clone clone Overriding N bytes=16
//   fails  Refusing.tryClone clone Refusing 0
// END
/** {@code Object.clone} through chains of {@code super.clone()}: one site, one object, of the class of the receiver. */
final class CloneObject {
    private static class Base implements Cloneable {
        int a = 1;

        @Override
        public Base clone() {
            try {
                return (Base) super.clone(); // SITE base middle leaf
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    private static class Middle extends Base {
        int b = 2;
    }

    private static final class Leaf extends Middle {
        Object extra;

        @Override
        public Leaf clone() {
            Leaf copy = (Leaf) super.clone();
            copy.extra = new Object(); // SITE extra
            return copy;
        }
    }

    /** Has no clone of its own: the call is one of {@code Object.clone}, unless a subclass overrides it. */
    private static class Plain implements Cloneable {
        int a = 1;

        Plain copy() throws CloneNotSupportedException {
            return (Plain) clone(); // SITE plain
        }
    }

    private static final class Overriding extends Plain {
        @Override
        protected Object clone() throws CloneNotSupportedException {
            return super.clone(); // SITE other
        }
    }

    /** Not {@link Cloneable}. */
    private static final class Refusing {
        Object tryClone() {
            try {
                return super.clone(); // SITE fails
            } catch (CloneNotSupportedException expected) {
                return null;
            }
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Base base = new Base();
        Base middle = new Middle();
        Base leaf = new Leaf();
        Plain plain = new Plain();
        Plain overriding = new Overriding();
        Refusing refusing = new Refusing();
        for (int i = 0; i < Known.N; i++) {
            sum += base.clone().a;
            sum += ((Middle) middle.clone()).b;
            sum += leaf.clone().a + ((Leaf) leaf.clone()).b;
            sum += plain.copy().a + overriding.copy().a;
            sum += refusing.tryClone() == null ? 1 : 0;
        }
        Known.of(CloneObject.class)
                .count("base", Known.N).count("middle", Known.N).count("leaf", 2 * Known.N).count("extra", 2 * Known.N).count("plain", Known.N).count("other", Known.N).count("fails", 0)
                .done(sum);
    }
}
