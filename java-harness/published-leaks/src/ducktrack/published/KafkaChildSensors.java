package ducktrack.published;

import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Avg;

/**
 * Tasks that come and go, each with a sensor below that of all. The list of children keeps sensors that were removed (KAFKA-7660).
 *
 * <p>KIND metrics of tasks HALF held-out HEAP 96 LIBRARY kafka
 *
 * <p>CULPRIT org.apache.kafka.common.metrics.Metrics.childrenSensors org.apache.kafka.common.metrics.Metrics.sensor
 */
public final class KafkaChildSensors {
    private KafkaChildSensors() {}

    /** Takes no words. */
    public static void main(String[] words) {
        Metrics metrics = new Metrics();
        Sensor all = metrics.sensor("all-tasks");
        all.add(metrics.metricName("time", "tasks"), new Avg());
        long sum = 0;
        for (int task = 0; task < 20_000; task++) {
            Sensor sensor = metrics.sensor("task-" + task, all);
            sensor.add(metrics.metricName("time", "task-" + task), new Avg());
            sensor.record(task);
            metrics.removeSensor("task-" + task);
            sum += new byte[3_000].length;
        }
        System.out.println(sum + metrics.metrics().size());
        System.exit(0);
    }
}
