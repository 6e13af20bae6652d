//! The helper classes and their methods that others name: probes of rewritten code, and the agent.
//!
//! The classes are in `java.lang`, so that every loader sees them. `tests/helper_methods.rs` compares the list with the class files.

/// A static method of a helper class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HelperMethod {
    /// Internal name of its class.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
}

/// The start of the simple names of all helper classes.
pub const HELPER_NAMES: &[u8] = b"DuckTrack";

/// All lists of methods.
pub const CLASSES: &[(&str, &[HelperMethod])] = &[
    (counting::CLASS, counting::ALL),
    (keyed::CLASS, keyed::ALL),
    (materialized::CLASS, materialized::ALL),
    (own::CLASS, own::ALL),
    (sizes::CLASS, sizes::ALL),
    (stack_trace::CLASS, stack_trace::ALL),
    (event_words::CLASS, event_words::ALL),
    (stack::CLASS, stack::ALL),
    (callers::CLASS, callers::ALL),
    (calls::CLASS, calls::ALL),
    (events::CLASS, events::ALL),
    (object_events::CLASS, object_events::ALL),
    (event_buffer::CLASS, event_buffer::ALL),
    (uses::CLASS, uses::ALL),
    (witness::CLASS, witness::ALL),
    (records::CLASS, records::ALL),
    (holders::CLASS, holders::ALL),
    (copies::CLASS, copies::ALL),
    (unsafe_updates::CLASS, unsafe_updates::ALL),
    (methods::CLASS, methods::ALL),
    (hints::CLASS, hints::ALL),
    (mark::CLASS, mark::ALL),
    (control::CLASS, control::ALL),
    (measured::CLASS, measured::ALL),
    (contexts::CLASS, contexts::ALL),
    (spans::CLASS, spans::ALL),
    (modules::CLASS, modules::ALL),
    (off_heap::CLASS, off_heap::ALL),
];

