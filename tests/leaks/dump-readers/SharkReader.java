import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import kotlin.jvm.JvmClassMappingKt;
import shark.HprofHeader;
import shark.HprofRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.InstanceDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ObjectArrayDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord;
import shark.HprofRecord.LoadClassRecord;
import shark.HprofRecord.StackFrameRecord;
import shark.HprofRecord.StackTraceRecord;
import shark.HprofRecord.StringRecord;
import shark.StreamingHprofReader;
import shark.StreamingRecordReaderAdapter;

/**
 * What the library shark (of LeakCanary) reads of a heap dump: how many objects there are, how many have a stack trace with frames, and the traces of
 * the instances of one class.
 *
 * <p>{@code java SharkReader FILE CLASS}
 */
public final class SharkReader {
    private final String wanted;
    private final Map<Long, String> strings = new HashMap<>();
    private final Map<Integer, Long> classNames = new HashMap<>();
    private final Map<Long, Long> nameOfClass = new HashMap<>();
    private final Map<Long, StackFrameRecord> frames = new HashMap<>();
    private final Map<Integer, long[]> traces = new HashMap<>();
    private final Map<String, Integer> tracesOfWanted = new TreeMap<>();
    private long objects;
    private long classes;
    private long withTrace;

    private SharkReader(String wanted) {
        this.wanted = wanted;
    }

    /** The words of the class comment. */
    public static void main(String[] words) {
        File file = new File(words[0]);
        HprofHeader header = HprofHeader.Companion.parseHeaderOf(file);
        StreamingHprofReader plain = StreamingHprofReader.Companion.readerFor(file, header);
        StreamingRecordReaderAdapter records = StreamingRecordReaderAdapter.Companion.asStreamingRecordReader(plain);
        SharkReader reader = new SharkReader(words[1].replace('.', '/'));
        records.readRecords(Set.of(JvmClassMappingKt.getKotlinClass(HprofRecord.class)), (position, record) -> reader.take(record));
        System.out.println("objects " + reader.objects);
        System.out.println("classes " + reader.classes);
        System.out.println("with-trace " + reader.withTrace);
        reader.tracesOfWanted.forEach((trace, count) -> System.out.println("trace " + count + " " + trace));
    }

    private void take(HprofRecord record) {
        if (record instanceof StringRecord) {
            StringRecord string = (StringRecord) record;
            strings.put(string.getId(), string.getString());
        } else if (record instanceof LoadClassRecord) {
            LoadClassRecord loaded = (LoadClassRecord) record;
            classNames.put(loaded.getClassSerialNumber(), loaded.getClassNameStringId());
            nameOfClass.put(loaded.getId(), loaded.getClassNameStringId());
        } else if (record instanceof StackFrameRecord) {
            StackFrameRecord frame = (StackFrameRecord) record;
            frames.put(frame.getId(), frame);
        } else if (record instanceof StackTraceRecord) {
            StackTraceRecord trace = (StackTraceRecord) record;
            traces.put(trace.getStackTraceSerialNumber(), trace.getStackFrameIds());
        } else if (record instanceof InstanceDumpRecord) {
            InstanceDumpRecord instance = (InstanceDumpRecord) record;
            object(instance.getStackTraceSerialNumber());
            if (wanted.equals(strings.get(nameOfClass.get(instance.getClassId())))) {
                tracesOfWanted.merge(named(instance.getStackTraceSerialNumber()), 1, Integer::sum);
            }
        } else if (record instanceof ObjectArrayDumpRecord) {
            object(((ObjectArrayDumpRecord) record).getStackTraceSerialNumber());
        } else if (record instanceof PrimitiveArrayDumpRecord) {
            object(((PrimitiveArrayDumpRecord) record).getStackTraceSerialNumber());
        } else if (record instanceof ClassDumpRecord) {
            classes++;
            object(((ClassDumpRecord) record).getStackTraceSerialNumber());
        }
    }

    private void object(int trace) {
        objects++;
        long[] known = traces.get(trace);
        if (known != null && known.length > 0) {
            withTrace++;
        }
    }

    private String named(int serial) {
        StringBuilder text = new StringBuilder();
        for (long id : traces.getOrDefault(serial, new long[0])) {
            StackFrameRecord frame = frames.get(id);
            String type = strings.get(classNames.get(frame.getClassSerialNumber())).replace('/', '.');
            text.append(text.length() == 0 ? "" : " <- ").append(type).append('.');
            text.append(strings.get(frame.getMethodNameStringId())).append(strings.get(frame.getMethodSignatureStringId()));
            text.append('(').append(strings.get(frame.getSourceFileNameStringId())).append(':').append(frame.getLineNumber()).append(')');
        }
        return text.toString();
    }
}
