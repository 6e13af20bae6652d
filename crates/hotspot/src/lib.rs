//! TEMPORARY skeleton.
