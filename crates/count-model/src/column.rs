//! Positions in the tables by site, by caller and by type while a trace is replayed; 0 stands for "not known" in all.

use crate::{CallIndex, SiteIndex};

/// A site: 0, or one more than its row in [`CountModel::sites`](crate::CountModel::sites).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteColumn(u32);

impl SiteColumn {
    /// No site.
    pub const NONE: Self = Self(0);

    /// The column of a site.
    #[inline]
    pub fn of(site: SiteIndex) -> Self {
        u32::try_from(site.get() + 1).map_or(Self::NONE, Self)
    }

    /// The column at a position of a table.
    #[inline]
    pub fn at(position: usize) -> Self {
        u32::try_from(position).map_or(Self::NONE, Self)
    }

    /// Its position in a table.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize
    }

    /// Its row.
    #[inline]
    pub fn site(self) -> Option<SiteIndex> {
        self.position().checked_sub(1).map(SiteIndex)
    }
}

/// A call that is to blame: 0, or one more than its row in [`CountModel::calls`](crate::CountModel::calls).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerColumn(u32);

impl CallerColumn {
    /// No caller.
    pub const NONE: Self = Self(0);

    /// The column of a call.
    #[inline]
    pub fn of(call: CallIndex) -> Self {
        u32::try_from(call.get() + 1).map_or(Self::NONE, Self)
    }

    /// Its row.
    #[inline]
    pub fn call(self) -> Option<CallIndex> {
        (self.0 as usize).checked_sub(1).map(CallIndex)
    }
}

/// Whose doing an object is: where it was allocated, and on whose behalf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Where it was allocated.
    pub site: SiteColumn,
    /// On whose behalf.
    pub caller: CallerColumn,
}

/// A type: 0, or one more than its place in the order of first appearance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeColumn(pub u32);

impl TypeColumn {
    /// Not known.
    pub const NONE: Self = Self(0);

    /// The column at a position of a table.
    #[inline]
    pub fn at(position: usize) -> Self {
        u32::try_from(position).map_or(Self::NONE, Self)
    }

    /// Its position in a table.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize
    }
}
