package ducktrack.published;

import io.reactivex.Observable;
import io.reactivex.disposables.Disposable;
import io.reactivex.subjects.PublishSubject;

/**
 * Screens that repeat a request whenever a button is pressed, and go. What repeats is not disposed of with them, and stays an observer of the button (RxJava issue 4782).
 *
 * <p>KIND observers of a subject HALF held-out HEAP 64 LIBRARY rxjava
 *
 * <p>CULPRIT io.reactivex.subjects.PublishSubject. io.reactivex.internal.operators.observable.ObservableRedo. io.reactivex.internal.operators.observable.ObservableRedo$RedoObserver.
 */
public final class RxRepeats {
    private RxRepeats() {}

    private static final class Screen {
        private final byte[] picture = new byte[900];
        private long seen;

        void show(String text) {
            seen += text.length() + picture.length;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        PublishSubject<Integer> button = PublishSubject.create();
        long sum = 0;
        for (int shown = 0; shown < 12_000; shown++) {
            Screen screen = new Screen();
            Disposable disposable =
                    Observable.just("request").repeatWhen(done -> done.switchMap(ignored -> button)).subscribe(screen::show);
            disposable.dispose();
            sum += screen.seen + new byte[4_000].length;
        }
        System.out.println(sum + button.hashCode());
    }
}
