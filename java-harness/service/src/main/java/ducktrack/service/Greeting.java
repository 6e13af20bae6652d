package ducktrack.service;

/** Final, so that only a mock that redefines classes can take its place. */
final class Greeting {
    String to(String name) {
        return "Hello, " + name;
    }
}
