import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kotlin.jvm.JvmClassMappingKt;
import shark.GcRoot;
import shark.HprofHeader;
import shark.HprofRecord;
import shark.HprofRecord.HeapDumpRecord.GcRootRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.InstanceDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ObjectArrayDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord;
import shark.HprofRecord.LoadClassRecord;
import shark.HprofRecord.StringRecord;
import shark.StreamingHprofReader;
import shark.StreamingRecordReaderAdapter;
import shark.ValueHolder;

/**
 * Retained bytes of all objects of a heap dump, by another reader (shark) and another algorithm (dominators by Cooper, Harvey and Kennedy).
 *
 * <p>{@code java RetainedReader DUMP SIZES OUT}: SIZES has pairs of 8 bytes, the object and its bytes; OUT gets the object and what it retains.
 *
 * <p>What counts as a reference is what holds an object: all fields and elements, static fields, a class's loader and superclass, an object's class and a
 * loader's classes where they can be unloaded; no referents of weak and phantom references. Only what roots hold by these is compared: objects that lists of finalizers
 * and of cleaners hold alone, and those that nothing in the dump holds, come out with 0.
 */
public final class RetainedReader {
    private static final Set<String> BUILT_IN = Set.of("jdk/internal/loader/ClassLoaders$AppClassLoader", "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
            "jdk/internal/loader/ClassLoaders$BootClassLoader");
    /** Lists that the collector and its helpers go through on the way to freeing an object. */
    private static final Set<String> LATE = Set.of("java/lang/ref/Finalizer.unfinalized", "java/lang/ref/Finalizer.next", "java/lang/ref/Finalizer.prev", "java/lang/ref/Reference.next",
            "java/lang/ref/Reference.discovered", "java/lang/ref/Reference.pending", "java/lang/ref/ReferenceQueue.head", "java/lang/ref/NativeReferenceQueue.head", "jdk/internal/ref/Cleaner.first",
            "jdk/internal/ref/Cleaner.next", "jdk/internal/ref/Cleaner.prev", "jdk/internal/ref/PhantomCleanable.next", "jdk/internal/ref/PhantomCleanable.prev",
            "jdk/internal/ref/CleanerImpl$CleanableList$Node.arr", "jdk/internal/ref/CleanerImpl$CleanableList.head");
    private static final Set<String> HANDLERS = Set.of("java/lang/ref/Reference$ReferenceHandler", "java/lang/ref/Finalizer$FinalizerThread");
    private static final int[] BYTES = {0, 0, 8, 0, 1, 2, 4, 8, 1, 2, 4, 8};

