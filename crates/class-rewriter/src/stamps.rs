//! Whether uses of objects are stamped.

/// Whether a class's code stamps the objects that it uses, and with what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamps {
    /// Not at all.
    #[default]
    None,
    /// With a word that the agent advances at each collection.
    Uses,
    /// With the thread's position in its stream of events; the old targets of overwritten references, too.
    Witness,
}
