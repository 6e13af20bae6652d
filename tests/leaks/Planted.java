import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Leaks of what other classes make: each in a field of a class of its own. */
public final class Planted {
    static final Map<String, Object> ALL = new PlantedEldest();

    private static Object lost;

    private Planted() {}

    private static void step(String shape, int step) {
        switch (shape) {
            case "map" -> PlantedSettings.add(step);
            case "listeners" -> PlantedBus.ONLY.add(PlantedParser.parse(step));
            case "soft" -> PlantedImages.soften(PlantedImages.image(), step);
            case "both" -> PlantedImages.hold(PlantedImages.image(), step, true);
            case "mixed" -> PlantedImages.hold(PlantedImages.image(), step, step % 4 == 0);
            case "subclass" -> ALL.put("key" + step, PlantedParser.parse(step));
            default -> PlantedScripts.run(step);
        }
        for (int at = 0; at < 20; at++) {
            lost = new byte[400];
        }
    }

    /** The shape, and the steps. Ends while all of it is alive. */
    public static void main(String[] words) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AtomicInteger done = new AtomicInteger();
        int steps = Integer.parseInt(words[1]);
        for (int at = 0; at < steps; at++) {
            int step = at;
            pool.execute(() -> {
                synchronized (Planted.class) {
                    step(words[0], step);
                }
                done.incrementAndGet();
            });
        }
        while (done.get() < steps) {
            Thread.sleep(10);
        }
        System.exit(0);
    }
}

final class PlantedParser {
    private final byte[] text = new byte[120];
    private final List<Object> parts = new ArrayList<>();

    private PlantedParser(int number) {
        for (int at = 0; at < 3; at++) {
            parts.add(new byte[60 + number % 20]);
        }
    }

    static Object parse(int number) {
        return new PlantedParser(number);
    }
}

final class PlantedSettings {
    static final Map<String, Object> PARSED = new HashMap<>();

    private PlantedSettings() {}

    static void add(int number) {
        Object parsed = PlantedParser.parse(number);
        PARSED.put("setting" + number, parsed);
    }
}

final class PlantedImages {
    private static final Map<Integer, SoftReference<byte[]>> SOFT = new HashMap<>();
    private static final List<byte[]> KEPT = new ArrayList<>();

    private PlantedImages() {}

    static byte[] image() {
        return new byte[2_000];
    }

    static void soften(byte[] image, int number) {
        SOFT.put(number, new SoftReference<>(image));
    }

    /** Softly, and firmly as well where it is wanted. */
    static void hold(byte[] image, int number, boolean isFirm) {
        soften(image, number);
        if (isFirm) {
            KEPT.add(image);
        }
    }
}

final class PlantedBus {
    static final PlantedBus ONLY = new PlantedBus();

    private final List<Object> listeners = new CopyOnWriteArrayList<>();

    void add(Object listener) {
        listeners.add(listener);
    }
}

final class PlantedScripts {
    private static final ThreadLocal<List<Object>> ANSWERS = ThreadLocal.withInitial(ArrayList::new);

    private PlantedScripts() {}

    static void run(int number) {
        ANSWERS.get().add(PlantedParser.parse(number));
    }
}

final class PlantedEldest extends LinkedHashMap<String, Object> {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Object> eldest) {
        return false;
    }
}
