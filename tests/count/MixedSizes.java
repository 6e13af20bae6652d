/** Callers that make arrays of different sizes at one place. Arguments: rounds, then for each caller how many arrays of how many bytes it makes in a round. */
public class MixedSizes {
    static volatile Object sink;
    static final long[] bytes = new long[6];

    static byte[] make(int length) {
        return new byte[length];
    }

    static void caller0(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }
    static void caller1(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }
    static void caller2(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }
    static void caller3(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }
    static void caller4(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }
    static void caller5(int times, int length) { for (int i = 0; i < times; i++) sink = make(length); }

    static void call(int caller, int times, int length) {
        switch (caller) {
            case 0: caller0(times, length); break;
            case 1: caller1(times, length); break;
            case 2: caller2(times, length); break;
            case 3: caller3(times, length); break;
            case 4: caller4(times, length); break;
            default: caller5(times, length); break;
        }
        bytes[caller] += times * ((16L + length + 7) / 8 * 8);
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        int callers = arguments.length - 1;
        int[] times = new int[callers];
        int[] lengths = new int[callers];
        for (int caller = 0; caller < callers; caller++) {
            String[] words = arguments[caller + 1].split("x");
            times[caller] = Integer.parseInt(words[0]);
            lengths[caller] = Integer.parseInt(words[1]);
        }
        int seed = 42;
        for (int round = 0; round < rounds * callers; round++) {
            // In an order without a period.
            seed = seed * 1664525 + 1013904223;
            int caller = (int) ((seed >>> 8) % callers);
            call(caller, times[caller], lengths[caller]);
        }
        for (int caller = 0; caller < callers; caller++) {
            System.out.println("caller" + caller + " " + bytes[caller]);
        }
    }
}
