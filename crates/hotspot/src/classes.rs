//! Loaded classes: names, sizes of instances, fields, reference maps and parameters.

pub(crate) mod class_table;
pub(crate) mod filler_class;
pub(crate) mod klass;
pub(crate) mod layout_helper;
pub(crate) mod method_parameters;
