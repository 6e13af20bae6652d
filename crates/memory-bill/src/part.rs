//! The parts of a bill.

/// A part of the memory that is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Objects in the heap, garbage among them.
    HeapUsed,
    /// Pages of the heap without objects that the JVM has not given back.
    HeapFree,
    /// Class metadata.
    Metaspace,
    /// Compiled code.
    CodeCache,
    /// Stacks of threads.
    ThreadStacks,
    /// Memory that Java code asked for outside of the heap: direct buffers, `Unsafe`, arenas.
    OffHeap,
    /// Tables of the collector.
    Collector,
    /// Names in class files.
    Symbols,
    /// The compilers at work.
    Compilers,
    /// The rest of what the JVM counts: itself.
    JvmItself,
    /// The agent of ducktrack that records the process.
    Agent,
    /// Written pages of libraries and archives.
    Libraries,
    /// Memory of malloc and of mappings without a name that nothing above explains.
    NotExplained,
    /// The other processes of the group.
    OtherProcesses,
    /// Files in memory: the kernel takes these back before it kills.
    PageCache,
    /// Memory of the kernel: page tables, sockets, stacks of its own.
    Kernel,
}

impl Part {
    /// The word for it in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::HeapUsed => "heap-used",
            Self::HeapFree => "heap-free",
            Self::Metaspace => "metaspace",
            Self::CodeCache => "code-cache",
            Self::ThreadStacks => "thread-stacks",
            Self::OffHeap => "off-heap",
            Self::Collector => "collector",
            Self::Symbols => "symbols",
            Self::Compilers => "compilers",
            Self::JvmItself => "jvm-itself",
            Self::Agent => "agent",
            Self::Libraries => "libraries",
            Self::NotExplained => "not-explained",
            Self::OtherProcesses => "other-processes",
            Self::PageCache => "page-cache",
            Self::Kernel => "kernel",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeapUsed => "heap, objects and garbage",
            Self::HeapFree => "heap, free and not given back",
            Self::Metaspace => "class metadata",
            Self::CodeCache => "compiled code",
            Self::ThreadStacks => "thread stacks",
            Self::OffHeap => "off-heap of Java code",
            Self::Collector => "collector's tables",
            Self::Symbols => "symbols",
            Self::Compilers => "compilers",
            Self::JvmItself => "the JVM itself",
            Self::Agent => "the agent that records",
            Self::Libraries => "libraries and archives",
            Self::NotExplained => "not explained",
            Self::OtherProcesses => "other processes of the group",
            Self::PageCache => "files in memory",
            Self::Kernel => "the kernel for the group",
        }
    }
}
