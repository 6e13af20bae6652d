package ducktrack.leaks;

import java.util.ArrayList;
import java.util.List;

/**
 * Each window that is opened listens to the one bus; closing it does not take its listener away.
 *
 * <p>CULPRIT ducktrack.leaks.ListenerNeverRemoved$Listener made in ducktrack.leaks.ListenerNeverRemoved$Window.open
 * held by static ducktrack.leaks.ListenerNeverRemoved.BUS
 */
public final class ListenerNeverRemoved {
    private static final Bus BUS = new Bus();

    private ListenerNeverRemoved() {}

    private static final class Bus {
        final List<Listener> listeners = new ArrayList<>();
    }

    private static final class Listener {
        final Window window;

        Listener(Window window) {
            this.window = window;
        }
    }

    private static final class Window {
        final byte[] pixels = new byte[1500];

        void open() {
            BUS.listeners.add(new Listener(this));
        }

        void close() {
            pixels[0] = 1;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> {
            Window window = new Window();
            window.open();
            window.close();
        });
    }
}
