package ducktrack.published;

import io.helidon.common.mapper.MapperManager;
import io.helidon.common.mapper.spi.MapperProvider;

/**
 * Values that are mapped, again and again the same way. The cache of mappers has keys that are equal to nothing but themselves (helidon issue 9113).
 *
 * <p>KIND cache whose keys are never equal HALF held-out HEAP 64 JAVA 21 LIBRARY helidon
 *
 * <p>CULPRIT io.helidon.common.mapper.MapperManagerImpl.
 */
public final class HelidonMappers {
    private HelidonMappers() {}

    /** Takes no words. */
    public static void main(String[] words) {
        MapperProvider provider = (from, to, qualifier) ->
                qualifier.equals("http")
                        ? new MapperProvider.ProviderResponse(MapperProvider.Support.SUPPORTED, value -> "http_" + value)
                        : MapperProvider.ProviderResponse.unsupported();
        MapperManager manager = MapperManager.builder().useBuiltIn(false).addMapperProvider(provider).build();
        long sum = 0;
        for (int request = 0; request < 300_000; request++) {
            String text = manager.map("value" + request, String.class, String.class, "http");
            sum += text.length() + new byte[500].length;
        }
        System.out.println(sum);
    }
}