/// Declares the methods of one class.
macro_rules! methods {
    ($(#[doc = $about:literal])* $module:ident $class:literal { $($name:ident $method:literal $descriptor:literal,)* }) => {
        $(#[doc = $about])*
        #[allow(missing_docs, reason = "the names say it, and the helper's source has the documentation")]
        pub mod $module {
            use super::HelperMethod;

            /// The internal name of the class.
            pub const CLASS: &str = $class;

            $(pub const $name: HelperMethod = HelperMethod {
                class: $class,
                name: $method,
                descriptor: $descriptor,
            };)*

            /// All of them.
            pub const ALL: &[HelperMethod] = &[$($name),*];
        }
    };
}

methods! {
    /// Counts, and gives the other classes what they know of threads.
    counting "java/lang/DuckTrack" {
        CONSTANT "constant" "(I)J",
        COUNT "count" "(I)V",
        COUNT_SEVERAL "countSeveral" "(II)V",
        COUNT_JOINED "countJoined" "(Ljava/lang/String;I)V",
        ADD_BYTES_OF_1 "addBytesOf1" "(II)V",
        ADD_BYTES_OF_2 "addBytesOf2" "(II)V",
        ADD_BYTES_OF_4 "addBytesOf4" "(II)V",
        ADD_BYTES_OF_8 "addBytesOf8" "(II)V",
        ADD_BYTES_OF_REFERENCES "addBytesOfReferences" "(II)V",
        COUNT_LENGTH "countLength" "(II)V",
        COUNT_INTEGER "countInteger" "(II)V",
        COUNT_LONG "countLong" "(JI)V",
        COUNT_SHORT "countShort" "(II)V",
        COUNT_CHARACTER "countCharacter" "(II)V",
        COUNT_LEVELS "countLevels" "(Ljava/lang/Object;II)V",
        HIDDEN "hidden" "([BI)[B",
        REWRITE_HIDDEN "rewriteHidden" "([B)[B",
        INHERITS_CLONE "inheritsClone" "(Ljava/lang/Class;)Z",
        SHUTDOWN "shutdown" "()V",
        SHUTDOWN_BEGINS "shutdownBegins" "()V",
        FIRST_SEEN "firstSeen" "(Ljava/lang/Class;J)V",
        SET_SLOT "setSlot" "(Ljava/lang/Thread;J)V",
        KLASS_OF "klassOf" "(Ljava/lang/Class;)J",
        SLOT "slot" "()J",
    }
}

methods! {
    /// Files objects under the call site that is to blame, or under their class.
    keyed "java/lang/DuckTrackKeyed" {
        OBJECT "object" "(I)V",
        ARRAY_OF_1 "arrayOf1" "(II)V",
        ARRAY_OF_2 "arrayOf2" "(II)V",
        ARRAY_OF_4 "arrayOf4" "(II)V",
        ARRAY_OF_8 "arrayOf8" "(II)V",
        ARRAY_OF_REFERENCES "arrayOfReferences" "(II)V",
        BY_CLASS "byClass" "(Ljava/lang/Object;I)V",
        BY_CLASS_FOR_CALLER "byClassForCaller" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_HIDDEN "byClassUnlessHidden" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_COUNTED "byClassUnlessCounted" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_PASSED "byClassUnlessPassed" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_OVERRIDDEN "byClassUnlessOverridden" "(Ljava/lang/Object;I)V",
        ALL_LEVELS "allLevels" "(Ljava/lang/Object;I)V",
        STACK_TRACE "stackTrace" "(Ljava/lang/Object;I)V",
        BEFORE_CONSTRUCTOR "beforeConstructor" "(Ljava/lang/reflect/Constructor;I)I",
        AFTER_CONSTRUCTOR "afterConstructor" "(Ljava/lang/Object;II)V",
        MADE "made" "(JJIJLjava/lang/Class;JJ)V",
        GROW "grow" "(J)V",
    }
}

methods! {
    /// Counts what reached the heap.
    materialized "java/lang/DuckTrackMaterialized" {
        BEFORE "before" "()V",
        AFTER "after" "(I)V",
        AFTER_INTEGER "afterInteger" "(Ljava/lang/Integer;I)V",
        AFTER_LONG "afterLong" "(Ljava/lang/Long;I)V",
        AFTER_SHORT "afterShort" "(Ljava/lang/Short;I)V",
        AFTER_CHARACTER "afterCharacter" "(Ljava/lang/Character;I)V",
        AFTER_ARRAY "afterArray" "(III)V",
    }
}

methods! {
    /// Application code calls these instead of [`counting`] and [`keyed`]: methods of the same names (`own_method`).
    own "java/lang/DuckTrackOwn" {
        COUNT "count" "(I)V",
        COUNT_SEVERAL "countSeveral" "(II)V",
        ADD_BYTES_OF_1 "addBytesOf1" "(II)V",
        ADD_BYTES_OF_2 "addBytesOf2" "(II)V",
        ADD_BYTES_OF_4 "addBytesOf4" "(II)V",
        ADD_BYTES_OF_8 "addBytesOf8" "(II)V",
        ADD_BYTES_OF_REFERENCES "addBytesOfReferences" "(II)V",
        COUNT_INTEGER "countInteger" "(II)V",
        COUNT_LONG "countLong" "(JI)V",
        COUNT_SHORT "countShort" "(II)V",
        COUNT_CHARACTER "countCharacter" "(II)V",
        COUNT_LEVELS "countLevels" "(Ljava/lang/Object;II)V",
        OBJECT "object" "(I)V",
        ARRAY_OF_1 "arrayOf1" "(II)V",
        ARRAY_OF_2 "arrayOf2" "(II)V",
        ARRAY_OF_4 "arrayOf4" "(II)V",
        ARRAY_OF_8 "arrayOf8" "(II)V",
        ARRAY_OF_REFERENCES "arrayOfReferences" "(II)V",
        BY_CLASS "byClass" "(Ljava/lang/Object;I)V",
        BY_CLASS_FOR_CALLER "byClassForCaller" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_OVERRIDDEN "byClassUnlessOverridden" "(Ljava/lang/Object;I)V",
        ALL_LEVELS "allLevels" "(Ljava/lang/Object;I)V",
    }
}

methods! {
    /// Claims stack for all probes of a method.
    stack "java/lang/DuckTrackStack" {
        CLAIM "claim" "(I)V",
    }
}

methods! {
    /// Notes the call site that is to blame.
    callers "java/lang/DuckTrackCallers" {
        NOTE_CALL_SITE "noteCallSite" "(I)J",
        SET_CALL_SITE "setCallSite" "(I)V",
        RESTORE_NOTE "restoreNote" "(J)V",
        NOTE_JOINED "noteJoined" "(I)J",
        NOTE_COUNTED_IF_JOINED "noteCountedIfJoined" "()J",
    }
}

methods! {
    /// Adds up what calls of the application allocate.
    calls "java/lang/DuckTrackCalls" {
        BEGIN "begin" "(I)V",
        BEGIN_IN_HEAD "beginInHead" "(I)V",
        END "end" "(I)V",
        THROWN "thrown" "()V",
        MOUNT "mount" "(Ljava/lang/Object;)V",
        UNMOUNT "unmount" "(Ljava/lang/Object;)V",
        LEAVE "leave" "(JJ)V",
        ARRIVE "arrive" "(JJ)V",
        MAIN_CLASS "mainClass" "()Ljava/lang/String;",
    }
}

methods! {
    /// Gives a program the executed allocations of a piece of its own run.
    measured "java/lang/DuckTrackMeasured" {
        MOUNT "mount" "(Ljava/lang/Object;)V",
        UNMOUNT "unmount" "(Ljava/lang/Object;)V",
        BEGIN "begin" "(JJZ)I",
        END "end" "(JJ)Ljava/lang/String;",
        PAUSE "pause" "(JJ)V",
        RESUME "resume" "(JJ)V",
        PROGRAM_BEGINS "begin" "(Z)I",
        PROGRAM_ENDS "end" "()Ljava/lang/String;",
        PROGRAM_PAUSES "pause" "()V",
        PROGRAM_RESUMES "resume" "()V",
        WATCH "watch" "(Ljava/lang/Thread;)I",
        REPETITION "repetition" "(I)Z",
        SURVIVORS "survivors" "()Ljava/lang/String;",
    }
}

methods! {
    /// Tells the agent of memory outside of the heap that Java code gets and gives back.
    off_heap "java/lang/DuckTrackOffHeap" {
        ASKED "asked" "(J)V",
        ALLOCATED "allocated" "(J)V",
        MADE "made" "(JJI)V",
        STARTS "starts" "(JJ)V",
        STARTED "started" "(J)V",
        RELEASED "released" "(JI)V",
    }
}

methods! {
    /// Lets a thread count for a context while it runs in it.
    contexts "java/lang/DuckTrackContexts" {
        ENTER "enter" "(I)V",
        ENTER_NAMED "enterNamed" "(Ljava/lang/Object;I)V",
        ENTER_KNOWN "enterKnown" "(Ljava/lang/Object;I)V",
        ENTER_PREPARED "enterPrepared" "(Ljava/lang/Object;I)V",
        PREPARING "preparing" "(Ljava/lang/Object;)V",
        PREPARED "prepared" "(Ljava/lang/Object;)V",
        LEAVE "leave" "()V",
        CURRENT "current" "()I",
        ENTER_CARRIED "enterCarried" "(I)V",
        MOUNT "mount" "(Ljava/lang/Object;)V",
        UNMOUNT "unmount" "(Ljava/lang/Object;)V",
        ABANDON "abandon" "()V",
        COMBINE "combine" "(II)I",
        LEASE "lease" "(I)J",
        GIVE_BACK "giveBack" "(IJ)V",
        SKIP "skip" "(I)V",
        PATTERN "pattern" "(Ljava/lang/String;)I",
        NAMED "named" "(Ljava/lang/String;I)I",
        NEW_LARGEST "newLargest" "(IJLjava/lang/String;Ljava/lang/String;)V",
        DEPART "depart" "(JJJ)J",
        ARRIVE "arrive" "(JJJJ)J",
    }
}

methods! {
    /// OpenTelemetry's current span as a context.
    spans "java/lang/DuckTrackSpans" {
        ATTACHED "attached" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        CLOSING "closing" "(Ljava/lang/Object;)V",
    }
}

methods! {
    /// Writes allocation events.
    events "java/lang/DuckTrackEvents" {
        OBJECT "object" "(I)V",
        OBJECT_FOR_CALLER "objectForCaller" "(I)V",
        ARRAY_OF_1 "arrayOf1" "(Ljava/lang/Object;II)V",
        ARRAY_OF_2 "arrayOf2" "(Ljava/lang/Object;II)V",
        ARRAY_OF_4 "arrayOf4" "(Ljava/lang/Object;II)V",
        ARRAY_OF_8 "arrayOf8" "(Ljava/lang/Object;II)V",
        ARRAY_OF_REFERENCES "arrayOfReferences" "(Ljava/lang/Object;II)V",
        ARRAY_OF_1_FOR_CALLER "arrayOf1ForCaller" "(Ljava/lang/Object;II)V",
        ARRAY_OF_2_FOR_CALLER "arrayOf2ForCaller" "(Ljava/lang/Object;II)V",
        ARRAY_OF_4_FOR_CALLER "arrayOf4ForCaller" "(Ljava/lang/Object;II)V",
        ARRAY_OF_8_FOR_CALLER "arrayOf8ForCaller" "(Ljava/lang/Object;II)V",
        ARRAY_OF_REFERENCES_FOR_CALLER "arrayOfReferencesForCaller" "(Ljava/lang/Object;II)V",
        BOXED_INTEGER "boxedInteger" "(Ljava/lang/Integer;I)V",
        BOXED_LONG "boxedLong" "(Ljava/lang/Long;I)V",
        BOXED_SHORT "boxedShort" "(Ljava/lang/Short;I)V",
        BOXED_CHARACTER "boxedCharacter" "(Ljava/lang/Character;I)V",
        LEVELS "levels" "(Ljava/lang/Object;II)V",
    }
}

methods! {
    /// Writes events of objects whose class only the run knows.
    object_events "java/lang/DuckTrackObjectEvents" {
        BY_CLASS "byClass" "(Ljava/lang/Object;I)V",
        BY_CLASS_FOR_CALLER "byClassForCaller" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_HIDDEN "byClassUnlessHidden" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_COUNTED "byClassUnlessCounted" "(Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_PASSED "byClassUnlessPassed" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        BY_CLASS_UNLESS_OVERRIDDEN "byClassUnlessOverridden" "(Ljava/lang/Object;I)V",
        ALL_LEVELS "allLevels" "(Ljava/lang/Object;I)V",
        STACK_TRACE "stackTrace" "(Ljava/lang/Object;I)V",
        BEFORE_CONSTRUCTOR "beforeConstructor" "(Ljava/lang/reflect/Constructor;I)I",
        AFTER_CONSTRUCTOR "afterConstructor" "(Ljava/lang/Object;II)V",
        FROM_NATIVE "fromNative" "(Ljava/lang/Object;I)V",
        STRING_FROM_NATIVE "stringFromNative" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        GONE_FROM_NATIVE "goneFromNative" "(Ljava/lang/Class;JI)V",
    }
}

methods! {
    /// The natives of the buffer of events.
    event_buffer "java/lang/DuckTrackEventBuffer" {
        FLUSH "flush" "(J)V",
        ADOPT "adopt" "(J)J",
        ADDRESS "address" "(Ljava/lang/Object;)J",
        BECOME_WRITER "becomeWriter" "(J)V",
    }
}

methods! {
    /// Writes the words of events; one of its methods, by which the agent makes the VM initialize it.
    event_words "java/lang/DuckTrackEventWords" {
        TYPED "typed" "(JJ)J",
    }
}

methods! {
    /// Knows how large objects are; one of its methods, by which the agent makes the VM initialize it.
    sizes "java/lang/DuckTrackSizes" {
        KIND "kind" "(I)I",
    }
}

methods! {
    /// Knows the arrays of a stack trace; one of its methods, by which the agent makes the VM initialize it.
    stack_trace "java/lang/DuckTrackStackTrace" {
        PART "part" "(Ljava/lang/Object;)[Ljava/lang/Object;",
    }
}

methods! {
    /// Stamps what is used with the agent's clock.
    uses "java/lang/DuckTrackUses" {
        CONSTANT "constant" "(I)J",
        INSTANCE "instance" "(Ljava/lang/Object;)V",
        NUMBERS "numbers" "(Ljava/lang/Object;)V",
        ANY "any" "(Ljava/lang/Object;)V",
    }
}

methods! {
    /// Stamps what is used, and what loses a reference, with the thread's position.
    witness "java/lang/DuckTrackWitness" {
        CONSTANT "constant" "(I)J",
        INSTANCE "instance" "(Ljava/lang/Object;)V",
        NUMBERS "numbers" "(Ljava/lang/Object;)V",
        ANY "any" "(Ljava/lang/Object;)V",
        LOST "lost" "(Ljava/lang/Object;)V",
        FIELD "field" "(Ljava/lang/Object;I)V",
        ELEMENT "element" "(Ljava/lang/Object;I)V",
        FIND "find" "(Ljava/lang/Object;I)J",
    }
}

methods! {
    /// Records updates of references.
    records "java/lang/DuckTrackRecords" {
        FIELD "field" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        INITIAL "initial" "(Ljava/lang/Object;I)V",
        FIELD_OF_CLASS "fieldOfClass" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        ELEMENT "element" "(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;",
        SET "set" "(Ljava/lang/Object;ILjava/lang/Object;)V",
        OF_ELEMENT "ofElement" "(Ljava/lang/Object;Ljava/lang/Object;I)V",
    }
}

methods! {
    /// Has the arrays by which identities are read.
    holders "java/lang/DuckTrackHolders" {
        CONSTANT "constant" "(I)J",
        IDENTITY_OF "identityOf" "(Ljava/lang/Object;)J",
        ALL_HOLDERS "all" "()[Ljava/lang/Object;",
    }
}

methods! {
    /// Records updates by copies.
    copies "java/lang/DuckTrackCopies" {
        ARRAYCOPY "arraycopy" "(Ljava/lang/Object;ILjava/lang/Object;II)V",
        COPIED "copied" "(Ljava/lang/Object;)V",
    }
}

methods! {
    /// Replaces methods of `jdk.internal.misc.Unsafe` that update references: methods of the same names, which take the `Unsafe` as well.
    unsafe_updates "java/lang/DuckTrackUnsafe" {
        PUT "putReference" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)V",
        PUT_VOLATILE "putReferenceVolatile" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)V",
        PUT_OPAQUE "putReferenceOpaque" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)V",
        PUT_RELEASE "putReferenceRelease" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)V",
        SET_IF "compareAndSetReference" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        WEAK_SET_IF "weakCompareAndSetReference" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        WEAK_SET_IF_PLAIN "weakCompareAndSetReferencePlain" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        WEAK_SET_IF_ACQUIRE "weakCompareAndSetReferenceAcquire" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        WEAK_SET_IF_RELEASE "weakCompareAndSetReferenceRelease" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        EXCHANGE "compareAndExchangeReference" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        EXCHANGE_ACQUIRE "compareAndExchangeReferenceAcquire" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        EXCHANGE_RELEASE "compareAndExchangeReferenceRelease" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        GET_AND_SET "getAndSetReference" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)Ljava/lang/Object;",
        GET_AND_SET_ACQUIRE "getAndSetReferenceAcquire" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)Ljava/lang/Object;",
        GET_AND_SET_RELEASE "getAndSetReferenceRelease" "(Ljdk/internal/misc/Unsafe;Ljava/lang/Object;JLjava/lang/Object;)Ljava/lang/Object;",
    }
}

