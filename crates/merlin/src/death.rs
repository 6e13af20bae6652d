//! Merlin: exact death times from a neutral stream, offline and in one pass.
//!
//! After Hertz, Blackburn, Moss, McKinley, Stefanović: *Generating Object Lifetime Traces with Merlin* (TOPLAS 28(3), 2006).
//!
//! **Property.** Let U(o) be the last use of o, and L(o) the last time that a reference to o was overwritten. The death of a
//! dead object is the last moment at which the program could have reached it:
//!
//! ```text
//! death(o) = max( U(o), L(o), max { death(p) : p is dead and p refers to o } )
//! ```
//!
//! U and L are noted as the records come. Which object refers to which is known when a collection says which objects are dead:
//! no program writes into dead objects. The dead are taken by falling max(U, L); each passes its moment on to all that can be
//! reached from it and has none yet (a depth-first search that sees each reference once). An object that outlives a dead
//! object that refers to it loses that reference at its death: L of the survivor rises.
//!
//! Where we differ from the paper: references are known from update records (or from the dead themselves), not from a
//! walk of the heap; and a use takes the place of "found in a stack frame", so a local variable that is not read again
//! keeps nothing alive.
//!
//! Memory is bounded by the objects that are not yet reported dead.

pub(crate) mod clock;
pub(crate) mod contradictions;
pub(crate) mod fate;
pub(crate) mod merlin;
pub(crate) mod object_table;
pub(crate) mod propagation;
pub(crate) mod recent_clocks;
pub(crate) mod references;
pub(crate) mod replaced;
pub(crate) mod run_totals;
pub(crate) mod shape;
