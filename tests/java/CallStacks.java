import java.io.IOException;

/** Paths to one place that makes known shares of its objects, and a program that allocates until it is told to end. */
public class CallStacks {
    static final int PATHS = 20;
    static volatile Object sink;

    static Object make() {
        return new byte[100];
    }

    static void path0() { sink = make(); }
    static void path1() { sink = make(); }
    static void path2() { sink = make(); }
    static void path3() { sink = make(); }
    static void path4() { sink = make(); }
    static void path5() { sink = make(); }
    static void path6() { sink = make(); }
    static void path7() { sink = make(); }
    static void path8() { sink = make(); }
    static void path9() { sink = make(); }
    static void path10() { sink = make(); }
    static void path11() { sink = make(); }
    static void path12() { sink = make(); }
    static void path13() { sink = make(); }
    static void path14() { sink = make(); }
    static void path15() { sink = make(); }
    static void path16() { sink = make(); }
    static void path17() { sink = make(); }
    static void path18() { sink = make(); }
    static void path19() { sink = make(); }

    static void take(int path) {
        switch (path) {
            case 0: path0(); break;
            case 1: path1(); break;
            case 2: path2(); break;
            case 3: path3(); break;
            case 4: path4(); break;
            case 5: path5(); break;
            case 6: path6(); break;
            case 7: path7(); break;
            case 8: path8(); break;
            case 9: path9(); break;
            case 10: path10(); break;
            case 11: path11(); break;
            case 12: path12(); break;
            case 13: path13(); break;
            case 14: path14(); break;
            case 15: path15(); break;
            case 16: path16(); break;
            case 17: path17(); break;
            case 18: path18(); break;
            default: path19(); break;
        }
    }

    /** Path i makes i + 1 of 210 objects, in an order without a period that a sampler could fall in step with. */
    static void shares(int objects) {
        int seed = 42;
        for (int i = 0; i < objects; i++) {
            seed = seed * 1664525 + 1013904223;
            int at = (int) ((seed >>> 8) % 210L);
            int path = 0;
            while (at > path) {
                at -= path + 1;
                path++;
            }
            taken[path]++;
            take(path);
        }
    }

    static final long[] taken = new long[PATHS];

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("shares")) {
            shares(Integer.parseInt(arguments[1]));
            for (int path = 0; path < PATHS; path++) {
                System.out.println("path" + path + " " + taken[path]);
            }
            return;
        }
        shares(200_000);
        System.out.println("READY");
        while (System.in.available() == 0) {
            shares(20_000);
        }
        System.out.println("DONE");
    }
}
