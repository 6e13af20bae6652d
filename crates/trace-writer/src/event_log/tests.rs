//! Full disks, seen from inside.
