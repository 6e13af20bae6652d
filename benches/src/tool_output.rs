//! The totals that a tool itself reports, in one common form.

mod callback_file;
mod collapsed_stacks;
mod ducktrack_report;
mod flight_recording;

pub(crate) use callback_file::read_callback_file;
pub(crate) use collapsed_stacks::{Unit, read_collapsed_stacks};
pub(crate) use ducktrack_report::entries_of_report;
pub(crate) use flight_recording::read_flight_recording;

/// One entry of a tool's output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolEntry {
    /// `Class.method` of every known frame, in no particular order; empty if the tool knows types only.
    pub frames: Vec<String>,
    /// The type as written in Java source; lambdas without their number.
    pub type_name: String,
    /// Objects, if the tool counts them.
    pub objects: Option<f64>,
    /// Bytes, if the tool counts them.
    pub bytes: Option<f64>,
}

impl ToolEntry {
    /// Objects, or bytes if the tool counts no objects; used to find the larger of two entries.
    pub(crate) fn amount(&self) -> f64 {
        self.objects.or(self.bytes).unwrap_or(0.0)
    }
}

/// The type as written in Java source, from any of the forms that tools use; lambdas without their number.
///
/// `[[F`, `float[][]` -> `float[][]`; `[Ljava/lang/String;` -> `java.lang.String[]`; `java/lang/Long` -> `java.lang.Long`;
/// `Main$$Lambda$14.0x00007f` and `Main$$Lambda/0x00007f` -> `Main$$Lambda`.
pub(crate) fn type_name(text: &str) -> String {
    let element = text.trim_start_matches('[');
    let dimensions = text.len() - element.len();
    let name = if dimensions == 0 {
        element.to_owned()
    } else {
        element_name(element)
    };
    let mut name = name.replace('/', ".");
    if let Some(end) = name.find("$$Lambda") {
        name.truncate(end + "$$Lambda".len());
    }
    name + &"[]".repeat(dimensions)
}

fn element_name(descriptor: &str) -> String {
    let primitive = match descriptor {
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        "Z" => "boolean",
        class => class.trim_start_matches('L').trim_end_matches(';'),
    };
    primitive.to_owned()
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn all_forms_of_a_type_become_one() {
        for (form, name) in [
            ("[[F", "float[][]"),
            ("float[][]", "float[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("java/lang/Long", "java.lang.Long"),
            ("Main$$Lambda$14.0x00007f8e3c004000", "Main$$Lambda"),
            ("Main$$Lambda/0x00007f8e3c004000", "Main$$Lambda"),
            ("Main$Inner", "Main$Inner"),
        ] {
            assert_eq!(type_name(form), name);
        }
    }
}
