import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * Makes known numbers of objects each time it is told to by a line of standard input: {@code ControlProbe}. The first word of a line says what.
 *
 * <pre>
 * work N     N objects of {@link Marked}, N int[3], in a method entered anew; prints DONE
 * where      prints WHERE and the place in {@link #place} at which it asks where it is: probes move it
 * thread N   work N in a new thread; prints DONE
 * keep N     N objects of {@link Kept}, all held, until they are kept anew; prints DONE
 * collect    asks for a collection of all; prints DONE
 * load N     loads N classes of the JDK, and initializes none; prints LOADED and how many have been
 * define     defines classes in a thread of its own, without pause, until the end; prints DONE
 * end        returns
 * </pre>
 *
 * A thread {@code looper} makes objects of {@link Looped} in one loop all the time, in a method that is never left.
 */
public final class ControlProbe {
    static final class Marked {
        final int value;

        Marked(int value) {
            this.value = value;
        }
    }

    static final class Looped {
        int value;
    }

    static final class Kept {
        int value;
    }

    static volatile Object sink;
    static volatile Object[] kept;
    static volatile long looped;

    static void work(int count) {
        for (int i = 0; i < count; i++) {
            sink = new Marked(i);
            sink = new int[3];
        }
    }

    static void keep(int count) {
        Object[] all = new Object[count];
        kept = all;
        for (int i = 0; i < count; i++) {
            all[i] = new Kept();
        }
    }

    /** Its probes stand ahead of the call. */
    static int place() {
        sink = new Marked(1);
        sink = new long[2];
        return StackWalker.getInstance().walk(frames -> frames
                .filter(frame -> frame.getMethodName().equals("place"))
                .findFirst().get().getByteCodeIndex());
    }

    static void loop(CountDownLatch runs) {
        runs.countDown();
        while (true) {
            sink = new Looped();
            looped++;
            if ((looped & 0xfff) == 0) {
                Thread.onSpinWait();
                try {
                    Thread.sleep(1);
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }

    private static long load(int most) throws Exception {
        Path classes = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                    .limit(most)
                    .filter(name -> isLoaded(name.substring(0, name.length() - 6).replace('/', '.')))
                    .count();
        }
    }

    /** Defines the same class again and again, each time as the only one of its loader. */
    private static final class Definer extends ClassLoader implements Runnable {
        private final byte[] bytes;

        Definer(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        @Override
        public void run() {
            while (true) {
                sink = new Definer(bytes).defineClass("ControlProbe$Marked", bytes, 0, bytes.length);
            }
        }
    }

    private static void defineWithoutPause() throws Exception {
        try (InputStream in = ControlProbe.class.getResourceAsStream("ControlProbe$Marked.class")) {
            Thread definer = new Thread(new Definer(in.readAllBytes()), "definer");
            definer.setDaemon(true);
            definer.start();
        }
    }

    private static boolean isLoaded(String name) {
        try {
            Class.forName(name, false, null);
            return true;
        } catch (ClassNotFoundException | LinkageError unusable) {
            return false;
        }
    }

    private static String line() throws Exception {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c < 0) {
                return "end";
            }
            line.append((char) c);
        }
        return line.toString();
    }

    private static void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    public static void main(String[] words) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        Thread looper = new Thread(() -> loop(runs), "looper");
        looper.setDaemon(true);
        looper.start();
        runs.await();
        place();
        say("READY");
        while (true) {
            String[] told = line().split(" ");
            switch (told[0]) {
                case "work":
                    work(Integer.parseInt(told[1]));
                    say("DONE");
                    break;
                case "keep":
                    keep(Integer.parseInt(told[1]));
                    say("DONE");
                    break;
                case "collect":
                    System.gc();
                    say("DONE");
                    break;
                case "thread":
                    Thread thread = new Thread(() -> work(Integer.parseInt(told[1])), "worker");
                    thread.start();
                    thread.join();
                    say("DONE");
                    break;
                case "load":
                    say("LOADED " + load(Integer.parseInt(told[1])));
                    break;
                case "define":
                    defineWithoutPause();
                    say("DONE");
                    break;
                case "where":
                    say("WHERE " + place());
                    break;
                case "end":
                    say("END");
                    return;
                default:
                    throw new IllegalArgumentException(told[0]);
            }
        }
    }
}
