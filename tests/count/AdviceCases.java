import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Small programs that allocate too much, each beside its repaired version: AdviceCases NAME before|after. What is executed between the marks
 * `begin` and `end` is TIMES operations of one of them.
 */
public class AdviceCases {
    static final int TIMES = 20_000;
    static long sink;

    public static void main(String[] arguments) throws Exception {
        Method mark = Class.forName("java.lang.DuckTrackMark").getMethod("mark", String.class);
        Runnable operation = operation(arguments[0], arguments[1].equals("before"));
        for (int n = 0; n < 200; n++) operation.run();
        mark.invoke(null, "begin");
        repeat(operation);
        mark.invoke(null, "end");
        System.out.println(sink);
    }

    static void repeat(Runnable operation) {
        for (int n = 0; n < TIMES; n++) operation.run();
    }

    static Runnable operation(String name, boolean before) {
        switch (name) {
            case "BoxInList": return before ? BoxInList::before : BoxInList::after;
            case "BoxByGenerics": return before ? BoxByGenerics::before : BoxByGenerics::after;
            case "BoxOfLong": return before ? BoxOfLong::before : BoxOfLong::after;
            case "VarargsEmpty": return before ? VarargsEmpty::before : VarargsEmpty::after;
            case "VarargsHash": return before ? VarargsHash::before : VarargsHash::after;
            case "VarargsLogger": return before ? VarargsLogger::before : VarargsLogger::after;
            case "IteratorOfList": return before ? IteratorOfList::before : IteratorOfList::after;
            case "IteratorOfArray": return before ? IteratorOfArray::before : IteratorOfArray::after;
            case "IteratorOfEmpty": return before ? IteratorOfEmpty::before : IteratorOfEmpty::after;
            case "ValuesInLoop": return before ? ValuesInLoop::before : ValuesInLoop::after;
            case "ValuesLength": return before ? ValuesLength::before : ValuesLength::after;
            case "ValuesOfIndex": return before ? ValuesOfIndex::before : ValuesOfIndex::after;
            case "CaptureInLoop": return before ? CaptureInLoop::before : CaptureInLoop::after;
            case "CaptureOfThis": return before ? CaptureOfThis::before : CaptureOfThis::after;
            case "CaptureReference": return before ? CaptureReference::before : CaptureReference::after;
            case "OptionalChain": return before ? OptionalChain::before : OptionalChain::after;
            case "BufferPerCall": return before ? BufferPerCall::before : BufferPerCall::after;
            case "SplitByRegex": return before ? SplitByRegex::before : SplitByRegex::after;
            case "ExceptionAsResult": return before ? ExceptionAsResult::before : ExceptionAsResult::after;
            case "TextForNothing": return before ? TextForNothing::before : TextForNothing::after;
            case "GrownList": return before ? GrownList::before : GrownList::after;
            case "GrownBuilder": return before ? GrownBuilder::before : GrownBuilder::after;
            case "CopyOfParameters": return before ? CopyOfParameters::before : CopyOfParameters::after;
            case "OptionalFilter": return before ? OptionalFilter::before : OptionalFilter::after;
            case "OptionalOfElement": return before ? OptionalOfElement::before : OptionalOfElement::after;
            case "BufferOfChars": return before ? BufferOfChars::before : BufferOfChars::after;
            case "BufferForCopy": return before ? BufferForCopy::before : BufferForCopy::after;
            case "RegexMatches": return before ? RegexMatches::before : RegexMatches::after;
            case "RegexReplace": return before ? RegexReplace::before : RegexReplace::after;
            case "ExceptionOfParse": return before ? ExceptionOfParse::before : ExceptionOfParse::after;
            case "ExceptionWithText": return before ? ExceptionWithText::before : ExceptionWithText::after;
            case "TextOfArray": return before ? TextOfArray::before : TextOfArray::after;
            case "TextOfNumber": return before ? TextOfNumber::before : TextOfNumber::after;
            case "GrownMap": return before ? GrownMap::before : GrownMap::after;
            case "GrownSet": return before ? GrownSet::before : GrownSet::after;
            case "GrownDeque": return before ? GrownDeque::before : GrownDeque::after;
            case "GrownBytes": return before ? GrownBytes::before : GrownBytes::after;
            case "GrownIdentityMap": return before ? GrownIdentityMap::before : GrownIdentityMap::after;
            case "GrownTwoSizes": return before ? GrownTwoSizes::before : GrownTwoSizes::after;
            case "CopyToArray": return before ? CopyToArray::before : CopyToArray::after;
            case "CopyOfBytes": return before ? CopyOfBytes::before : CopyOfBytes::after;
            case "StreamSum": return before ? StreamSum::before : StreamSum::after;
            case "StreamFilter": return before ? StreamFilter::before : StreamFilter::after;
            case "StreamOfArray": return before ? StreamOfArray::before : StreamOfArray::after;
            case "CostlyDateFormat": return before ? CostlyDateFormat::before : CostlyDateFormat::after;
            case "CostlyDecimalFormat": return before ? CostlyDecimalFormat::before : CostlyDecimalFormat::after;
            case "CostlyFormatter": return before ? CostlyFormatter::before : CostlyFormatter::after;
            case "GrownByUnion": return before ? GrownByUnion::before : GrownByUnion::after;
            case "TextOfBuilder": return before ? TextOfBuilder::before : TextOfBuilder::after;
            case "CopyOfFilled": return before ? CopyOfFilled::before : CopyOfFilled::after;
            case "GrownToText": return before ? GrownToText::before : GrownToText::after;
            case "CopyOfMap": return before ? CopyOfMap::before : CopyOfMap::after;
            case "CopyOfSet": return before ? CopyOfSet::before : CopyOfSet::after;
            case "CopyOfFiltered": return before ? CopyOfFiltered::before : CopyOfFiltered::after;
            case "KeptBuffers": return KeptBuffers::before;
            case "KeptTexts": return KeptTexts::before;
            default: throw new IllegalArgumentException(name);
        }
    }

