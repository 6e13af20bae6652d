//! The records of the neutral stream, as values.

use std::fmt;
use std::num::NonZeroU64;

/// An object of the program. Ids are never used again, also not after the object's death.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    /// Ids are below this, so that the difference of two fits 63 bits.
    pub const LIMIT: u64 = 1 << 62;
    /// The smallest.
    pub const FIRST: Self = Self(NonZeroU64::MIN);

    /// The id; `None` for 0 (no object) and from [`LIMIT`](Self::LIMIT) on.
    #[must_use]
    pub fn new(id: u64) -> Option<Self> {
        NonZeroU64::new(id)
            .filter(|id| id.get() < Self::LIMIT)
            .map(Self)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object{}", self.0)
    }
}

macro_rules! small_id {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, "{}"), self.0)
            }
        }
    };
}

small_id!(
    /// A type of objects; 0: not known.
    TypeId,
    "type"
);
small_id!(
    /// A place where objects are allocated or methods are called; 0: not known.
    SiteId,
    "site"
);
small_id!(
    /// A method; 0: not known.
    MethodId,
    "method"
);
small_id!(
    /// A thread; 0: not known.
    ThreadId,
    "thread"
);
small_id!(
    /// A place in an object (or among the roots) that holds a reference.
    SlotId,
    "slot"
);

/// A moment of the stream: each event takes the next one, and ticks jump forward.
pub type Time = u64;

/// The facts of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The object.
    pub object: ObjectId,
    /// Its size in bytes.
    pub bytes: u64,
    /// Elements of an array; `None` for other objects.
    pub length: Option<u64>,
    /// Its type.
    pub ty: TypeId,
    /// Where it was allocated.
    pub site: SiteId,
}

/// The holder of an object that no object of the stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// A local variable or operand of a thread.
    Stack,
    /// A global variable: a static field, a module.
    Global,
    /// A handle of native code.
    Native,
    /// The runtime itself: loaders, interned strings, monitors.
    Runtime,
}

impl RootKind {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Stack, Self::Global, Self::Native, Self::Runtime];

    /// The number in the stream.
    #[must_use]
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The kind of this number.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Readings of the program's clocks at one moment; `None`: this clock was not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes that the program has allocated.
    pub bytes: Option<u64>,
    /// Methods that it has entered.
    pub calls: Option<u64>,
    /// Microseconds since it began.
    pub micros: Option<u64>,
}

/// A name for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Something about the whole stream: `level`, `frontend`, `command`, ...
    Fact {
        /// What.
        key: String,
        /// Its value.
        value: String,
    },
    /// A type.
    Type {
        /// Its number.
        ty: TypeId,
        /// As people write it.
        name: String,
    },
    /// A method.
    Method {
        /// Its number.
        method: MethodId,
        /// The class or module around it; may be empty.
        class: String,
        /// Its name.
        name: String,
        /// The source file; may be empty.
        file: String,
    },
    /// A site.
    Site {
        /// Its number.
        site: SiteId,
        /// The method that it lies in.
        method: MethodId,
        /// The line; 0: not known.
        line: u32,
        /// Where that method was called from; 0: not known.
        caller: SiteId,
    },
    /// A thread's name.
    Thread {
        /// Its number.
        thread: ThreadId,
        /// Its name.
        name: String,
    },
}

/// One record.
///
/// *Events* (each takes one moment of the stream's time): `Allocation`, `Update`, `Store`, `Use`, `Root`, `Entry`, `Exit`,
/// `ExceptionalExit`. The others take none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An object is made; also its first use.
    Allocation(Allocation),
    /// A reference is overwritten; a use of `source`.
    Update {
        /// The object that holds the reference; `None`: a global variable.
        source: Option<ObjectId>,
        /// Where in it.
        slot: SlotId,
        /// The old target.
        old: Option<ObjectId>,
        /// The new target.
        new: Option<ObjectId>,
    },
    /// As `Update`, from a front end that does not know what the reference was before.
    Store {
        /// The object that holds the reference; `None`: a global variable.
        source: Option<ObjectId>,
        /// Where in it.
        slot: SlotId,
        /// The new target.
        new: Option<ObjectId>,
    },
    /// The program has this object in hand.
    Use(ObjectId),
    /// A root holds this object now.
    Root {
        /// The holder.
        kind: RootKind,
        /// The object.
        object: ObjectId,
    },
    /// A method begins; a use of `receiver`.
    Entry {
        /// Which.
        method: MethodId,
        /// On which object.
        receiver: Option<ObjectId>,
    },
    /// A method returns. No use: its receiver may be dead already.
    Exit {
        /// Which.
        method: MethodId,
        /// On which object.
        receiver: Option<ObjectId>,
    },
    /// A method ends by an exception; a use of `exception`.
    ExceptionalExit {
        /// Which.
        method: MethodId,
        /// On which object.
        receiver: Option<ObjectId>,
        /// The exception.
        exception: Option<ObjectId>,
    },
    /// The events that follow are of this thread.
    Thread(ThreadId),
    /// The time and the clocks at this point.
    Tick {
        /// Moments that pass.
        advance: u64,
        /// The clocks.
        reading: Reading,
    },
    /// A collection; its findings follow, until `CollectionEnd`.
    Collection {
        /// Its number.
        number: u64,
        /// True: every object that is not named dead was still reachable.
        complete: bool,
    },
    /// The collection found this object dead.
    Dead(ObjectId),
    /// The collection kept this object: it was reachable, or the collector did not find out that it was not.
    Kept(ObjectId),
    /// When an object was last used, and when it last lost a reference, if that was before this moment and is not
    /// stated by events.
    Stamp {
        /// The object.
        object: ObjectId,
        /// Its last use.
        used: Option<Time>,
        /// The last time that a reference to it was overwritten.
        lost: Option<Time>,
    },
    /// References of the object in the preceding `Dead` record that events do not state.
    Reference {
        /// Where.
        slot: SlotId,
        /// What.
        target: ObjectId,
    },
    /// The collection is complete.
    CollectionEnd,
    /// A name for a number.
    Definition(Box<Definition>),
}

impl Record {
    /// True when the record takes a moment of time.
    #[must_use]
    pub fn is_event(&self) -> bool {
        matches!(
            self,
            Self::Allocation(_)
                | Self::Update { .. }
                | Self::Store { .. }
                | Self::Use(_)
                | Self::Root { .. }
                | Self::Entry { .. }
                | Self::Exit { .. }
                | Self::ExceptionalExit { .. }
        )
    }
}
