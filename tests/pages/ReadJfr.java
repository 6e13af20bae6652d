import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;

/** Reads a recording with JMC's parser. Prints the events of each type; of allocations the bytes, and the most bytes of a top frame. */
public class ReadJfr {
    public static void main(String[] arguments) throws Exception {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(arguments[0]));
        Map<String, Long> counts = new TreeMap<>();
        Map<String, Long> frames = new TreeMap<>();
        long bytes = 0;
        for (IItemIterable items : events) {
            String type = items.getType().getIdentifier();
            for (IItem item : items) {
                counts.merge(type, 1L, Long::sum);
            }
            if (!type.equals("jdk.ObjectAllocationSample")) {
                continue;
            }
            IMemberAccessor<IQuantity, IItem> weight = JdkAttributes.SAMPLE_WEIGHT.getAccessor(items.getType());
            IMemberAccessor<IMCStackTrace, IItem> stack = JfrAttributes.EVENT_STACKTRACE.getAccessor(items.getType());
            for (IItem item : items) {
                long size = weight.getMember(item).clampedLongValueIn(UnitLookup.BYTE);
                bytes += size;
                IMCFrame top = stack.getMember(item).getFrames().get(0);
                frames.merge(top.getMethod().getType().getFullName() + "." + top.getMethod().getMethodName(), size, Long::sum);
            }
        }
        counts.forEach((type, number) -> System.out.println(type + " " + number));
        System.out.println("bytes " + bytes);
        frames.entrySet().stream().max(Map.Entry.comparingByValue()).ifPresent(most -> System.out.println("most " + most.getKey() + " " + most.getValue()));
    }
}
