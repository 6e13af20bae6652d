//! The words of a thread's events, as its buffer and trace files have them. `trace-format/src/event_word.rs` says what they mean.

use crate::numbered::numbered;

numbered! { u32;
    /// Bits of a word below the site or the operation.
    OPERATION_SHIFT = 12;
    /// The most units a word can carry.
    MAX_UNITS = 0xFFF;
    /// Site ids below this are operations.
    FIRST_SITE = 16;
    /// Ignored; with IS_CUT the first word after a collection.
    PAD = 0;
    /// An object of fixed size that ends at a given top.
    AT = 1;
    /// An object outside of TLABs.
    OUTSIDE = 2;
    /// A measured object that ends at a given top.
    ARRAY = 3;
    /// Units that belong to no site.
    GAP = 4;
    /// An eliminated measured object.
    NOTHING = 5;
    /// The class of the next object.
    TYPED = 6;
    /// The caller of the next allocation.
    CALLER = 7;
    /// An array of arrays.
    LEVELS = 8;
    /// Events that were not recorded.
    DROPPED = 9;
    /// Eliminated, or allocated just before the last collection.
    STRADDLE = 10;
    /// An eliminated object with its bytes.
    ELIMINATED = 11;
    /// Bytes that the thread allocated since its last event.
    MOVED = 12;
    /// The top after the last event.
    TOP = 13;
    /// In the low bits of PAD: a collection has cut the buffer; the bits below it have the collection's number.
    IS_CUT = 1 << 11;
    /// In the low bits of LEVELS: the top moved by exactly these arrays.
    AT_TOP = 1 << 11;
    /// From this number on, sites in words may be pairs of a site and a caller.
    FIRST_CALLED_SITE = 0xB_0000;
    /// The first number after those of such pairs.
    END_OF_CALLED_SITES = 0xC_0000;
    /// The first number after those of sites: the lowest of the upper bits of a clock word.
    FIRST_CLOCK = 0xE_0000;
    /// The most microseconds that a clock word can carry.
    MAX_CLOCK = (1 << 28) - 1;
    /// The upper bits of the extended operation 0.
    FIRST_EXTENDED = 0xF_0000;
    /// Methods whose returns, and entries without a receiver, have one word.
    BARE_METHODS = 1 << 20;
}

/// Extended operations, whose words carry their number above [`FIRST_EXTENDED`] and the length of what follows. Words of bare operations
/// carry the lower bits of a method's number instead, and nothing follows.
pub mod extended {
    use crate::numbered::numbered;

    numbered! { u16;
        /// Bytes that the VM or native code allocated.
        VM_BYTES = 0x0001;
        /// An update of a field or an element.
        UPDATE = 0x0200;
        /// An update of a static field.
        STATIC_UPDATE = 0x0201;
        /// A method is entered.
        ENTER = 0x0202;
        /// A method returns.
        EXIT = 0x0203;
        /// A method ends by an exception.
        THROWN = 0x0204;
        /// The return of methods 0 to 4095, in one word.
        FIRST_BARE_EXIT = 0x0E00;
        /// The entry of methods 0 to 4095 without a receiver, in one word.
        FIRST_BARE_ENTER = 0x0F00;
        /// Earlier traces: the short return of method 0.
        FIRST_SHORT_EXIT = 0x1000;
        /// The short update of slot 0.
        FIRST_SHORT_UPDATE = 0x4000;
        /// Slots that have a short update.
        SHORT_UPDATES = 0x4000;
        /// The short entry of method 0.
        FIRST_SHORT_ENTER = 0x8000;
        /// Methods that have a short entry.
        SHORT_ENTERS = 0x8000;
    }
}

#[cfg(test)]
mod tests {
    use super::extended::{
        FIRST_BARE_ENTER, FIRST_BARE_EXIT, FIRST_SHORT_ENTER, FIRST_SHORT_EXIT, FIRST_SHORT_UPDATE,
        SHORT_ENTERS, SHORT_UPDATES, THROWN,
    };
    use super::*;

    #[test]
    fn ranges_do_not_overlap() {
        let ends = [
            FIRST_SITE,
            FIRST_CALLED_SITE,
            END_OF_CALLED_SITES,
            FIRST_CLOCK,
            FIRST_EXTENDED,
        ];
        assert!(ends.is_sorted());
        const { assert!(THROWN < FIRST_BARE_EXIT && FIRST_SHORT_EXIT < FIRST_SHORT_UPDATE) };
        let bare = (BARE_METHODS >> OPERATION_SHIFT) as u16;
        assert_eq!(FIRST_BARE_EXIT + bare, FIRST_BARE_ENTER);
        assert_eq!(FIRST_BARE_ENTER + bare, FIRST_SHORT_EXIT);
        assert_eq!(FIRST_SHORT_UPDATE + SHORT_UPDATES, FIRST_SHORT_ENTER);
        assert_eq!(
            u32::from(FIRST_SHORT_ENTER) + u32::from(SHORT_ENTERS),
            1 << 16
        );
        assert_eq!((FIRST_CLOCK << OPERATION_SHIFT) & MAX_CLOCK, 0);
    }
}
