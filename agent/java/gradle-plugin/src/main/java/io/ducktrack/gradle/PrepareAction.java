package io.ducktrack.gradle;

import io.ducktrack.allocations.NativeLibrary;
import java.io.File;
import java.io.IOException;
import org.gradle.api.Action;
import org.gradle.api.GradleException;
import org.gradle.api.Task;
import org.gradle.api.tasks.testing.Test;

/**
 * Unpacks the library into the build's folder and adds its option, before the tests run. A class of its own: Gradle asks what a task
 * consists of.
 */
final class PrepareAction implements Action<Task> {
    private final File buildFolder;

    PrepareAction(File buildFolder) {
        this.buildFolder = buildFolder;
    }

    @Override
    public void execute(Task task) {
        try {
            ((Test) task).jvmArgs(NativeLibrary.option(new File(buildFolder, "ducktrack").toPath()));
        } catch (IOException failed) {
            throw new GradleException(failed.getMessage() + "; -Pducktrack.skip runs the tests without it", failed);
        }
    }
}
