package ducktrack.published;

import java.util.concurrent.CountDownLatch;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Numbers go from a single thread to a pool and back. The worker of Reactor 3.0.6 for a single thread keeps each of its tasks (reactor-core issue 578); that of
 * 3.0.7 does not.
 *
 * <p>KIND reactive scheduler HALF build HEAP 64 LIBRARY reactor
 *
 * <p>CULPRIT reactor.core.scheduler.SingleScheduler$SingleWorker.tasks reactor.core.scheduler.SingleScheduler$SingleWorker.schedule
 */
public final class ReactorSingleWorker {
    private static final long NUMBERS = 200_000;

    /** The application goes on after these numbers. */
    private static BaseSubscriber<Long> subscriber;

    private ReactorSingleWorker() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Scheduler pool = Schedulers.newParallel("pool", 2);
        Scheduler single = Schedulers.newSingle("single");
        subscriber = new BaseSubscriber<Long>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(10);
            }

            @Override
            protected void hookOnNext(Long value) {
                if (value < 2 * NUMBERS) {
                    upstream().request(1);
                } else {
                    end.countDown();
                }
            }
        };
        Flux.<Long, Long>generate(() -> 0L, (number, sink) -> {
                    sink.next(number);
                    return number + 1;
                })
                .concatMap(number -> Mono.just(number).publishOn(pool).map(one -> one * 2L))
                .subscribeOn(single)
                .subscribe(subscriber);
        end.await();
        System.exit(0);
    }
}
