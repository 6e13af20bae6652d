//! The one table of options.

use crate::Mode::{Count, Deaths, Full, Trace};
use crate::Values::{Described, Switch, Words};
use crate::{AgentOption, Mode, Values};

const ALL: &[Mode] = &Mode::ALL;
const TRACES: &[Mode] = &[Trace, Deaths, Full];

/// Keys that only tests of the agent use: a release does not know them (feature `test-switches` of the agent).
pub const TEST_SWITCHES: &[&str] = &[
    "buffer-size",
    "contexts-stay",
    "failing-check",
    "fault-at",
    "queue",
    "redundant-stamps",
    "slow-handover",
    "watch",
];

/// All options, in the order in which pages show them.
pub const OPTIONS: &[AgentOption] = &[
    option(
        "mode",
        Words(&["count", "trace", "deaths", "full"]),
        "count",
        ALL,
        "What is recorded: executed allocations of each site; every allocation, move and death; last uses as well, for exact death times; each \
         update of a reference as well.",
    )
    .with_details(
        "Each mode contains those before it. `deaths` adds stamps of last uses and of overwritten references, and the references of dead objects, \
         from which `ducktrack lifetimes --deaths` computes when each object died. `full` adds each update of a reference (source, slot, old and new target), \
         calls, and the time ([format](../crates/trace-format/src/witness_event.rs), [limits](LIMITS.md#complete-traces), \
         [figures](../benches/RESULTS.md)): take `deaths` where death times are enough. Both work with Serial, Parallel and G1, and need \
         `moves=exact`, `on-full=wait` and neither `max-trace-size` nor `staleness`; see also [limits](LIMITS.md#death-times).",
    ),
    option(
        "output",
        Described("DIR"),
        "ducktrack-%p",
        ALL,
        "Folder for the recording, readable by its owner only. %p is the process id, %t the start time.",
    )
    .with_details(
        "A folder of another user, or a link in a world-writable folder, is refused. If the folder already has a recording, the next one goes to \
         `FOLDER.1`.",
    ),
    option(
        "classes",
        Described("[not:]PATTERN"),
        "",
        ALL,
        "Record only allocations in these classes; `not:` before a pattern leaves its classes unchanged. May be given more than once.",
    )
    .repeated(),
    option(
        "only-main",
        Described("PATTERN"),
        "",
        ALL,
        "Record the program only if its main class matches, or the jar of java -jar; with JAVA_TOOL_OPTIONS, which every JVM takes. May be given \
         more than once.",
    )
    .repeated()
    .with_details(
        "Where it does not match, the agent does nothing: no folder, no message. Without it, what `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS` or \
         `_JAVA_OPTIONS` gives to tools of the JDK (`javac`, `jar`, `jps`) and to the launchers of Maven and Gradle is left alone in the same way. \
         A jar is named by its file: `orders.jar`, `orders-*.jar`.",
    ),
    option(
        "context",
        Described("auto|off|FILE"),
        "auto",
        ALL,
        "Which library methods have their objects filed under their callers: a built-in list (in traces with values and collections) and hot library sites; none; or those in FILE, too.",
    )
    .with_details(
        "A file has lines `class.method`; `!` before a line removes a method from the list.",
    ),
    option(
        "stacks",
        Described("on|off|BYTES"),
        "on",
        ALL,
        "Sample call stacks of allocations, as often as half a percent of the CPU time allows, or once per BYTES.",
    )
    .with_details(
        "By default stacks are not sampled if the library of another tool is loaded at the start; `on` samples them nevertheless. A tool that is \
         loaded later gets the VM's sampler ([limits](LIMITS.md#call-stacks)).",
    ),
    option(
        "record",
        Words(&["lengths", "materialized", "off"]),
        "off",
        ALL,
        "Record in addition: the lengths of arrays; or which of the executed allocations reached the heap. May be given more than once.",
    )
    .repeated(),
    option(
        "interval",
        Described("SECONDS|off"),
        "off",
        ALL,
        "Also write a snapshot at this interval, for history.",
    ),
    option(
        "dump",
        Switch,
        "off",
        ALL,
        "Write heap.hprof into the output folder, for its owner only, when the program ends, before its shutdown hooks run; and oom.hprof at the first OutOfMemoryError. `look`: no dump, but one full collection then; `ducktrack run` with events asks for it.",
    ),
    option(
        "summary",
        Switch,
        "on",
        ALL,
        "Print the largest sites, completeness and the agent's cost to standard error at exit.",
    ),
    option(
        "memory",
        Described("[mapped:]BYTES|off"),
        "off, mapped:64m",
        ALL,
        "A bound on the agent's memory; with `mapped:`, on that mapped from files in the output folder, so that a killed JVM loses nothing \
         (events of traces: 512m). May be given for both.",
    )
    .repeated()
    .with_details(
        "Without `mapped:`: the event queue is shorter (threads wait, or `on-full=drop`). At the bound, new classes stay unchanged and new threads count into the \
         shared block. The report names what happened. With `max-trace-size`, the mirror of the heap takes at most half of the bound; beyond \
         that, moves and deaths are unknown.\n\n\
         With `mapped:`: counters are in `counters.mapped`; threads' buffers and queued events in `events.live`. What does not fit is in private memory; the \
         report names such threads, and `ducktrack info` counts them.",
    ),
    option(
        "control",
        Switch,
        "on",
        ALL,
        "A socket in the output folder that accepts status, snapshot, mark and stop from the program's user and from root.",
    ),
    option(
        "log",
        Described("[LEVEL:]stderr|FILE"),
        "warn:stderr",
        ALL,
        "The agent's own messages: how many (error, warn, info, debug), and where they go. LEVEL alone goes to standard error.",
    ),
    option(
        "cache",
        Described("DIR|off"),
        "~/.cache/ducktrack",
        ALL,
        "Where rewritten classes are kept between runs: the next JVM does not plan them again.",
    )
    .with_details(
        "By default in `XDG_CACHE_HOME` if that is set. The folder is made for its owner only. A file in it, at most 64 MB, is for one build of the agent, one release of the JDK and one choice of \
         options, and all files together take at most 256 MB: those used longest ago leave. Several JVMs may use it at once. Where nothing can be \
         written, or there is no home, only the saving is lost.",
    ),
    option(
        "counters",
        Described("path[:EXECUTIONS[:SECONDS]]|path:off|site"),
        "path:10000:20",
        &[Count],
        "One counter for each control-flow path, which needs the fewest increments, or one for each allocation site. A method is rewritten for its \
         measured hot path when a counter of it has reached EXECUTIONS, but not in the first SECONDS.",
    )
    .with_details(
        "The pause before the next methods is each time twice as long, at most two minutes. Methods that were rewritten must be compiled anew, and \
         so must those that they were inlined into: early in the run that costs more CPU than it saves. With `path:off`, the paths that are foreseen \
         to be hot stay.",
    ),
    option(
        "contexts",
        Described("http|sql|messages|jobs|tests|otel|[KIND:]CLASS.METHOD[(N)]|objects"),
        "",
        &[Count],
        "Count by context, too: requests, statements, jobs, spans of well-known libraries, or from entry to exit of these methods, by the text of their argument N. May be given more than once.",
    )
    .repeated()
    .with_details(
"`*` matches any characters: `contexts=com.acme.*Controller.*`, `contexts=job:com.acme.Jobs.run(1)`. Contexts nest, and objects belong to the innermost \
         one of each KIND (`method` if none is given): `ducktrack report DIR --by context`. For each context there are exact figures by site, and the \
         bytes of each execution by the JVM's own count of the thread; with `contexts=objects` also its objects, for at most 3 ns more an object and one counter \
         per site. Virtual threads keep their contexts; work that is handed to another thread does \
         not ([which libraries](LIMITS.md#contexts)).",
    ),
    option(
        "app",
        Described("auto|PATTERN|off"),
        "off",
        &[Count],
        "Which code is the application (auto: the project of the main class). For each call from it into other code, count the objects allocated \
         in the call.",
    )
    .repeated()
    .with_details(
        "With `auto`, `com.acme.shop.Main` means `com.acme.*`; classes of the JDK never belong to it. The report gives objects and bytes \
         *inclusive* of everything that runs in the call on its thread, and *charged*, each object once, to the innermost such call. The figures \
         are executed counts: they do not depend on the JIT and are reproducible. Uses one counter per site (`counters=site`), and costs CPU if \
         the application makes many short calls: meant for checks in CI and closer examination, not for permanent use. Calls of methods that \
         allocate only when they throw (`String.charAt`, `ArrayList.get`, `Math.*`) are not measured.",
    ),
    option(
        "moves",
        Words(&["exact", "off"]),
        "exact",
        TRACES,
        "Whether moves and deaths are read: in each pause, or not at all.",
    ),
    option(
        "staleness",
        Described("on|off|PATTERN"),
        "off",
        &[Trace],
        "Stamp each object when the program (or the code of these classes) uses it, for ducktrack heap --stale. Serial, Parallel, G1, ZGC.",
    )
    .with_details(
        "A use is an access to a field or array element, `arraylength`, a call with the object as receiver, a monitor operation, a cast, \
         `instanceof`, or a comparison of references. Not a use: being held, passed or returned; native code, reflection and VM intrinsics (array \
         copies); a constructor's own `this`.",
    ),
    option(
        "roots",
        Words(&["end", "collections", "off"]),
        "end",
        &[Deaths, Full],
        "Record frames, static fields and references of JNI and the VM: after a full collection at the end; after each collection, too; never.",
    )
    .with_details(
        "For `ducktrack lifetimes DIR --roots` ([which roots](LIMITS.md#complete-traces)). With `off`, the agent does not ask for that last collection.",
    ),
    option(
        "calls",
        Words(&["auto", "all", "off"]),
        "auto",
        &[Full],
        "Record entry, return and end by exception: of methods that call, allocate or update a reference; of all; of none.",
    ),
    option(
        "max-trace-size",
        Described("BYTES|off"),
        "off",
        &[Trace],
        "Maximum size of all event files together, within a quarter. The oldest file is deleted; events of live objects are kept.",
    ),
    option(
        "on-full",
        Words(&["wait", "drop"]),
        "wait",
        TRACES,
        "When the queue of events is full: threads wait, or events are dropped and counted.",
    ),
    option(
        "compress",
        Described("full|partial[:SHARE]|off"),
        "full",
        TRACES,
        "LZ4 for every block of events; only while the queue is at least this full (0.2); for none.",
    ),
];

