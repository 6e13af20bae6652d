//! Writes small heap dumps.

/// A dump under construction; the heap section is one segment.
#[derive(Default)]
pub(crate) struct DumpWriter {
    records: Vec<u8>,
    heap: Vec<u8>,
    classes: u32,
}

/// The type of reference fields, and of `int`.
pub(crate) const REFERENCE: u8 = 2;
pub(crate) const INT: u8 = 10;

impl DumpWriter {
    fn record(&mut self, tag: u8, body: &[u8]) {
        self.records.push(tag);
        self.records.extend(0_u32.to_be_bytes());
        self.records.extend((body.len() as u32).to_be_bytes());
        self.records.extend(body);
    }

    pub(crate) fn string(&mut self, id: u64, text: &str) {
        self.record(1, &[&id.to_be_bytes(), text.as_bytes()].concat());
    }

    /// Adds a class: its name (also as a string with the same identifier plus 1), superclass, loader, static fields and instance fields
    /// (name, type).
    pub(crate) fn class(
        &mut self,
        id: u64,
        name: &str,
        (superclass, loader): (u64, u64),
        statics: &[(u64, u64)],
        fields: &[(u64, u8)],
    ) {
        self.string(id + 1, name);
        self.classes += 1;
        let mut body = self.classes.to_be_bytes().to_vec();
        body.extend(id.to_be_bytes());
        body.extend(0_u32.to_be_bytes());
        body.extend((id + 1).to_be_bytes());
        self.record(2, &body);
        self.object(0x20, id);
        for reference in [superclass, loader, 0, 0, 0, 0] {
            self.heap.extend(reference.to_be_bytes());
        }
        self.heap.extend([0; 4 + 2]);
        self.heap.extend((statics.len() as u16).to_be_bytes());
        for (name, value) in statics {
            self.heap.extend(name.to_be_bytes());
            self.heap.push(REFERENCE);
            self.heap.extend(value.to_be_bytes());
        }
        self.heap.extend((fields.len() as u16).to_be_bytes());
        for (name, ty) in fields {
            self.heap.extend(name.to_be_bytes());
            self.heap.push(*ty);
        }
    }

    fn object(&mut self, tag: u8, id: u64) {
        self.heap.push(tag);
        self.heap.extend(id.to_be_bytes());
        self.heap.extend(0_u32.to_be_bytes());
    }

    pub(crate) fn instance(&mut self, id: u64, class: u64, fields: &[u8]) {
        self.object(0x21, id);
        self.heap.extend(class.to_be_bytes());
        self.heap.extend((fields.len() as u32).to_be_bytes());
        self.heap.extend(fields);
    }

    pub(crate) fn array(&mut self, id: u64, class: u64, elements: &[u64]) {
        self.object(0x22, id);
        self.heap.extend((elements.len() as u32).to_be_bytes());
        self.heap.extend(class.to_be_bytes());
        self.heap
            .extend(elements.iter().flat_map(|element| element.to_be_bytes()));
    }

    pub(crate) fn bytes(&mut self, id: u64, content: &[u8]) {
        self.object(0x23, id);
        self.heap.extend((content.len() as u32).to_be_bytes());
        self.heap.push(8);
        self.heap.extend(content);
    }

    /// Adds a running thread whose only frame is in a method of the class with this serial number, and a local variable
    /// in that frame.
    pub(crate) fn thread(&mut self, object: u64, local: u64, (method, class): (u64, u32)) {
        let mut frame = 77_u64.to_be_bytes().to_vec();
        frame.extend(method.to_be_bytes());
        frame.extend([0; 16]);
        frame.extend(class.to_be_bytes());
        frame.extend(12_u32.to_be_bytes());
        self.record(4, &frame);
        let trace = [5_u32, 3, 1].map(u32::to_be_bytes).concat();
        self.record(5, &[&trace[..], &77_u64.to_be_bytes()].concat());
        self.heap.push(8);
        self.heap.extend(object.to_be_bytes());
        self.heap.extend([3_u32, 5].map(u32::to_be_bytes).concat());
        self.heap.push(3);
        self.heap.extend(local.to_be_bytes());
        self.heap.extend([3_u32, 0].map(u32::to_be_bytes).concat());
    }

    /// Returns the file.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let heap = core::mem::take(&mut self.heap);
        self.record(0x1c, &heap);
        self.record(0x2c, &[]);
        let mut file = b"JAVA PROFILE 1.0.2\0".to_vec();
        file.extend(8_u32.to_be_bytes());
        file.extend(1_234_567_u64.to_be_bytes());
        file.extend(self.records);
        file
    }
}

/// Encodes fields.
pub(crate) fn fields(values: &[u64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect()
}