    static class BoxInList {
        static final List<Object> KEPT = new ArrayList<>(Arrays.asList(1));
        static void before() { for (int n = 1000; n < 1004; n++) KEPT.set(0, n); }
        static final int[] PLAIN = new int[1];
        static void after() { for (int n = 1000; n < 1004; n++) PLAIN[0] = n; }
    }

    static class BoxByGenerics {
        static <T> T same(T value) { return value; }
        static int same(int value) { return value; }
        static void before() { sink += BoxByGenerics.<Integer>same(Integer.valueOf(5000)); }
        static void after() { sink += same(5000); }
    }

    static class BoxOfLong {
        static final Map<Long, String> TABLE = new HashMap<>();
        static { TABLE.put(7000L, "seven"); }
        static void before() { sink += TABLE.get(7000L).length(); }
        static final Long KEY = 7000L;
        static void after() { sink += TABLE.get(KEY).length(); }
    }

    static class VarargsEmpty {
        static int count(String text, Object... values) { return values.length + text.length(); }
        static int count(String text) { return text.length(); }
        static final Object[] NONE = {};
        static void before() { sink += VarargsEmpty.count("text", new Object[0]); }
        static void after() { sink += count("text"); }
    }

    static class VarargsHash {
        static final String A = "a", B = "b";
        static void before() { sink += Objects.hash(A, B); }
        static void after() { sink += 31 * (31 + A.hashCode()) + B.hashCode(); }
    }

    static class VarargsLogger {
        static boolean isOn;
        static void debug(String text, Object... values) { if (isOn) System.out.printf(text, values); }
        static void before() { debug("%s %s %s", "a", "b", "c"); }
        static void after() { if (isOn) debug("%s %s %s", "a", "b", "c"); }
    }

    static class IteratorOfList {
        static final List<String> TEXTS = new ArrayList<>(List.of("a", "b"));
        static void before() { for (String text : TEXTS) sink += text.length(); }
        static void after() { for (int n = 0; n < TEXTS.size(); n++) sink += TEXTS.get(n).length(); }
    }

    static class IteratorOfArray {
        static final List<String> TEXTS = Arrays.asList("a", "b", "c");
        static void before() { for (String text : TEXTS) sink += text.length(); }
        static void after() { for (int n = 0; n < TEXTS.size(); n++) sink += TEXTS.get(n).length(); }
    }

