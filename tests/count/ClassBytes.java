import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies class files of the JDK: {@code ClassBytes FOLDER java/lang/String ...}; a class that this JDK does not have is left out. */
public class ClassBytes {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            try (InputStream bytes = Object.class.getResourceAsStream("/" + arguments[i] + ".class")) {
                if (bytes != null) {
                    Files.write(folder.resolve(arguments[i].replace('/', '.')), bytes.readAllBytes());
                }
            }
        }
    }
}
