package ducktrack.published;

import org.modelmapper.ModelMapper;

/**
 * A mapper for each request, with a mapping that is told by getters and setters. The class of each proxy keeps its handler, and so what was mapped (modelmapper issue 375). The control
 * has one mapper.
 *
 * <p>KIND generated classes HALF held-out HEAP 96 LIBRARY modelmapper OPTION --add-opens=java.base/java.lang=ALL-UNNAMED
 *
 * <p>CULPRIT org.modelmapper.internal.ProxyFactory. org.modelmapper.internal.ExplicitMappingBuilder. org.modelmapper.internal.ReferenceMapExpressionImpl.
 */
public final class ModelMapperProxies {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private ModelMapperProxies() {}

    /** An order. */
    public static class Order {
        private long number = 22;

        /** Its number. */
        public long getNumber() {
            return number;
        }

        /** Changes the number. */
        public void setNumber(long number) {
            this.number = number;
        }
    }

    /** What a page shows. */
    public static class Row {
        private long text;

        /** What is shown. */
        public long getText() {
            return text;
        }

        /** Changes it. */
        public void setText(long text) {
            this.text = text;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        ModelMapper one = mapper();
        long sum = 0;
        for (int request = 0; request < 700; request++) {
            ModelMapper mapper = IS_REPAIRED ? one : mapper();
            sum += mapper.map(new Order(), Row.class).getText() + new byte[2_000].length;
        }
        System.out.println(sum);
    }

    private static ModelMapper mapper() {
        ModelMapper mapper = new ModelMapper();
        mapper.createTypeMap(Order.class, Row.class).addMapping(Order::getNumber, Row::setText);
        return mapper;
    }
}