    private final Map<Long, String> strings = new HashMap<>();
    private final Map<Long, Long> nameOfClass = new HashMap<>();
    private final Map<Long, ClassDumpRecord> classes = new HashMap<>();
    private final Map<Long, Long> classOf = new HashMap<>();
    private final Map<Integer, Long> threads = new HashMap<>();
    private final List<GcRoot> roots = new ArrayList<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final Map<Long, List<int[]>> plans = new HashMap<>();
    private long[] ids = new long[0];
    private int[][] targets;

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        RetainedReader reader = new RetainedReader();
        File dump = new File(words[0]);
        long[] bytes = reader.readSizes(new File(words[1]));
        reader.each(dump, reader::first);
        reader.targets = new int[reader.ids.length + 1][];
        reader.each(dump, reader::second);
        long[] retained = reader.retained(bytes);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(words[2])))) {
            for (int at = 0; at < reader.ids.length; at++) {
                out.writeLong(reader.ids[at]);
                out.writeLong(retained[at]);
            }
        }
    }

    private long[] readSizes(File file) throws Exception {
        int count = (int) (file.length() / 16);
        ids = new long[count];
        long[] bytes = new long[count];
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
            for (int at = 0; at < count; at++) {
                ids[at] = in.readLong();
                bytes[at] = in.readLong();
                numbers.put(ids[at], at);
            }
        }
        return bytes;
    }

    private interface Taker {
        void take(HprofRecord record);
    }

    private void each(File file, Taker taker) {
        HprofHeader header = HprofHeader.Companion.parseHeaderOf(file);
        StreamingHprofReader plain = StreamingHprofReader.Companion.readerFor(file, header);
        StreamingRecordReaderAdapter records = StreamingRecordReaderAdapter.Companion.asStreamingRecordReader(plain);
        records.readRecords(Set.of(JvmClassMappingKt.getKotlinClass(HprofRecord.class)), (position, record) -> taker.take(record));
    }

    private void first(HprofRecord record) {
        if (record instanceof StringRecord) {
            strings.put(((StringRecord) record).getId(), ((StringRecord) record).getString());
        } else if (record instanceof LoadClassRecord) {
            nameOfClass.put(((LoadClassRecord) record).getId(), ((LoadClassRecord) record).getClassNameStringId());
        } else if (record instanceof ClassDumpRecord) {
            classes.put(((ClassDumpRecord) record).getId(), (ClassDumpRecord) record);
        } else if (record instanceof InstanceDumpRecord) {
            classOf.put(((InstanceDumpRecord) record).getId(), ((InstanceDumpRecord) record).getClassId());
        } else if (record instanceof ObjectArrayDumpRecord) {
            classOf.put(((ObjectArrayDumpRecord) record).getId(), ((ObjectArrayDumpRecord) record).getArrayClassId());
        } else if (record instanceof GcRootRecord) {
            GcRoot root = ((GcRootRecord) record).getGcRoot();
            roots.add(root);
            if (root instanceof GcRoot.ThreadObject) {
                threads.put(((GcRoot.ThreadObject) root).getThreadSerialNumber(), root.getId());
            }
        }
    }

    private String name(long type) {
        Long name = nameOfClass.get(type);
        return name == null ? "" : strings.getOrDefault(name, "");
    }

    private boolean isPermanent(long type) {
        ClassDumpRecord record = classes.get(type);
        if (record == null || record.getClassLoaderId() == 0) {
            return true;
        }
        Long loader = classOf.get(record.getClassLoaderId());
        return loader == null || BUILT_IN.contains(name(loader));
    }

    private void second(HprofRecord record) {
        if (record instanceof ClassDumpRecord) {
            ClassDumpRecord type = (ClassDumpRecord) record;
            List<Long> found = new ArrayList<>(List.of(type.getSuperclassId(), type.getClassLoaderId(), type.getSignersId(), type.getProtectionDomainId()));
            for (ClassDumpRecord.StaticFieldRecord field : type.getStaticFields()) {
                ValueHolder value = field.getValue();
                if (value instanceof ValueHolder.ReferenceHolder && !LATE.contains(name(type.getId()) + "." + strings.get(field.getNameStringId()))) {
                    found.add(((ValueHolder.ReferenceHolder) value).getValue());
                }
            }
            put(type.getId(), found);
        } else if (record instanceof InstanceDumpRecord) {
            InstanceDumpRecord instance = (InstanceDumpRecord) record;
            List<Long> found = implied(instance.getId(), instance.getClassId());
            ByteBuffer content = ByteBuffer.wrap(instance.getFieldValues());
            for (int[] field : plans.computeIfAbsent(instance.getClassId(), this::plan)) {
                found.add(content.getLong(field[0]));
            }
            put(instance.getId(), found);
        } else if (record instanceof ObjectArrayDumpRecord) {
            ObjectArrayDumpRecord array = (ObjectArrayDumpRecord) record;
            List<Long> found = implied(array.getId(), array.getArrayClassId());
            for (long id : array.getElementIds()) {
                found.add(id);
            }
            put(array.getId(), found);
        }
    }

    private List<Long> implied(long id, long type) {
        List<Long> found = new ArrayList<>();
        if (!isPermanent(type)) {
            found.add(type);
        }
        if (loaded == null) {
            loaded = new HashMap<>();
            for (ClassDumpRecord record : classes.values()) {
                if (!isPermanent(record.getId())) {
                    loaded.computeIfAbsent(record.getClassLoaderId(), key -> new ArrayList<>()).add(record.getId());
                }
            }
        }
        found.addAll(loaded.getOrDefault(id, List.of()));
        return found;
    }

    private Map<Long, List<Long>> loaded;

    /** Offsets of the references that hold. */
    private List<int[]> plan(long type) {
        List<int[]> plan = new ArrayList<>();
        Set<String> lineage = new HashSet<>();
        for (long at = type; classes.containsKey(at); at = classes.get(at).getSuperclassId()) {
            lineage.add(name(at));
        }
        int offset = 0;
        for (long at = type; classes.containsKey(at); at = classes.get(at).getSuperclassId()) {
            for (ClassDumpRecord.FieldRecord field : classes.get(at).getFields()) {
                String full = name(at) + "." + strings.get(field.getNameStringId());
                boolean isWeak = full.equals("java/lang/ref/Reference.referent")
                        && (lineage.contains("java/lang/ref/WeakReference") || lineage.contains("java/lang/ref/PhantomReference") || lineage.contains("java/lang/ref/FinalReference"));
                if (field.getType() == 2 && !isWeak && !LATE.contains(full)) {
                    plan.add(new int[] {offset});
                }
                offset += BYTES[field.getType()];
            }
        }
        return plan;
    }

    private void put(long id, List<Long> found) {
        Integer number = numbers.get(id);
        if (number != null) {
            targets[number] = found.stream().map(numbers::get).filter(java.util.Objects::nonNull).mapToInt(Integer::intValue).distinct().toArray();
        }
    }

    private boolean isFirm(GcRoot root) {
        if (root instanceof GcRoot.JavaFrame) {
            Long thread = threads.get(((GcRoot.JavaFrame) root).getThreadSerialNumber());
            Long type = thread == null ? null : classOf.get(thread);
            return type == null || !HANDLERS.contains(name(type));
        }
        return true;
    }

    /** The last node is the root of roots. */
    private long[] retained(long[] bytes) {
        int root = ids.length;
        Set<Integer> firm = new HashSet<>();
        roots.stream().filter(this::isFirm).map(one -> numbers.get(one.getId())).filter(java.util.Objects::nonNull).forEach(firm::add);
        classes.keySet().stream().filter(this::isPermanent).map(numbers::get).filter(java.util.Objects::nonNull).forEach(firm::add);
        targets[root] = firm.stream().mapToInt(Integer::intValue).toArray();
        int[] order = new int[root + 1];
        int[] place = new int[root + 1];
        int reached = postOrder(root, order, place);
        int[] count = new int[root + 1];
        for (int at = 0; at < reached; at++) {
            for (int to : list(order[at])) {
                count[to]++;
            }
        }
        int[][] sources = new int[root + 1][];
        Arrays.setAll(sources, at -> new int[count[at]]);
        for (int at = 0; at < reached; at++) {
            for (int to : list(order[at])) {
                sources[to][--count[to]] = order[at];
            }
        }
        int[] dominator = new int[root + 1];
        Arrays.fill(dominator, -1);
        dominator[root] = root;
        for (boolean changed = true; changed;) {
            changed = false;
            for (int at = reached - 2; at >= 0; at--) {
                int best = -1;
                for (int from : sources[order[at]]) {
                    if (dominator[from] >= 0) {
                        best = best < 0 ? from : meet(best, from, dominator, place);
                    }
                }
                changed |= dominator[order[at]] != best;
                dominator[order[at]] = best;
            }
        }
        long[] retained = new long[root + 1];
        for (int at = 0; at < reached - 1; at++) {
            int node = order[at];
            retained[node] += bytes[node];
            retained[dominator[node]] += retained[node];
        }
        return retained;
    }

    private int[] list(int node) {
        return targets[node] == null ? new int[0] : targets[node];
    }

    private static int meet(int left, int right, int[] dominator, int[] place) {
        while (left != right) {
            while (place[left] < place[right]) {
                left = dominator[left];
            }
            while (place[right] < place[left]) {
                right = dominator[right];
            }
        }
        return left;
    }

    private int postOrder(int root, int[] order, int[] place) {
        int[] stack = new int[root + 2];
        int[] next = new int[root + 1];
        boolean[] seen = new boolean[root + 1];
        int depth = 0;
        int done = 0;
        stack[depth++] = root;
        seen[root] = true;
        while (depth > 0) {
            int node = stack[depth - 1];
            int[] list = list(node);
            if (next[node] < list.length) {
                int to = list[next[node]++];
                if (!seen[to]) {
                    seen[to] = true;
                    stack[depth++] = to;
                }
            } else {
                depth--;
                place[node] = done;
                order[done++] = node;
            }
        }
        return done;
    }
}
