/* Loads libducktrack.so as a program of this C library does, and calls what needs no JVM: the entry points with a VM that gives nothing, the natives without a run,
   the search for unwind tables, and a panic that the library must catch. Prints one line, or says which call failed. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct dl_find_object of glibc's <dlfcn.h>. */
struct found_object {
    unsigned long long flags;
    void *map_start, *map_end, *link_map, *eh_frame;
    unsigned long long reserved[7];
};

typedef int (*load_function)(void *vm, char *options, void *reserved);
typedef int (*find_function)(void *address, struct found_object *result);
typedef unsigned char (*mark_function)(void *env, void *class, void *name);

enum { JNI_ERR = -1, JNI_EVERSION = -3 };

static void *library;
static int calls;

static void fail(const char *what, const char *text) {
    fprintf(stderr, "error: %s: %s\n", what, text);
    exit(1);
}

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) fail(name, dlerror());
    return found;
}

/* The functions of a VM: each answers that it has no such version. */
static int refuse(void) { return JNI_EVERSION; }
static int (*const functions[8])(void) = {NULL, NULL, NULL, refuse, refuse, refuse, refuse, refuse};
static const void *const vm = functions;

/* The agent's answer is in a file, which is there before. */
static void refuses(load_function load, const void *const *machine, const char *given, const char *answer) {
    char file[] = "/tmp/ducktrack-probe-XXXXXX", options[256], text[512] = "";
    int descriptor = mkstemp(file);
    if (descriptor < 0) fail(file, "cannot be created");
    snprintf(options, sizeof options, "%s,answer=%s", given, file);
    int code = load((void *)machine, options, NULL);
    if (read(descriptor, text, sizeof text - 1) < 0) fail(file, "cannot be read");
    close(descriptor);
    unlink(file);
    if (code != JNI_ERR) fail(given, "the VM would go on with the agent");
    if (strstr(text, answer) == NULL) fail(given, text);
    calls++;
}

static void finds_own_tables(void) {
    struct found_object object;
    char *address = symbol("Agent_OnLoad");
    find_function find = (find_function)symbol("_dl_find_object");
    if (find(address, &object) != 0) fail("_dl_find_object", "does not find the library");
    if (address < (char *)object.map_start || address >= (char *)object.map_end) fail("_dl_find_object", "finds another library");
    /* The table of the frames begins with its version. */
    if (object.eh_frame == NULL || *(unsigned char *)object.eh_frame != 1) fail("_dl_find_object", "finds no tables");
    if (find(NULL, &object) != -1) fail("_dl_find_object", "finds a library at no address");
    calls++;
}

/* Where errors go: the probe's own, and the file that takes the library's. */
static int own_errors, written;

static void read_written(char *text, size_t bytes) {
    ssize_t length = pread(written, text, bytes - 1, 0);
    text[length < 0 ? 0 : length] = 0;
}

static void write_to_file(int signal) { (void)signal, dup2(written, 2); }

static void not_caught(int signal) {
    char text[1024];
    (void)signal;
    read_written(text, sizeof text);
    dup2(own_errors, 2);
    fail("a panic in the library is not caught", text);
}

/* Errors go into a pipe that is not read. The library's first write fails, and Rust's print panics. The signal of that write puts a file in place of the pipe, so that the message
   of the panic is written there, and what the code that catches it makes of it. */
static void catches_a_panic(load_function load) {
    char file[] = "/tmp/ducktrack-probe-XXXXXX", text[1024];
    int ends[2];
    written = mkstemp(file), own_errors = dup(2);
    if (written < 0 || unlink(file) != 0 || pipe(ends) != 0) fail(file, "cannot be created");
    close(ends[0]);
    dup2(ends[1], 2);
    signal(SIGPIPE, write_to_file);
    signal(SIGABRT, not_caught);
    int code = load(NULL, "mode=count", NULL);
    dup2(own_errors, 2);
    read_written(text, sizeof text);
    if (strstr(text, "panicked at ") == NULL) fail("no panic in the library", text);
    if (strstr(text, "[ducktrack] error: failed printing to stderr") == NULL) fail("the catcher has not the panic's message", text);
    if (code != JNI_ERR) fail("after a panic", "the VM would go on with the agent");
    calls++;
}

int main(int count, char **arguments) {
    if (count != 2) fail(arguments[0], "give it the library");
    library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) fail(arguments[1], dlerror());
    load_function at_start = (load_function)symbol("Agent_OnLoad"), attached = (load_function)symbol("Agent_OnAttach");
    finds_own_tables();
    refuses(at_start, NULL, "mode=count", "gave no pointer to itself");
    refuses(at_start, &vm, "mode=nonsense", "nonsense");
    refuses(attached, &vm, "status", "nothing is recorded in this JVM");
    /* The flags of the VM are looked for in libjvm.so, which is not there; then for its tool interface. */
    refuses(at_start, &vm, "output=/tmp/ducktrack-probe", "this VM has no tool interface");
    refuses(attached, &vm, "mode=trace", "this VM has no tool interface");
    catches_a_panic(at_start);
    mark_function mark = (mark_function)symbol("Java_java_lang_DuckTrackMark_begin");
    if (mark(NULL, NULL, NULL) != 0) fail("DuckTrackMark.begin", "marks without a run");
    calls++;
    printf("%d calls that need no JVM, one of them with a panic that is caught\n", calls);
    return 0;
}
