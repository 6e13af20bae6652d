package io.ducktrack.gradle;

import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.tasks.testing.Test;

/** Gives each task that runs tests the agent's option, unless the property {@code ducktrack.skip} is there. */
public final class DucktrackPlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        if (!project.hasProperty("ducktrack.skip")) {
            project.getTasks().withType(Test.class).all(test -> test.doFirst(new PrepareAction(project.getBuildDir())));
        }
    }
}
