//! Classes on their way through the agent: loaded, prepared, rewritten, redefined, rewritten again.

mod batch_size;
pub(crate) mod class_hook;
pub(crate) mod frames_at_arrival;
pub(crate) mod hot_library_sites;
pub(crate) mod instrumentation;
pub(crate) mod kept_templates;
pub(crate) mod metaspace_room;
pub(crate) mod module_reads;
mod parameter_names;
pub(crate) mod prepared_classes;
pub(crate) mod redefined_classes;
pub(crate) mod reinstrumentation;
pub(crate) mod retransformation;
pub(crate) mod running_frames;
pub(crate) mod stop_forecast;