/// Keys that a command gives, and no user.
pub const OF_COMMANDS: &[AgentOption] = &[option(
        "remove",
        Described("SOURCE->TARGET|none|WHEN[:COLLECTIONS]"),
        "",
        &[Trace],
        "A trial of ducktrack impact: set references from SOURCE to unused TARGET objects to null. This can make the program fail.",
    )
    .repeated()
    .with_details(
        "No allocation is recorded, collections are timed, and references from objects of the source class (`java.util.HashMap$Node`, \
         `java.lang.Object[]`) to unused objects of the target class are set to null. Of the JDK's classes only those of \
         `java.util` can be a source (not `zip`, `jar`, `prefs`, `ForkJoin*`), and arrays of `Object` and `String` that the program's objects hold: \
         the VM, its intrinsics or native code read the fields of others. Up to 8 pairs may be given; `none` only times collections. \
         WHEN is given as a value of its own: `stale:8` removes as soon as the target was unused for 8 collections (the default); `oom:8` only \
         after a collection leaves 80 % of the maximum heap in use, in addition; `never:8` not at all, but looks for them as often (base trials). \
         Needs `staleness`; use `moves=off`, so that pauses are the JVM's own.",
    )];

const fn option(
    key: &'static str,
    values: Values,
    default: &'static str,
    modes: &'static [Mode],
    short: &'static str,
) -> AgentOption {
    AgentOption {
        key,
        values,
        default,
        modes,
        repeats: false,
        short,
        details: "",
    }
}

impl AgentOption {
    const fn repeated(mut self) -> Self {
        self.repeats = true;
        self
    }

    const fn with_details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }
}
