//! The identity of a site across hosts and builds: a hash of its class, method, kind and type.

use std::fmt;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// 128 bits of class, method, descriptor, way of allocating, type and number within
/// the method: equal on every host, for every build, and where only lines have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteId(pub [u8; 16]);

impl SiteId {
    /// The hash of some texts; where one ends is part of it.
    pub fn of(texts: &[&str]) -> Self {
        let mut all = Vec::with_capacity(256);
        for text in texts {
            all.extend_from_slice(&(text.len() as u64).to_le_bytes());
            all.extend_from_slice(text.as_bytes());
        }
        Self(XxHash3_128::oneshot(&all).to_be_bytes())
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::SiteId;

    /// Files on disk have these numbers: they must never change.
    #[test]
    fn numbers_stay() {
        let id = SiteId::of(&["site", "com/acme/Orders", "total"]);
        assert_eq!(id.to_string(), "ed084f2bccc91e51ae6928ba1c62f144");
        assert_ne!(SiteId::of(&["ab", "c"]), SiteId::of(&["a", "bc"]));
    }
}
