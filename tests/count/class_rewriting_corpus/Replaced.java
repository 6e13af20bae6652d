import com.sun.management.ThreadMXBean;
import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Body;
import io.ducktrack.allocations.Scope;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Methods of the JDK that a JIT may replace by code of its own although their bodies allocate. All that is made is kept for a moment, so that no compiler removes it.
 *
 * <pre>
 * prints, per method:  java/lang/Integer.valueOf  bytes counted  bytes by the JVM's own counter of the thread  objects counted
 * </pre>
 */
public final class Replaced {
    interface Case {
        void call(int i) throws Exception;
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CALLS = 3000;
    private static final int WARM_UP = 60_000;
    private static final Map<String, Case> CASES = new LinkedHashMap<>();
    private static final Object[] kept = new Object[64];
    private static final Object[] NO_ARGUMENTS = {};
    private static int place;
    private static double number;

    private static void keep(Object made) {
        kept[place++ & 63] = made;
    }

    private static void texts() {
        char[] wide = {'\u3042', '\u3044', '\u3046'};
        CASES.put("java/lang/StringUTF16.toBytes", i -> keep(new String(wide)));
        CASES.put("java/lang/Integer.toString", i -> keep(Integer.toString(i)));
        CASES.put("java/lang/StringBuilder.toString", i -> {
            StringBuilder builder = new StringBuilder(40);
            keep(builder);
            keep(builder.append("a").append(i & 7).toString());
        });
        CASES.put("java/lang/StringBuffer.toString", i -> {
            StringBuffer buffer = new StringBuffer(40);
            keep(buffer);
            keep(buffer.append("a").append(i & 7).toString());
        });
        CASES.put("jdk/internal/misc/Unsafe.allocateUninitializedArray0", i -> keep(("a" + i).getBytes()));
    }

    private static void boxes() {
        CASES.put("java/lang/Integer.valueOf", i -> keep(Integer.valueOf(i + 1000)));
        CASES.put("java/lang/Long.valueOf", i -> keep(Long.valueOf(i + 1000)));
        CASES.put("java/lang/Short.valueOf", i -> keep(Short.valueOf((short) (i + 1000))));
        CASES.put("java/lang/Character.valueOf", i -> keep(Character.valueOf((char) (i + 1000))));
        CASES.put("java/lang/Float.valueOf", i -> keep(Float.valueOf(i)));
        CASES.put("java/lang/Double.valueOf", i -> keep(Double.valueOf(i)));
    }

    private static void numbers() {
        Random random = new Random(3);
        BigInteger[] factors = new BigInteger[16];
        Arrays.setAll(factors, i -> new BigInteger(20 * 32, random).setBit(20 * 32 - 1).setBit(0));
        BigInteger exponent = BigInteger.valueOf(65_537);
        Case power = i -> keep(factors[i & 15].modPow(exponent, factors[(i + 3) & 15]));
        CASES.put("java/math/BigInteger.implMultiplyToLen", i -> keep(factors[i & 15].multiply(factors[(i * 7 + 1) & 15])));
        CASES.put("java/math/BigInteger.implSquareToLen", i -> keep(factors[i & 15].multiply(factors[i & 15])));
        CASES.put("java/math/BigInteger.implMontgomeryMultiply", power);
        CASES.put("java/math/BigInteger.implMontgomerySquare", power);
        CASES.put("java/lang/Math.fma", i -> number += Math.fma((double) i, 3.0, 1.0) + Math.fma((float) i, 3f, 1f));
    }

    private static void arrays() {
        String[] strings = {"a", "b", "c"};
        int[] ints = new int[100];
        CASES.put("java/util/Arrays.copyOf", i -> keep(Arrays.copyOf(strings, 2 + (i & 3), Object[].class)));
        CASES.put("java/util/Arrays.copyOfRange", i -> keep(Arrays.copyOfRange(strings, i & 1, 3)));
        CASES.put("jdk/internal/util/ArraysSupport.vectorizedHashCode", i -> number += Arrays.hashCode(ints));
        CASES.put("jdk/internal/util/Preconditions.checkIndex", i -> number += Objects.checkIndex(i & 7, 8));
        CASES.put("java/lang/Class.cast", i -> keep(CharSequence.class.cast(strings[i & 1])));
    }

    public static Object called() {
        return "called";
    }

    private static void others() throws Exception {
        Method method = Replaced.class.getMethod("called");
        CASES.put("java/lang/reflect/Method.invoke", i -> keep(method.invoke(null, NO_ARGUMENTS)));
        byte[] input = new byte[300];
        for (String[] digest : new String[][] {{"SHA", "SHA-1"}, {"SHA2", "SHA-256"}, {"SHA5", "SHA-512"}}) {
            MessageDigest found = MessageDigest.getInstance(digest[1]);
            CASES.put("sun/security/provider/" + digest[0] + ".implCompress0", i -> keep(found.digest(input)));
        }
        if (Runtime.version().feature() >= 24) {
            KeyPairGenerator keys = KeyPairGenerator.getInstance("ML-KEM-512");
            CASES.put("com/sun/crypto/provider/ML_KEM.implKyberNtt", i -> keep(keys.generateKeyPair()));
            CASES.put("com/sun/crypto/provider/ML_KEM.implKyberInverseNtt", i -> keep(keys.generateKeyPair()));
        }
    }

    private static void calls(Case one, int calls) {
        try {
            for (int i = 0; i < calls; i++) {
                one.call(i);
            }
        } catch (Exception fault) {
            throw new IllegalStateException(fault);
        }
    }

    public static void main(String[] words) throws Exception {
        texts();
        boxes();
        numbers();
        arrays();
        others();
        long thread = Thread.currentThread().getId();
        for (Map.Entry<String, Case> entry : CASES.entrySet()) {
            Case one = entry.getValue();
            long end = System.nanoTime() + 250_000_000L;
            for (int done = 0; done < WARM_UP && System.nanoTime() < end; done += 500) {
                calls(one, 500);
            }
            long[] own = new long[1];
            Body body = () -> {
                long before = THREADS.getThreadAllocatedBytes(thread);
                calls(one, CALLS);
                own[0] = THREADS.getThreadAllocatedBytes(thread) - before;
            };
            Allocations.of(body, 0, Scope.THREAD);
            Allocations counted = Allocations.of(body, 0, Scope.THREAD);
            System.out.println(entry.getKey() + " " + counted.bytes() + " " + own[0] + " " + counted.objects());
        }
        System.err.println(number);
    }
}