    static class IteratorOfEmpty {
        static final List<String> TEXTS = new java.util.concurrent.CopyOnWriteArrayList<>();
        static void before() { for (String text : TEXTS) sink += text.length(); }
        static void after() { if (TEXTS.isEmpty()) return; for (String text : TEXTS) sink += text.length(); }
    }

    enum Color { RED, GREEN, BLUE }
    static final Color[] COLORS = Color.values();

    static class ValuesInLoop {
        static void before() { for (Color color : Color.values()) sink += color.ordinal(); }
        static void after() { for (Color color : COLORS) sink += color.ordinal(); }
    }

    static class ValuesLength {
        static void before() { sink += Color.values().length; }
        static void after() { sink += COLORS.length; }
    }

    static class ValuesOfIndex {
        static void before() { sink += Color.values()[1].ordinal() + Color.values()[2].ordinal(); }
        static void after() { sink += COLORS[1].ordinal() + COLORS[2].ordinal(); }
    }

    static int apply(IntUnaryOperator operator, int value) { return operator.applyAsInt(value); }

    static class CaptureInLoop {
        static int add = 3;
        static void before() {
            int more = add;
            for (int n = 0; n < 4; n++) sink += apply(value -> value + more, n);
        }
        static void after() {
            int more = add;
            for (int n = 0; n < 4; n++) sink += n + more;
        }
    }

    static class CaptureOfThis {
        final int more = 3;
        final IntUnaryOperator kept = value -> value + more;
        void call() { sink += apply(value -> value + more, 5); }
        void callKept() { sink += apply(kept, 5); }
        static final CaptureOfThis ONE = new CaptureOfThis();
        static void before() { ONE.call(); }
        static void after() { ONE.callKept(); }
    }

    static class CaptureReference {
        int plus(int value) { return value + 3; }
        void call() { for (int n = 0; n < 3; n++) sink += apply(this::plus, n); }
        void callPlain() { for (int n = 0; n < 3; n++) sink += plus(n); }
        static final CaptureReference ONE = new CaptureReference();
        static void before() { ONE.call(); }
        static void after() { ONE.callPlain(); }
    }

    static class OptionalChain {
        static String text = "text";
        static void before() { sink += Optional.ofNullable(text).map(String::length).orElse(0); }
        static void after() { sink += text == null ? 0 : text.length(); }
    }

    static class BufferPerCall {
        static void before() { byte[] buffer = new byte[4096]; buffer[5] = 1; sink += buffer[5]; }
        static final byte[] KEPT = new byte[4096];
        static void after() { KEPT[5] = 1; sink += KEPT[5]; }
    }

    static class SplitByRegex {
        static final String TEXT = "one, two, three";
        static void before() { sink += TEXT.split(",\\s").length; }
        static void after() { int parts = 1; for (int at = TEXT.indexOf(", "); at >= 0; at = TEXT.indexOf(", ", at + 2)) parts++; sink += parts; }
    }

    static class ExceptionAsResult {
        static int parse(int value) { if (value > 0) throw new IllegalStateException("no"); return value; }
        static void before() { try { sink += parse(5); } catch (IllegalStateException e) { sink -= 1; } }
        static int parsed(int value) { return value > 0 ? -1 : value; }
        static void after() { sink += parsed(5); }
    }

    static class TextForNothing {
        static boolean isOn;
        static void log(String text) { if (isOn) System.out.println(text); }
        static int value = 12345;
        static void before() { log("value " + value + " of " + sink); }
        static void after() { if (isOn) log("value " + value + " of " + sink); }
    }

    static class GrownList {
        static void fill(List<String> list) { for (int n = 0; n < 40; n++) list.add("x"); sink += list.size(); }
        static void before() { fill(new ArrayList<>(10)); }
        static void after() { fill(new ArrayList<>(49)); }
    }

    static class GrownBuilder {
        static void fill(StringBuilder text) { for (int n = 0; n < 60; n++) text.append('x'); sink += text.length(); }
        static void before() { fill(new StringBuilder()); }
        static void after() { fill(new StringBuilder(70)); }
    }

