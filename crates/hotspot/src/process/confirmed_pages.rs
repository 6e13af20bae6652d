//! Safe reads of many small values that lie close together.
//!
//! [`crate::read_value`] makes a system call for every value, which costs a microsecond or more. Following the chains of all classes for
//! the first time reads ten thousand values from a thousand pages. A page that was readable once stays readable until it is unmapped, so
//! one check per page is enough while the world is stopped. Pages are checked one by one: checking the following ones at the same time
//! would fetch many that are never read.

use std::collections::HashSet;

use crate::address::{Address, Plain};
use crate::error::Error;
use crate::process::careful_read::read_value;
use crate::process::page_size::page_size;

/// The pages known to be readable. Must not be kept beyond the pause.
#[derive(Debug)]
pub(crate) struct ConfirmedPages {
    pages: HashSet<usize>,
    page_size: usize,
}

impl ConfirmedPages {
    pub(crate) fn new() -> Self {
        Self {
            pages: HashSet::new(),
            page_size: page_size(),
        }
    }

    /// Reads one value.
    pub(crate) fn read<T: Plain>(&mut self, address: Address) -> Result<T, Error> {
        self.confirm(address, size_of::<T>())?;
        // SAFETY: `confirm` found all pages of the value readable, and the world is stopped.
        Ok(unsafe { address.read() })
    }

    /// Copies bytes.
    pub(crate) fn bytes(&mut self, address: Address, length: usize) -> Result<Vec<u8>, Error> {
        self.confirm(address, length)?;
        // SAFETY: `confirm` found all pages of the range readable, and the world is stopped.
        Ok(unsafe { std::slice::from_raw_parts(address.pointer::<u8>(), length) }.to_vec())
    }

    fn confirm(&mut self, address: Address, length: usize) -> Result<(), Error> {
        let last = address.plus(length.saturating_sub(1)).0 / self.page_size;
        for page in address.0 / self.page_size..=last {
            if !self.pages.contains(&page) {
                read_value::<u8>(Address(page.wrapping_mul(self.page_size)))?;
                self.pages.insert(page);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ConfirmedPages;
    use crate::address::Address;
    use crate::process::page_size::page_size;
    use crate::process::reservation::Reservation;

    #[test]
    fn reads_up_to_the_last_page() {
        let pages = 20;
        let reservation = Reservation::anywhere(pages * page_size()).expect("20 pages");
        let start = Address::of(reservation.start());
        let mut confirmed = ConfirmedPages::new();
        for page in 0..pages {
            assert_eq!(confirmed.read::<u64>(start.plus(page * page_size())), Ok(0));
        }
        assert_eq!(
            confirmed.bytes(start.plus(page_size() - 2), 4),
            Ok(vec![0; 4])
        );
        assert!(confirmed.read::<u64>(Address(8)).is_err());
        drop(reservation);
        assert!(ConfirmedPages::new().read::<u64>(start).is_err());
    }
}
