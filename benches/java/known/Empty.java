/** The program that does nothing: what is left is the start of the JVM and of its agents. */
public final class Empty {
    public static void main(String[] args) { }
}
