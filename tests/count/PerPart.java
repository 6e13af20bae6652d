import java.lang.reflect.Method;

/** PerPart OBJECTS TIMES: requests of so many objects of 32 bytes, between marks and in a context; what is made between them is more. */
public class PerPart {
    static Object sink;

    public static void main(String[] arguments) throws Exception {
        Method mark = Class.forName("java.lang.DuckTrackMark").getMethod("mark", String.class);
        int objects = Integer.parseInt(arguments[0]), times = Integer.parseInt(arguments[1]);
        request(objects);
        for (int n = 0; n < times; n++) {
            mark.invoke(null, "request");
            request(objects);
            mark.invoke(null, "pause");
            for (int k = 0; k < 100 * objects; k++) sink = new byte[1000];
        }
    }

    static void request(int objects) {
        for (int n = 0; n < objects; n++) sink = new long[2];
    }
}