    static class CopyOfParameters {
        static final Method METHOD = AdviceCases.class.getDeclaredMethods()[0];
        static void before() { sink += METHOD.getParameterTypes().length; }
        static void after() { sink += METHOD.getParameterCount(); }
    }

    static class OptionalFilter {
        static String text = "text";
        static void before() { if (Optional.ofNullable(text).filter(one -> one.length() > 2).map(String::trim).isPresent()) sink++; }
        static void after() { if (text != null && text.length() > 2) sink++; }
    }

    static class OptionalOfElement {
        static final List<String> TEXTS = new ArrayList<>(List.of("a", "b"));
        static void before() { sink += Optional.of(TEXTS).map(texts -> texts.get(0)).map(String::length).orElse(0); }
        static void after() { sink += TEXTS.isEmpty() ? 0 : TEXTS.get(0).length(); }
    }

    static class BufferOfChars {
        static void before() { char[] buffer = new char[2048]; "text".getChars(0, 4, buffer, 0); sink += buffer[3]; }
        static final char[] KEPT = new char[2048];
        static void after() { "text".getChars(0, 4, KEPT, 0); sink += KEPT[3]; }
    }

    static class BufferForCopy {
        static final java.io.ByteArrayInputStream IN = new java.io.ByteArrayInputStream(new byte[100]);
        static void copy(byte[] buffer) { IN.reset(); for (int read = IN.read(buffer, 0, buffer.length); read > 0; read = IN.read(buffer, 0, buffer.length)) sink += read; }
        static void before() { copy(new byte[8192]); }
        static final byte[] KEPT = new byte[8192];
        static void after() { copy(KEPT); }
    }

    static class RegexMatches {
        static final String TEXT = "onetwothree";
        static void before() { if (TEXT.matches("[a-z]+")) sink++; }
        static void after() { for (int n = 0; n < TEXT.length(); n++) if (TEXT.charAt(n) < 'a' || TEXT.charAt(n) > 'z') return; sink++; }
    }

    static class RegexReplace {
        static final String TEXT = "one two three";
        static void before() { sink += TEXT.replaceAll("[0-9]+", "n").length(); }
        static void after() { for (int n = 0; n < TEXT.length(); n++) if (TEXT.charAt(n) >= '0' && TEXT.charAt(n) <= '9') throw new IllegalStateException(); sink += TEXT.length(); }
    }

    static class ExceptionOfParse {
        static String text = "none";
        static void before() { try { sink += Integer.parseInt(text); } catch (NumberFormatException e) { sink -= 1; } }
        static void after() { sink += Character.isDigit(text.charAt(0)) ? Integer.parseInt(text) : -1; }
    }

    static class ExceptionWithText {
        static int value = 70_000;
        static class NoValue extends RuntimeException { NoValue(String text) { super(text); } }
        static int find() { throw new NoValue("no value for " + value); }
        static void before() { try { sink += find(); } catch (NoValue e) { sink -= 1; } }
        static int found() { return value > 0 ? -1 : value; }
        static void after() { sink += found(); }
    }

    static class TextOfArray {
        static boolean isOn;
        static final int[] NUMBERS = {1000, 2000, 3000, 4000, 5000};
        static void log(String text) { if (isOn) System.out.println(text); }
        static void before() { log(Arrays.toString(NUMBERS)); }
        static void after() { if (isOn) log(Arrays.toString(NUMBERS)); }
    }

    static class TextOfNumber {
        static boolean isOn;
        static long value = 123_456_789L;
        static void log(String text) { if (isOn) System.out.println(text); }
        static void before() { log(String.valueOf(value)); }
        static void after() { if (isOn) log(String.valueOf(value)); }
    }

    static class GrownMap {
        static final Integer[] KEYS = new Integer[40];
        static { for (int n = 0; n < 40; n++) KEYS[n] = n; }
        static void fill(Map<Integer, Integer> map) { for (Integer key : KEYS) map.put(key, key); sink += map.size(); }
        static void before() { fill(new HashMap<>()); }
        static void after() { fill(new HashMap<>(64)); }
    }

