package ducktrack.known;

import java.nio.ByteBuffer;

// PROGRAM tags=jni options=-Djava.library.path=target/native
// EXPECT
//   newObject   newObject   jni Made    N bytes=16
//   made        -           jni Made    N bytes=16
//   inside      Made.<init> newarray short[] N bytes=24
//   allocObject allocObject jni Bare    N bytes=16
//   bare        -           jni Bare    N bytes=16
//   stringUtf   stringUtf   jni java.lang.String N
//   string      string      jni java.lang.String N
//   objects     objects     jni Made[]  N
//   booleans    primitives  jni boolean[] N bytes=24
//   bytes       primitives  jni byte[]  N bytes=24
//   chars       primitives  jni char[]  N bytes=24
//   shorts      primitives  jni short[] N bytes=24
//   ints        primitives  jni int[]   N bytes=32
//   longs       primitives  jni long[]  N bytes=40
//   floats      primitives  jni float[] N bytes=32
//   doubles     primitives  jni double[] N bytes=40
//   buffer      buffer      jni java.nio.DirectByteBuffer N/10
//   failing     failing     jni int[]   0
//   callback    callBack    newarray char[] N bytes=32
// END
/**
 * Objects made by native code: NewObject (A, V and plain), AllocObject, NewString, NewStringUTF, NewObjectArray, New<Type>Array,
 * NewDirectByteBuffer; one that fails; and a call back into Java that allocates there.
 */
final class Jni {
    static final class Made {
        final int value;

        Made(int value) {
            this.value = value + new short[2].length; // SITE inside
        }
    }

    static final class Bare {
        int value;
    }

    static {
        System.loadLibrary("known");
    }

    private static native Made newObject(int form, int value);

    private static native Bare allocObject();

    private static native String stringUtf();

    private static native String string();

    private static native Made[] objects(Made first);

    /** Makes an array of each primitive type, length 3. */
    private static native int primitives();

    private static native ByteBuffer buffer();

    private static native int[] failing();

    private static native int into(int value);

    private static int callBack(int value) {
        return value + new char[5].length; // SITE callback
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Made first = null;
        for (int i = 0; i < Known.N; i++) {
            Made made = newObject(i % 3, i);
            first = made;
            sum += made.value + allocObject().value;
            sum += stringUtf().length() + string().length();
            sum += objects(first).length + primitives();
            sum += into(i);
            if (i % 10 == 0) {
                sum += buffer().capacity();
                try {
                    sum += failing().length;
                } catch (NegativeArraySizeException expected) {
                    sum++;
                }
            }
        }
        Known known = Known.of(Jni.class).count("buffer", Known.N / 10).count("failing", 0);
        for (String site : ("newObject made inside allocObject bare stringUtf string objects booleans bytes chars shorts ints longs floats"
                + " doubles callback").split(" ")) {
            known.count(site, Known.N);
        }
        known.done(sum);
    }
}
