//! Questions of helper classes to the agent when they are initialized: the number of a question is its index here.

use crate::numbered::Numbered;

/// Declares the questions of one class as an enum.
macro_rules! facts {
    ($(#[doc = $about:literal])* $name:ident { $(#[doc = $doc:literal] $fact:ident $java:literal,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $doc] $fact),*
        }

        impl $name {
            /// All questions, in order.
            pub const ALL: &[Self] = &[$(Self::$fact),*];

            /// The question with this number.
            pub fn of(number: i32) -> Option<Self> {
                usize::try_from(number).ok().and_then(|index| Self::ALL.get(index).copied())
            }

            pub(crate) fn numbered() -> Vec<Numbered> {
                let names = [$(($java, $doc)),*];
                let number = |(value, (name, doc))| Numbered { name, value, doc };
                (0..).zip(names).map(number).collect()
            }
        }
    };
}

facts! {
    /// Of `DuckTrack.constant`.
    Fact {
        /// Where threads keep their slot: 0 in reserved memory of the VM's thread, 1 in the padding of the Thread object, 2 in a table.
        SlotKind "SLOT_KIND",
        /// The slot's offset in either.
        SlotOffset "SLOT_OFFSET",
        /// The offset of `Thread.eetop`.
        Eetop "EETOP",
        /// The address of the block that threads without one share.
        Shared "SHARED",
        /// 1: virtual threads have carriers.
        HasCarriers "HAS_CARRIERS",
        /// The address of the table of slots.
        SlotTable "SLOT_TABLE",
        /// Bits of an offset in it.
        SlotTableMask "SLOT_TABLE_MASK",
        /// The offset of keyed entries in a block.
        Keyed "KEYED",
        /// Bits of an offset in the largest table of keyed entries.
        KeyedMask "KEYED_MASK",
        /// The offset of the klass in a Class.
        Klass "KLASS",
        /// The offset of the layout helper in a klass.
        LayoutHelper "LAYOUT_HELPER",
        /// The largest value of the cache of Integer.
        IntegerCacheTop "INTEGER_CACHE_TOP",
        /// The offset of the TLAB's top in the VM's thread.
        TlabTop "TLAB_TOP",
        /// The alignment of objects.
        Alignment "ALIGNMENT",
        /// Bytes before the elements of an array, for elements of 1 byte.
        Base1 "BASE1",
        /// The same for 2 bytes.
        Base2 "BASE2",
        /// The same for 4 bytes.
        Base4 "BASE4",
        /// The same for 8 bytes.
        Base8 "BASE8",
        /// The same for references.
        BaseReference "BASE_REFERENCE",
        /// The logarithm of a reference's bytes.
        ReferenceShift "REFERENCE_SHIFT",
        /// The offset of the thread's count of allocated bytes.
        Allocated "ALLOCATED",
        /// The offset of the TLAB's start.
        TlabStart "TLAB_START",
        /// The address of the table of classes whose names the agent knows.
        SeenClasses "SEEN_CLASSES",
        /// Bits of an offset in it.
        SeenClassesMask "SEEN_CLASSES_MASK",
        /// The offset of the TLAB's end.
        TlabEnd "TLAB_END",
        /// The address of the number of collections.
        Epoch "EPOCH",
        /// The address of the keys of pairs of site and caller.
        CalledSites "CALLED_SITES",
        /// 1: threads' totals are kept.
        Totals "TOTALS",
        /// The address of the bytes that one more of each counter stands for.
        CounterBytes "COUNTER_BYTES",
        /// The address of the bytes of an object of each site.
        SiteBytes "SITE_BYTES",
        /// The offset of records of open calls in a block.
        CallRecords "CALL_RECORDS",
        /// Bytes of all of them.
        CallRecordsBytes "CALL_RECORDS_BYTES",
        /// The address of the number of virtual threads that wait in the middle of a call.
        WaitingThreads "WAITING_THREADS",
        /// The bits of an address, without a collector's colours.
        AddressBits "ADDRESS_BITS",
    }
}

facts! {
    /// Of `DuckTrackUses.constant`.
    UseFact {
        /// The distance of an object's word from the object.
        Shadow "USE_SHADOW",
        /// The address of the clock.
        Clock "USE_CLOCK_ADDRESS",
        /// 1: `DuckTrackHints` works here.
        Hints "USE_HINTS",
    }
}

facts! {
    /// Of `DuckTrackWitness.constant`.
    WitnessFact {
        /// The distance of an object's word for uses from the object.
        Used "WITNESS_USED",
        /// The same for the loss of references.
        Lost "WITNESS_LOST",
        /// 1: `DuckTrackHints` works here.
        Hints "WITNESS_HINTS",
        /// The address of the offsets of fields.
        Fields "WITNESS_FIELDS",
    }
}

facts! {
    /// Of `DuckTrackRecords.constant`.
    RecordFact {
        /// 1: references in fields are compressed.
        Narrow "RECORD_NARROW",
        /// The address of the word that counts microseconds since 1970.
        Clock "RECORD_CLOCK",
        /// The address of the count of updates without a record.
        Unseen "RECORD_UNSEEN",
        /// Threads that can have a holder at a time.
        MostHolders "RECORD_MOST_HOLDERS",
        /// The address of the count of records that could not be made because the stack ended.
        WithoutStack "RECORD_WITHOUT_STACK",
        /// 1: the probes of entries are inlined.
        Inlined "RECORD_INLINED",
        /// The offset of the number of oop maps in a class.
        Maps "RECORD_MAPS",
        /// The offset of the length of its vtable.
        VtableLength "RECORD_VTABLE_LENGTH",
        /// The offset of the length of its itable.
        ItableLength "RECORD_ITABLE_LENGTH",
        /// Where its tables begin; 0 if that is not known.
        Tables "RECORD_TABLES",
        /// The address of the block of the thread that wrote the last record.
        LastWriter "RECORD_LAST_WRITER",
    }
}

facts! {
    /// Of `DuckTrackContexts.constant`.
    ContextFact {
        /// The address of the words that hold idle blocks: for each combination of contexts 8 cache lines.
        Banks "CONTEXT_BANKS",
        /// The address of the table of combinations: a combination << 32 | the context entered in it, and the combination then.
        Combinations "CONTEXT_COMBINATIONS",
        /// Bits of an offset in it.
        CombinationsMask "CONTEXT_COMBINATIONS_MASK",
        /// The address of the recording's generation, shifted by 32.
        Generation "CONTEXT_GENERATION",
        /// The address of the number of virtual threads that wait in contexts.
        Waiting "CONTEXT_WAITING",
        /// The offset of the histogram of executions in a block.
        Histogram "CONTEXT_HISTOGRAM",
        /// The offset of the histogram of executions by their objects; 0: they are not counted.
        ObjectsHistogram "CONTEXT_OBJECTS_HISTOGRAM",
    }
}
