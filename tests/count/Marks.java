import java.lang.reflect.Method;

/** Marks five requests, which make 100,000 arrays each, and the time between them, in which little is made. */
public class Marks {
    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        Method mark = Class.forName("java.lang.DuckTrackMark").getMethod("mark", String.class);
        for (int i = 0; i < 5; i++) {
            set(mark, "request");
            for (int array = 0; array < 100_000; array++) {
                sink = new byte[8];
            }
            set(mark, "idle");
        }
        if ((boolean) mark.invoke(null, "") || (boolean) mark.invoke(null, (Object) null)) {
            throw new AssertionError("a mark without a name");
        }
        System.out.println("DONE");
    }

    private static void set(Method mark, String name) throws Exception {
        if (!(boolean) mark.invoke(null, name)) {
            throw new AssertionError("no mark");
        }
    }
}
