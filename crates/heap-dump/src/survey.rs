//! The first walk over a dump: classes, objects and roots, but no references.

use crate::DumpError;
use crate::byte_stream::DumpFile;
use crate::class_table::{ClassIndex, ClassTable};
use crate::record_walk::{
    ClassRecord, Extent, FrameRecord, Identifier, ObjectRecord, RecordVisitor, RootRecord, walk,
};
use crate::roots::Stacks;

/// The file offset is kept for every object whose number is a multiple of this.
pub(crate) const OBJECTS_PER_POSITION: u32 = 64;
/// Numbers from here on are reserved.
const MOST_OBJECTS: u64 = u32::MAX as u64 - 16;

/// The classes, objects and roots of a dump.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) unix_millis: u64,
    pub(crate) classes: ClassTable,
    pub(crate) stacks: Stacks,
    pub(crate) roots: Vec<(Identifier, RootRecord)>,
    /// In the order of the file, class objects included.
    pub(crate) ids: Vec<Identifier>,
    /// In the same order.
    pub(crate) class_of: Vec<ClassIndex>,
    /// Number of elements of an array, or bytes of an instance's fields.
    pub(crate) lengths: Vec<u32>,
    /// File offset of every 64th object.
    pub(crate) positions: Vec<u64>,
    /// Where an unfinished dump ends.
    pub(crate) cut: Option<u64>,
}

impl Survey {
    pub(crate) fn of(file: &DumpFile, extent: Extent) -> Result<Self, DumpError> {
        let mut survey = Self {
            unix_millis: 0,
            classes: ClassTable::new(),
            stacks: Stacks::default(),
            roots: Vec::new(),
            ids: Vec::new(),
            class_of: Vec::new(),
            lengths: Vec::new(),
            positions: Vec::new(),
            cut: None,
        };
        survey.cut = walk(&mut file.open()?, &mut survey, extent)?;
        if survey.cut.is_some() {
            survey.drop_last();
        }
        Ok(survey)
    }

    /// The content of the last object may be missing.
    fn drop_last(&mut self) {
        self.ids.pop();
        self.class_of.pop();
        self.lengths.pop();
        let positions = self.ids.len().div_ceil(OBJECTS_PER_POSITION as usize);
        self.positions.truncate(positions);
    }

    fn add(
        &mut self,
        at: u64,
        id: Identifier,
        class: ClassIndex,
        length: u32,
    ) -> Result<(), DumpError> {
        if self.ids.len() as u64 >= MOST_OBJECTS {
            return Err(DumpError::TooLarge {
                what: "objects",
                most: MOST_OBJECTS,
            });
        }
        if self.ids.len().is_multiple_of(OBJECTS_PER_POSITION as usize) {
            self.positions.push(at);
        }
        self.ids.push(id);
        self.class_of.push(class);
        self.lengths.push(length);
        Ok(())
    }
}

impl RecordVisitor for Survey {
    fn header(&mut self, unix_millis: u64) {
        self.unix_millis = unix_millis;
    }

    fn wants_strings(&self) -> bool {
        true
    }

    fn string(&mut self, id: Identifier, text: &[u8]) {
        self.classes.add_string(id, text);
    }

    fn load_class(&mut self, serial: u32, id: Identifier, name: Identifier) {
        self.classes.add_name(serial, id, name);
    }

    fn frame(&mut self, frame: FrameRecord) {
        self.stacks.add_frame(frame);
    }

    fn trace(&mut self, serial: u32, _thread: u32, frames: &[Identifier]) {
        self.stacks.add_trace(serial, frames);
    }

    fn root(&mut self, id: Identifier, root: RootRecord) {
        if let RootRecord::Thread { thread, trace } = root {
            self.stacks.add_thread(thread, id, trace);
        }
        self.roots.push((id, root));
    }

    fn class(&mut self, at: u64, class: ClassRecord) -> Result<(), DumpError> {
        let id = class.id;
        self.classes.add_record(class);
        self.add(at, id, ClassTable::of_classes(), 0)
    }

    fn object(&mut self, at: u64, id: Identifier, object: ObjectRecord) -> Result<bool, DumpError> {
        let (class, length) = match object {
            ObjectRecord::Instance { class, bytes } => (self.classes.index(class), bytes),
            ObjectRecord::References { class, length } => (self.classes.index(class), length),
            ObjectRecord::Primitives { ty, length } => (ClassTable::of_primitives(ty), length),
        };
        self.add(at, id, class, length)?;
        Ok(false)
    }
}
