//! The numbers by which records refer to things.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(
            /// The number in the trace.
            pub u32,
        );
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($word, "{}"), self.0)
            }
        }
    };
}

id!(/// A class as loaded by one class loader.
    ClassId, "class");
id!(/// A method of a class.
    MethodId, "method");
id!(/// An allocation site: one bytecode index of one method that allocates one kind of object.
    SiteId, "site");
id!(/// A word in every thread's counter block.
    CounterId, "counter");
id!(/// A call of a tracked method, the caller that is to blame.
    CallSiteId, "call");
id!(/// A context: a name of one kind.
    ContextId, "context");
id!(/// A thread, or the fold of all ended threads with one name pattern.
    ThreadId, "thread");
id!(/// A class as it appears in the VM's heap.
    HeapClassId, "heapclass");
id!(/// A method that was seen on a stack.
    StackMethodId, "stackmethod");
id!(/// A frame with its callers: a stack, identified by its top frame.
    StackId, "stack");
id!(/// A type of sampled objects.
    StackTypeId, "stacktype");
