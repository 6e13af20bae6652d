//! What a tool itself says was allocated, brought into one shape.

mod callback_file;
mod collapsed_stacks;
mod ducktrack_report;
mod flight_recording;

pub(crate) use callback_file::read_callback_file;
pub(crate) use collapsed_stacks::{Unit, read_collapsed_stacks};
pub(crate) use ducktrack_report::said_by_report;
pub(crate) use flight_recording::read_flight_recording;

/// One entry of a tool's own output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// `Class.method` of every frame the tool knows, in no order that matters; empty if it knows types only.
    pub frames: Vec<String>,
    /// The type as Java source writes it; a lambda without its number.
    pub type_name: String,
    /// Objects, if the tool counts them.
    pub objects: Option<f64>,
    /// Bytes, if the tool counts them.
    pub bytes: Option<f64>,
}

impl Said {
    /// Objects, or bytes if the tool counts no objects: which of two entries is the larger.
    pub(crate) fn amount(&self) -> f64 {
        self.objects.or(self.bytes).unwrap_or(0.0)
    }
}

/// A type as Java source writes it, from any of the forms tools use; a lambda's class without its number.
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
