package io.ducktrack.agent;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.ducktrack.allocations.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/** Loads the library into a JVM by the JDK's attach mechanism. */
final class Loading {
    private static final String NAME = "/libducktrack.so";

    private Loading() {}

    /**
     * Loads the library with options, or with a request to the one that is there.
     *
     * @return the agent's answer
     */
    static String into(long pid, String options) {
        try {
            return answer(pid, library(pid), options);
        } catch (IOException failed) {
            throw new RefusedException(reason(pid, failed), failed);
        } catch (NoClassDefFoundError absent) {
            throw new RefusedException("this Java has no module jdk.attach: run on a JDK, or give process " + pid + " the option that `java -jar ducktrack-agent.jar` prints", absent);
        }
    }

    private static String answer(long pid, Path library, String options) throws IOException {
        // The JVM passes on a number only, so the agent writes into a file. It removes the file, which stays open here.
        Path file = Files.createTempFile("ducktrack-answer", ".json");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Optional<String> refusal = load(pid, library, options + ",answer=" + file);
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // All of it is read.
            }
            String answer = new String(bytes.array(), StandardCharsets.UTF_8);
            if (!answer.isEmpty()) {
                return answer;
            }
            throw new RefusedException("process " + pid + " does not load the agent: " + refusal.orElse("it gives no reason"));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Why the JVM does not load it. The agent's own reason is in its answer. */
    private static Optional<String> load(long pid, Path library, String options) throws IOException {
        try {
            VirtualMachine vm = VirtualMachine.attach(Long.toString(pid));
            try {
                vm.loadAgentPath(library.toString(), options);
                return Optional.empty();
            } finally {
                vm.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException refused) {
            return Optional.of(refused.getMessage());
        }
    }

    /** The library that the process has loaded, or else the one of this jar: a second copy would be a second agent. */
    private static Path library(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
            Optional<String> loaded = lines.filter(line -> line.endsWith(NAME)).findFirst();
            if (loaded.isPresent()) {
                return Path.of(loaded.get().substring(loaded.get().indexOf('/')));
            }
        }
        Path folder = Files.createTempDirectory("ducktrack-");
        Path library = NativeLibrary.unpack(folder);
        // The first is removed last.
        folder.toFile().deleteOnExit();
        library.getParent().toFile().deleteOnExit();
        library.toFile().deleteOnExit();
        return library;
    }

    private static String reason(long pid, IOException failed) {
        boolean isThis = pid == ProcessHandle.current().pid();
        if (isThis && !Boolean.getBoolean("jdk.attach.allowAttachSelf")) {
            return failed.getMessage() + ": start it with -Djdk.attach.allowAttachSelf=true, or with the option that `java -jar ducktrack-agent.jar` prints";
        }
        return "process " + pid + " cannot be attached to: " + failed.getMessage();
    }
}