methods! {
    /// Records stores that native code is about to do.
    native_stores "java/lang/DuckTrackUnsafe" {
        WILL_STORE "willStore" "(Ljava/lang/Object;JLjava/lang/Object;)V",
    }
}

methods! {
    /// Records calls of methods.
    methods "java/lang/DuckTrackMethods" {
        ENTER "enter" "(Ljava/lang/Object;I)V",
        ENTER_STATIC "enter" "(I)V",
        EXIT "exit" "(I)V",
        THROWN "thrown" "(Ljava/lang/Object;I)V",
    }
}

methods! {
    /// Asks the JIT.
    hints "java/lang/invoke/DuckTrackHints" {
        IS_C2 "isC2" "()Z",
        HIDE "hide" "(Ljava/lang/Object;)Ljava/lang/Object;",
        PICOSECONDS "picoseconds" "(J)J",
    }
}

methods! {
    /// Marks windows of the run: `mark` is what programs call.
    mark "java/lang/DuckTrackMark" {
        BEGIN "begin" "(Ljava/lang/String;)Z",
        MARK "mark" "(Ljava/lang/String;)Z",
    }
}

methods! {
    /// Gives commands to the recording: programs call it.
    control "java/lang/DuckTrackControl" {
        ASK "ask" "(Ljava/lang/String;)Ljava/lang/String;",
    }
}

methods! {
    /// Keeps modules from reading the unnamed modules.
    modules "java/lang/DuckTrackModules" {
        READER "reader" "(Ljava/lang/Module;)Ljava/lang/Module;",
        WITHHOLD "withhold" "(Ljava/lang/Module;)Z",
        BEGIN "begin" "(Ljava/lang/WeakPairMap;Ljava/lang/Module;)Z",
        END "end" "(Ljava/lang/WeakPairMap;)V",
    }
}

/// The method that application code calls where other code calls this: its objects are its own, and charged to no call.
pub fn own_method(method: HelperMethod) -> Option<HelperMethod> {
    let counts = method.class == counting::CLASS || method.class == keyed::CLASS;
    let same = |own: &&HelperMethod| own.name == method.name && own.descriptor == method.descriptor;
    own::ALL.iter().find(same).copied().filter(|_| counts)
}
