//! The heaps that can have a shadow.

use crate::address::Address;
use crate::error::Error;
use crate::heap::shadow::Shadow;
use crate::heap::shadow_views::HeapViews;

/// A heap that is to have a shadow.
#[derive(Debug, Clone)]
pub enum ShadowedHeap {
    /// The program sees it where it is reserved: its first address, and its length.
    Plain((Address, usize)),
    /// ZGC.
    Views(HeapViews),
}

impl ShadowedHeap {
    /// Maps its shadow.
    ///
    /// # Errors
    /// If there is no room at any allowed distance.
    pub fn shadow(&self) -> Result<Shadow, Error> {
        match self {
            Self::Plain((start, bytes)) => Shadow::map(*start, *bytes),
            Self::Views(views) => Shadow::map_views(views),
        }
    }
}
