package ducktrack.published;

import io.scalecube.config.ConfigRegistry;
import io.scalecube.config.ConfigRegistrySettings;
import io.scalecube.config.StringConfigProperty;

/**
 * Requests that look at a property of the configuration and listen to it. The registry keeps all of them (scalecube-config issue 38). The control has one property.
 *
 * <p>KIND configuration listeners HALF held-out HEAP 64 LIBRARY scalecube
 *
 * <p>CULPRIT io.scalecube.config.PropertyCallback. io.scalecube.config.ConfigRegistryImpl.
 */
public final class ScalecubeCallbacks {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private ScalecubeCallbacks() {}

    /** Takes no words. */
    public static void main(String[] words) {
        ConfigRegistry registry = ConfigRegistry.create(ConfigRegistrySettings.builder().reloadIntervalSec(3_600).jmxEnabled(false).build());
        long sum = 0;
        StringConfigProperty one = property(registry);
        for (int request = 0; request < 25_000; request++) {
            StringConfigProperty property = IS_REPAIRED ? one : property(registry);
            sum += property.value("none").length() + new byte[1_500].length;
        }
        System.out.println(sum);
        System.exit(0);
    }

    private static StringConfigProperty property(ConfigRegistry registry) {
        StringConfigProperty property = registry.stringProperty("shop.name");
        property.addCallback((before, after) -> System.out.println(after));
        return property;
    }
}
