package acme;

import io.ducktrack.agent.Ducktrack;
import io.ducktrack.agent.Ended;
import io.ducktrack.agent.Options;
import io.ducktrack.agent.RefusedException;
import io.ducktrack.agent.Snapshot;
import io.ducktrack.allocations.AllocationSite;
import io.ducktrack.allocations.Allocations;
import java.io.IOException;
import java.nio.file.Path;

/**
 * {@code Embedded self FOLDER}: two recordings of this JVM, one after the other. {@code here}: of the agent that came with the JVM. {@code forbidden}: prints why a start is refused.
 * {@code other FOLDER JAVA...}: a recording of the JVM that a command starts. {@code points}: makes points for it.
 */
public final class Embedded {
    private static final int FIRST = 12_345;
    private static final int SECOND = 678;

    private Embedded() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "self":
                check(!Ducktrack.ofThisJvm().isRunning(), "nothing is recorded at first");
                record(Path.of(arguments[1], "one"));
                record(Path.of(arguments[1], "two"));
                break;
            case "here":
                check(Ducktrack.ofThisJvm().isRunning(), "the agent came with the JVM");
                count(Ducktrack.ofThisJvm());
                break;
            case "forbidden":
                forbidden();
                break;
            case "other":
                other(Path.of(arguments[1]), arguments);
                break;
            default:
                points();
        }
        System.out.println("HELD");
    }

    private static void record(Path folder) {
        Ducktrack ducktrack = Ducktrack.start(new Options().output(folder));
        check(ducktrack.isRunning(), "it runs");
        check(ducktrack.status().mode().equals("count"), "it counts");
        check(ducktrack.status().directory().equals(folder), "it is where it was asked for");
        refused(() -> Ducktrack.start(new Options().output(folder)), "already being recorded");
        refused(() -> ducktrack.mark(""), "needs a `name`");
        count(ducktrack);
        refused(ducktrack::snapshot, "has ended");
    }

    private static void count(Ducktrack ducktrack) {
        Points.make(FIRST);
        Snapshot first = ducktrack.snapshot();
        check(points(first.allocations()) == FIRST, first.allocations().sites() + " has the first points");
        ducktrack.mark("more \"points\"");
        Points.make(SECOND);
        Snapshot second = ducktrack.snapshot();
        check(points(second.allocations()) == FIRST + SECOND, "the second snapshot has all points");
        check(second.number() == first.number() + 2, "snapshots are numbered, with that of the mark");
        check(second.objectsWithoutSite() == 0, "each object has its site");
        AllocationSite site = second.allocations().in("acme.Points").sites().get(0);
        check(site.place().toString().matches("acme\\.Points\\.make:\\d+"), site + " is at its line");
        Ended ended = ducktrack.stop();
        check(!ducktrack.isRunning(), "it has ended");
        check(ended.classesRestored() > 100 && ended.classesKept() == 0, ended + " restores all classes");
        System.out.println("JSON " + second.json());
    }

    private static long points(Allocations allocations) {
        return allocations.of(Points.Point.class);
    }

    private static void forbidden() {
        try {
            Ducktrack.start(new Options());
            check(false, "the JDK forbids it");
        } catch (RefusedException why) {
            System.out.println("REFUSED " + why.getMessage());
        }
    }

    /** The other JVM makes points when it gets a line, and prints one when it has. */
    private static void other(Path folder, String[] arguments) throws IOException {
        String[] command = java.util.Arrays.copyOfRange(arguments, 2, arguments.length);
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        read(process);
        Ducktrack ducktrack = Ducktrack.attach(process.pid(), new Options().output(folder));
        check(ducktrack.isRunning(), "it runs there");
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        read(process);
        ducktrack.mark("made");
        check(points(ducktrack.snapshot().allocations()) == FIRST, "the points of the other JVM");
        ducktrack.stop();
        check(!ducktrack.isRunning(), "it has ended there");
        process.getOutputStream().close();
        read(process);
        refused(ducktrack::status, "");
    }

    private static void read(Process process) throws IOException {
        for (int letter = 0; letter != '\n' && letter != -1;) {
            letter = process.getInputStream().read();
        }
    }

    private static void points() throws IOException {
        System.out.println("ready");
        System.in.read();
        Points.make(FIRST);
        System.out.println("made");
        System.in.read();
    }

    private static void refused(Runnable call, String why) {
        try {
            call.run();
        } catch (RefusedException refused) {
            check(refused.getMessage().contains(why), refused.getMessage() + " has: " + why);
            return;
        }
        check(false, "refused: " + why);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
