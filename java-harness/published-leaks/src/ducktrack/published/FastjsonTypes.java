package ducktrack.published;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.util.ParameterizedTypeImpl;
import java.lang.reflect.Type;

/**
 * Each answer is parsed with a type made for it. Fastjson keeps a deserializer per type in a map that compares types by identity (fastjson issues 3329 and 4049).
 * Versions up to the last one do; the control makes the type once, as the library's author advises.
 *
 * <p>KIND JSON HALF held-out HEAP 64 LIBRARY fastjson
 *
 * <p>CULPRIT com.alibaba.fastjson.parser.ParserConfig.deserializers
 */
public final class FastjsonTypes {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");
    private static final Type ONCE = answerOfInfo();

    private FastjsonTypes() {}

    /** What is asked for. */
    public static class Info {
        public String name;
        public int stock;
    }

    /** What holds it. */
    public static class Answer<T> {
        public int code;
        public T data;
    }

    private static Type answerOfInfo() {
        return new ParameterizedTypeImpl(new Type[] {Info.class}, null, Answer.class);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int answer = 0; answer < 30_000; answer++) {
            String text = "{\"code\":200,\"data\":{\"name\":\"apple\",\"stock\":" + answer + "}}";
            Answer<Info> parsed = JSON.parseObject(text, IS_REPAIRED ? ONCE : answerOfInfo());
            if (parsed.data.stock != answer) {
                throw new IllegalStateException(text);
            }
        }
    }
}
