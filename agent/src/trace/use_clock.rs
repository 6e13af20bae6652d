//! The values of the clock that the program's code stamps objects with: 1 more than the epoch, since 0 means no use.

/// The value in an epoch.
pub(crate) fn clock_of(epoch: u32) -> u64 {
    u64::from(epoch) + 1
}

/// The epoch in which the clock had this value.
pub(crate) fn epoch_of(clock: u64) -> u32 {
    u32::try_from(clock.saturating_sub(1)).unwrap_or(u32::MAX)
}
