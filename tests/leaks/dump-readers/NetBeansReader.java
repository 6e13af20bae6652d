import java.io.File;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;

/**
 * What the library of the NetBeans profiler (and VisualVM) reads of a heap dump: how many objects there are, their bytes, how many are of one class, and
 * what the first of these holds on to.
 *
 * <p>{@code java NetBeansReader FILE CLASS}
 */
public final class NetBeansReader {
    private NetBeansReader() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(words[0]));
        System.out.println("objects " + heap.getSummary().getTotalLiveInstances());
        System.out.println("bytes " + heap.getSummary().getTotalLiveBytes());
        System.out.println("classes " + heap.getAllClasses().size());
        JavaClass wanted = heap.getJavaClassByName(words[1]);
        System.out.println("instances " + wanted.getInstancesCount());
        System.out.println("fields " + ((Instance) wanted.getInstances().get(0)).getFieldValues().size());
        System.out.println("roots " + heap.getGCRoots().size());
    }
}