    static class GrownSet {
        static void fill(java.util.Set<Integer> set) { for (Integer key : GrownMap.KEYS) set.add(key); sink += set.size(); }
        static void before() { fill(new java.util.HashSet<>()); }
        static void after() { fill(new java.util.HashSet<>(64)); }
    }

    static class GrownDeque {
        static void fill(java.util.ArrayDeque<String> deque) { for (int n = 0; n < 40; n++) deque.addLast("x"); sink += deque.size(); }
        static void before() { fill(new java.util.ArrayDeque<>()); }
        static void after() { fill(new java.util.ArrayDeque<>(73)); }
    }

    static class GrownBytes {
        static void fill(java.io.ByteArrayOutputStream out) { for (int n = 0; n < 100; n++) out.write(n); sink += out.size(); }
        static void before() { fill(new java.io.ByteArrayOutputStream()); }
        static void after() { fill(new java.io.ByteArrayOutputStream(128)); }
    }

    static class GrownIdentityMap {
        static void fill(Map<Integer, Integer> map) { for (Integer key : GrownMap.KEYS) map.put(key, key); sink += map.size(); }
        static void before() { fill(new java.util.IdentityHashMap<>()); }
        static void after() { fill(new java.util.IdentityHashMap<>(22)); }
    }

    static class GrownTwoSizes {
        static int call;
        static void fill(List<String> list) { int elements = call++ % 2 == 0 ? 12 : 20; for (int n = 0; n < elements; n++) list.add("x"); sink += list.size(); }
        static void before() { fill(new ArrayList<>()); }
        static void after() { fill(new ArrayList<>(22)); }
    }

    static class CopyToArray {
        static final List<String> TEXTS = new ArrayList<>(java.util.Collections.nCopies(100, "text"));
        static void before() { for (Object text : TEXTS.toArray()) sink += text.hashCode(); }
        static void after() { for (int n = 0; n < TEXTS.size(); n++) sink += TEXTS.get(n).hashCode(); }
    }

