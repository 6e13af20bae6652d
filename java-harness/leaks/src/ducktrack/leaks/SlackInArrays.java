package ducktrack.leaks;

import java.util.ArrayList;
import java.util.List;

/**
 * Documents are small, but each keeps the large buffer that it was read into.
 *
 * <p>CULPRIT ducktrack.leaks.SlackInArrays$Document made in ducktrack.leaks.SlackInArrays.read
 * held by static ducktrack.leaks.SlackInArrays.DOCUMENTS
 */
public final class SlackInArrays {
    private static final List<Document> DOCUMENTS = new ArrayList<>();
    private static final int BUFFER = 4000;

    private SlackInArrays() {}

    private record Document(byte[] buffer, int length) {}

    private static Document read(int number) {
        byte[] buffer = new byte[BUFFER];
        buffer[0] = (byte) number;
        return new Document(buffer, 1);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> DOCUMENTS.add(read(number)));
    }
}
