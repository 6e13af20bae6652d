package ducktrack.published;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Messages name their type, and unknown names get a default. Jackson 2.18 remembers each name that it has read (jackson-databind change 6203). The control has fifty
 * names.
 *
 * <p>KIND JSON HALF build HEAP 32 LIBRARY jackson
 *
 * <p>CULPRIT com.fasterxml.jackson.databind.jsontype.impl.TypeDeserializerBase._deserializers
 * com.fasterxml.jackson.databind.jsontype.impl.TypeDeserializerBase._findDeserializer
 */
public final class JacksonTypeIds {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private JacksonTypeIds() {}

    /** Any message. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type", defaultImpl = Other.class)
    public static class Message {
        public int value;
    }

    /** One whose name is not known. */
    public static class Other extends Message {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int number = 0; number < 100_000; number++) {
            int name = IS_REPAIRED ? number % 50 : number;
            MAPPER.readValue("{\"type\":\"message of kind " + name + "\",\"value\":" + number + "}", Message.class);
        }
    }
}
