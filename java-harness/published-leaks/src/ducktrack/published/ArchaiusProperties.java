package ducktrack.published;

import com.netflix.config.ConfigurationManager;
import com.netflix.config.DynamicStringMapProperty;
import java.util.Map;

/**
 * A request that asks for a setting by a property of its own, as its issue does. Each adds a callback to a property that is never dropped (archaius issues 51, 163 and 487). The control
 * has one.
 *
 * <p>KIND configuration callbacks HALF held-out HEAP 96 LIBRARY archaius
 *
 * <p>CULPRIT com.netflix.config.DynamicProperty. com.netflix.config.PropertyWrapper.
 */
public final class ArchaiusProperties {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private ArchaiusProperties() {}

    /** Takes no words. */
    public static void main(String[] words) {
        ConfigurationManager.getConfigInstance().setProperty("shop.countries", "at=Austria,de=Germany,fr=France,it=Italy");
        DynamicStringMapProperty one = new DynamicStringMapProperty("shop.countries", Map.of());
        long sum = 0;
        for (int request = 0; request < 6_000; request++) {
            DynamicStringMapProperty property = IS_REPAIRED ? one : new DynamicStringMapProperty("shop.countries", Map.of());
            sum += property.getMap().size() + new byte[6_000].length;
        }
        System.out.println(sum);
        System.exit(0);
    }
}
