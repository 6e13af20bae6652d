/** Makes a number of objects, in as many rounds of a second as the second argument names, or once. */
public class NamespaceProgram {
    static Object sink;

    public static void main(String[] arguments) throws InterruptedException {
        int objects = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        round(objects);
        for (int round = 0; round < rounds; round++) {
            Thread.sleep(1000);
            round(objects);
        }
    }

    static void round(int objects) {
        for (int i = 0; i < objects; i++) {
            sink = new NamespaceProgram();
        }
    }
}
