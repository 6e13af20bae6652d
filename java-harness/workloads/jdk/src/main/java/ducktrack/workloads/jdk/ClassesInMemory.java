package ducktrack.workloads.jdk;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

/** Takes what the compiler writes. */
final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

    ClassesInMemory(JavaFileManager files) {
        super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        classes.put(name, bytes);
        return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/') + ".class"), kind) {
            @Override
            public OutputStream openOutputStream() {
                return bytes;
            }
        };
    }

    /** Class name to length of its class file. */
    Map<String, Integer> lengths() {
        Map<String, Integer> lengths = new HashMap<>();
        classes.forEach((name, bytes) -> lengths.put(name, bytes.size()));
        return lengths;
    }
}
