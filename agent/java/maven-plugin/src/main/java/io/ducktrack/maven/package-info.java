/** The plugin for Maven. */
package io.ducktrack.maven;