    static class CopyOfBytes {
        static final String TEXT = "a text that is long enough for some samples of its copies, because only call stacks tell who asks for them";
        static void before() { sink += TEXT.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)[0]; }
        static void after() { sink += TEXT.charAt(0); }
    }

    static class StreamSum {
        static final List<String> TEXTS = new ArrayList<>(List.of("a", "b", "c"));
        static void before() { sink += TEXTS.stream().mapToInt(String::length).sum(); }
        static void after() { for (int n = 0; n < TEXTS.size(); n++) sink += TEXTS.get(n).length(); }
    }

    static class StreamFilter {
        static final List<String> TEXTS = new ArrayList<>(List.of("a", "bb", "ccc"));
        static void before() { sink += TEXTS.stream().filter(text -> text.length() > 1).count(); }
        static void after() { for (int n = 0; n < TEXTS.size(); n++) if (TEXTS.get(n).length() > 1) sink++; }
    }

    static class StreamOfArray {
        static final int[] NUMBERS = {1, 2, 3};
        static void before() { sink += Arrays.stream(NUMBERS).map(number -> number * 2).sum(); }
        static void after() { for (int number : NUMBERS) sink += number * 2; }
    }

    static class CostlyDateFormat {
        static void before() { sink += new java.text.SimpleDateFormat("yyyy-MM-dd").isLenient() ? 1 : 2; }
        static final java.text.SimpleDateFormat KEPT = new java.text.SimpleDateFormat("yyyy-MM-dd");
        static void after() { sink += KEPT.isLenient() ? 1 : 2; }
    }

    static class CostlyDecimalFormat {
        static void before() { sink += new java.text.DecimalFormat("#,##0.00").getGroupingSize(); }
        static final java.text.DecimalFormat KEPT = new java.text.DecimalFormat("#,##0.00");
        static void after() { sink += KEPT.getGroupingSize(); }
    }

    static class CostlyFormatter {
        static void before() { sink += java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").hashCode(); }
        static final java.time.format.DateTimeFormatter KEPT = java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");
        static void after() { sink += KEPT.hashCode(); }
    }

    /** The array of 60 elements is copied into one of 90, of which 70 are used. */
    static class GrownByUnion {
        static final List<String> A = new ArrayList<>(java.util.Collections.nCopies(60, "a"));
        static final List<String> B = new ArrayList<>(java.util.Collections.nCopies(10, "b"));
        static void before() {
            List<String> all = new ArrayList<>(A);
            all.addAll(B);
            sink += all.size();
        }
        static void after() {
            List<String> all = new ArrayList<>(A.size() + B.size());
            all.addAll(A);
            all.addAll(B);
            sink += all.size();
        }
    }

    /** Builders of texts with different lengths. */
    static class GrownToText {
        static final String[] NAMES = {"a-name-of-some-length-that-grows", "another-name-of-another-length-which-grows-more-than-once"};
        static int next;
        static void before() {
            String name = NAMES[next ^= 1];
            StringBuilder text = new StringBuilder();
            text.append(name).append('@').append(name);
            sink += text.toString().length();
        }
        static void after() {
            String name = NAMES[next ^= 1];
            StringBuilder text = new StringBuilder(2 * name.length() + 1);
            text.append(name).append('@').append(name);
            sink += text.toString().length();
        }
    }

    /** A map for each caller, with entries and a table that is made as large as the other one. */
    static class CopyOfMap {
        static final Map<String, String> ALL = new HashMap<>();
        static { for (int n = 0; n < 20; n++) ALL.put("key" + n, "value"); }
        static Map<String, String> copied() { return new HashMap<>(ALL); }
        static void before() { sink += copied().get("key7").length(); }
        static void after() { sink += ALL.get("key7").length(); }
    }

    static class CopyOfSet {
        static final List<String> ALL = new ArrayList<>(List.of("a", "b", "c", "d"));
        static void before() { sink += new java.util.HashSet<>(ALL).contains("c") ? 1 : 0; }
        static void after() { sink += ALL.contains("c") ? 1 : 0; }
    }

    /** The iterator of the loop that fills the list goes with the list. */
    static class CopyOfFiltered {
        static final java.util.ArrayDeque<Object> ALL = new java.util.ArrayDeque<>(java.util.Collections.nCopies(200, "a"));
        static int before(Object wanted) {
            List<Object> found = new ArrayList<>(ALL.size());
            for (Object one : ALL) if (one == wanted) found.add(one);
            return found.size();
        }
        static int after(Object wanted) {
            return wanted == "a" ? 200 : 0;
        }
        static void before() { sink += before("a"); }
        static void after() { sink += after("a"); }
    }

    /** Builder and text are made on two lines: one change. */
    static class TextOfBuilder {
        static final String TEXT = "'text'";
        static String quoted() {
            StringBuilder text = new StringBuilder(TEXT.length() + 2);
            if (TEXT.charAt(0) != '\'') text.append('\'');
            text.append(TEXT);
            return text.toString();
        }
        static void before() { sink += quoted().length(); }
        static void after() { sink += TEXT.length(); }
    }

    /** A list is filled and copied on two lines: one change. */
    static class CopyOfFilled {
        static final List<String> TEXTS = new ArrayList<>(java.util.Collections.nCopies(100, "text"));
        static List<String> texts() {
            List<String> texts = new ArrayList<>(TEXTS.size());
            for (int n = 0; n < TEXTS.size(); n++) texts.add(TEXTS.get(n));
            return new ArrayList<>(texts);
        }
        static void before() { sink += texts().size(); }
        static void after() { sink += TEXTS.size(); }
    }

    /** Of each buffer, 100 bytes are written; 500 are there at the end. */
    static class KeptBuffers {
        static final byte[][] KEPT = new byte[500][];
        static int call;
        static void before() {
            byte[] buffer = new byte[4096];
            java.util.Arrays.fill(buffer, 0, 100, (byte) 1);
            KEPT[call++ % KEPT.length] = buffer;
        }
    }

    /** Of the 500 texts that are there at the end, 10 are different. */
    static class KeptTexts {
        static final String[] KEPT = new String[500];
        static int call;
        static void before() {
            int at = call++ % KEPT.length;
            KEPT[at] = "text " + at % 10 + " of ten";
        }
    }
}
