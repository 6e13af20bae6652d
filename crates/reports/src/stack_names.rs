//! Frames and types of a profile as text.

use ducktrack_profile::{Frame, Profile};

use crate::class_name::{printable, readable_class, readable_descriptor, readable_type};

/// The word for a type that the trace does not name.
pub(crate) const UNKNOWN_TYPE: &str = "(type not known)";

/// `com.acme.Main.run:12`, or `com.acme.Main.run(int):void:12` where a frame of another method reads alike.
pub fn frame_name(frame: &Frame) -> String {
    match frame {
        Frame::Method {
            class,
            method,
            descriptor,
            line,
            reads_alike,
        } => {
            let mut name = format!("{}.{}", readable_class(class), printable(method));
            if *reads_alike {
                name.push_str(&readable_descriptor(descriptor));
            }
            match line {
                Some(line) => format!("{name}:{line}"),
                None => name,
            }
        }
        Frame::NoStack => "(no stack sampled)".to_owned(),
        Frame::Deeper => "(deeper frames)".to_owned(),
    }
}

/// The type as Java source would write it.
pub fn type_name(ty: Option<&str>) -> String {
    ty.map_or_else(|| UNKNOWN_TYPE.to_owned(), readable_type)
}

/// The dotted class of a frame.
pub(crate) fn frame_class(frame: &Frame) -> Option<String> {
    match frame {
        Frame::Method { class, .. } => Some(readable_class(class)),
        Frame::NoStack | Frame::Deeper => None,
    }
}

/// The classes of all frames, by position.
pub(crate) fn classes_of_frames(profile: &Profile) -> Vec<Option<String>> {
    profile.frames.iter().map(frame_class).collect()
}
