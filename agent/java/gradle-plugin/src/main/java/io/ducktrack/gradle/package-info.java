/** The plugin for Gradle. */
package io.ducktrack.gradle;
