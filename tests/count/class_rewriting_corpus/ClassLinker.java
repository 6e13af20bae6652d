import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Links each class of a list without running any of them: {@code ClassLinker LIST}. Prints a line for each that does not link. */
final class ClassLinker {
    public static void main(String[] words) throws IOException {
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        int linked = 0;
        for (String name : Files.readAllLines(Path.of(words[0]))) {
            try {
                // Asking for its methods links a class.
                Class.forName(name, false, loader).getDeclaredMethods();
                linked++;
            } catch (Throwable failure) {
                String text = failure.toString().replace('\n', ' ');
                System.out.println("FAILED\t" + name + "\t" + failure.getClass().getName() + "\t" + text);
            }
        }
        System.out.println("LINKED\t" + linked);
    }
}
