package ducktrack.published;

import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * Applications with class loaders of their own subscribe to the events of the server, and leave. What the library knows of a subscriber's class is kept by that class weakly, and refers to it
 * (guava issue 1837). The control's applications have one class loader.
 *
 * <p>KIND class loaders kept by a library HALF held-out HEAP 64 LIBRARY guava-events
 *
 * <p>CULPRIT com.google.common.eventbus.AnnotatedSubscriberFinder. com.google.common.eventbus.AnnotatedHandlerFinder. com.google.common.cache.LocalCache.
 * ducktrack.published.EventBusLoaders.deploy
 */
public final class EventBusLoaders {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");
    private static final EventBus EVENTS = new EventBus();

    private EventBusLoaders() {}

    /** An application's subscriber. */
    public static final class Subscriber {
        private static final byte[] SETTINGS = new byte[60_000];

        /** An event. */
        @Subscribe
        public void on(String event) {
            SETTINGS[event.length()]++;
        }
    }

    /** Has the classes of this program for itself, and those of the library from the server. */
    private static final class Application extends URLClassLoader {
        Application(URL[] urls) {
            super(urls, EventBusLoaders.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("ducktrack.published.EventBusLoaders$Subscriber")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known == null ? findClass(name) : known;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        int at = 0;
        String[] all = System.getProperty("java.class.path").split(File.pathSeparator);
        while (all[at].endsWith(".jar") || !new File(all[at], "ducktrack").isDirectory()) {
            at++;
        }
        URL[] own = {new File(all[at]).toURI().toURL()};
        Application one = new Application(own);
        long sum = 0;
        for (int deployment = 0; deployment < 400; deployment++) {
            sum += deploy(IS_REPAIRED ? one : new Application(own));
        }
        System.out.println(sum);
        System.exit(0);
    }

    private static int deploy(Application application) throws Exception {
        Object subscriber = application.loadClass("ducktrack.published.EventBusLoaders$Subscriber").getConstructor().newInstance();
        EVENTS.register(subscriber);
        EVENTS.post("started");
        EVENTS.unregister(subscriber);
        return new byte[200_000].length;
    }
}
