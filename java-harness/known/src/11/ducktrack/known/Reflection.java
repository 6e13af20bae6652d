package ducktrack.known;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

// PROGRAM
// EXPECT
//   constructor main reflection Made  N  bytes=16 via=java.lang.reflect.Constructor.newInstance
//   made        -    reflection Made  N  bytes=16
//   class       main reflection Plain N  bytes=16 via=java.lang.Class.newInstance
//   plain       -    reflection Plain N  bytes=16
//   throwing    -    reflection Throwing N/100 bytes=16
//   abstract    -    reflection Abstract 0
// END
/**
 * {@code Constructor.newInstance} and {@code Class.newInstance}: each object once, whatever the JDK does inside (native code first,
 * then generated classes or method handles). A constructor that throws has made its object; an abstract class makes none.
 */
final class Reflection {
    static final class Made {
        final int value;

        Made(int value) {
            this.value = value;
        }
    }

    static final class Plain {
        Plain() {}
    }

    static final class Throwing {
        Throwing() {
            throw new IllegalStateException("as asked");
        }
    }

    abstract static class Abstract {
        Abstract() {}
    }

    @SuppressWarnings("deprecation") // Class.newInstance is one way to allocate
    public static void main(String[] words) throws Exception {
        long sum = 0;
        Constructor<Made> constructor = Made.class.getDeclaredConstructor(int.class);
        Constructor<Throwing> throwing = Throwing.class.getDeclaredConstructor();
        Constructor<Abstract> abstractOne = Abstract.class.getDeclaredConstructor();
        for (int i = 0; i < Known.N; i++) {
            sum += constructor.newInstance(i).value; // SITE constructor
            sum += Plain.class.newInstance() == null ? 1 : 0; // SITE class
            if (i % 100 == 0) {
                try {
                    throwing.newInstance();
                } catch (InvocationTargetException expected) {
                    sum++;
                }
                try {
                    abstractOne.newInstance();
                } catch (InstantiationException expected) {
                    sum++;
                }
            }
        }
        Known.of(Reflection.class)
                .count("constructor", Known.N).count("made", Known.N).count("class", Known.N).count("plain", Known.N)
                .count("throwing", Known.N / 100).count("abstract", 0)
                .done(sum);
    }
}
