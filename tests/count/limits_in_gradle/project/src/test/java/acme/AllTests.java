package acme;

import org.junit.platform.runner.JUnitPlatform;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.runner.RunWith;

/** Gradle before 4.6 (Debian's) knows JUnit 4 alone. */
@RunWith(JUnitPlatform.class)
@SelectClasses(LimitTest.class)
public class AllTests {}
