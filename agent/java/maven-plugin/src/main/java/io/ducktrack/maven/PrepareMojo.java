package io.ducktrack.maven;

import io.ducktrack.allocations.NativeLibrary;
import java.io.File;
import java.io.IOException;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/**
 * Unpacks the agent's library and adds its option to the property {@code argLine}, from which Surefire and Failsafe take the options of
 * their JVMs.
 */
@Mojo(name = "prepare", defaultPhase = LifecyclePhase.INITIALIZE, threadSafe = true)
public final class PrepareMojo extends AbstractMojo {
    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    /** Where the library and the traces go. */
    @Parameter(property = "ducktrack.folder", defaultValue = "${project.build.directory}/ducktrack")
    private File folder;

    /** The property that gets the option. */
    @Parameter(property = "ducktrack.propertyName", defaultValue = "argLine")
    private String propertyName;

    /** Leaves the tests without the agent. */
    @Parameter(property = "ducktrack.skip", defaultValue = "false")
    private boolean skip;

    @Override
    public void execute() throws MojoExecutionException {
        if (skip) {
            return;
        }
        try {
            String before = project.getProperties().getProperty(propertyName, "");
            String option = NativeLibrary.option(folder.toPath());
            project.getProperties().setProperty(propertyName, before.isEmpty() ? option : option + " " + before);
        } catch (IOException failed) {
            throw new MojoExecutionException(failed.getMessage() + "; -Dducktrack.skip runs the tests without it", failed);
        }
    }
}
