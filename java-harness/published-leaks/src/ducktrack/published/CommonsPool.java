package ducktrack.published;

import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * Parsers from a pool; each is thrown away after a thousand uses.
 *
 * <p>KIND object pool HEAP 32 LIBRARY commons-pool CONTROL
 */
public final class CommonsPool {
    private static final GenericObjectPool<Parser> PARSERS = new GenericObjectPool<>(new Factory());

    private CommonsPool() {}

    private static final class Parser {
        private final char[] buffer = new char[8_000];
        private int uses;
    }

    private static final class Factory extends BasePooledObjectFactory<Parser> {
        @Override
        public Parser create() {
            return new Parser();
        }

        @Override
        public PooledObject<Parser> wrap(Parser parser) {
            return new DefaultPooledObject<>(parser);
        }

        @Override
        public boolean validateObject(PooledObject<Parser> parser) {
            return parser.getObject().uses < 1_000;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        PARSERS.setMaxTotal(8);
        PARSERS.setTestOnReturn(true);
        long sum = 0;
        for (int request = 0; request < 400_000; request++) {
            Parser parser = PARSERS.borrowObject();
            String.valueOf(request).getChars(0, 1, parser.buffer, 0);
            parser.uses++;
            sum += new String(parser.buffer, 0, 300).length();
            PARSERS.returnObject(parser);
        }
        System.out.println(sum);
    }
}
