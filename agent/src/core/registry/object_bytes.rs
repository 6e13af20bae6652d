//! Object sizes that follow from the site and the VM's object layout.
//!
//! ```text
//! array    align(base + elements * size)
//! lambda   header 12, captured (J, I, Z): int at 12, long at 16, boolean at 24 -> 32 bytes
//! ```

use ducktrack_class_rewriter::{ElementSize, SizeRule};
use ducktrack_trace_format::ObjectLayout;

/// The size of a site's objects, if it depends on neither a class nor the run.
pub(crate) fn object_bytes(rule: &SizeRule, layout: &ObjectLayout) -> Option<u32> {
    match rule {
        SizeRule::OfArray(element, length) => array_bytes(*element, *length, layout),
        SizeRule::OfCaptured(descriptor) => captured_bytes(descriptor, layout),
        SizeRule::OfClass | SizeRule::Summed => None,
    }
}

fn array_bytes(element: ElementSize, length: u32, layout: &ObjectLayout) -> Option<u32> {
    let (index, size) = match element {
        ElementSize::One => (0, 1),
        ElementSize::Two => (1, 2),
        ElementSize::Four => (2, 4),
        ElementSize::Eight => (3, 8),
        ElementSize::Reference => (4, u64::from(layout.reference)),
    };
    let base = u64::from(*layout.array_base.get(index)?);
    u32::try_from(align(base + size * u64::from(length), layout)).ok()
}

/// HotSpot lays out large fields first; smaller ones fill the gap between a header of 12 bytes and the first 8-byte field.
fn captured_bytes(descriptor: &[u8], layout: &ObjectLayout) -> Option<u32> {
    let mut eights = 0u64;
    let mut smaller = 0u64;
    for bytes in field_sizes(descriptor, layout)? {
        match bytes {
            8 => eights += 8,
            bytes => smaller += bytes,
        }
    }
    let header = u64::from(layout.header);
    let gap = if eights > 0 {
        header.next_multiple_of(8) - header
    } else {
        0
    };
    let end = header + gap + eights + smaller.saturating_sub(gap);
    u32::try_from(align(end, layout)).ok()
}

/// The size of each parameter of a descriptor as a field, in bytes.
fn field_sizes(descriptor: &[u8], layout: &ObjectLayout) -> Option<Vec<u64>> {
    let mut rest = descriptor.strip_prefix(b"(")?;
    let mut sizes = Vec::new();
    loop {
        let (first, tail) = rest.split_first()?;
        let size = match first {
            b')' => return Some(sizes),
            b'J' | b'D' => 8,
            b'I' | b'F' => 4,
            b'C' | b'S' => 2,
            b'Z' | b'B' => 1,
            _ => u64::from(layout.reference),
        };
        rest = match first {
            b'L' => after_class(tail)?,
            b'[' => {
                let element = tail.iter().position(|letter| *letter != b'[')?;
                let (letter, tail) = tail.get(element..)?.split_first()?;
                if *letter == b'L' {
                    after_class(tail)?
                } else {
                    tail
                }
            }
            _ => tail,
        };
        sizes.push(size);
    }
}

fn after_class(name: &[u8]) -> Option<&[u8]> {
    name.get(name.iter().position(|letter| *letter == b';')? + 1..)
}

fn align(bytes: u64, layout: &ObjectLayout) -> u64 {
    bytes.next_multiple_of(u64::from(layout.alignment.max(8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: ObjectLayout = ObjectLayout {
        header: 12,
        array_base: [16; 5],
        reference: 4,
        alignment: 8,
    };

    #[test]
    fn arrays() {
        assert_eq!(array_bytes(ElementSize::Four, 3, &USUAL), Some(32));
        assert_eq!(array_bytes(ElementSize::One, 0, &USUAL), Some(16));
        assert_eq!(array_bytes(ElementSize::Reference, 2, &USUAL), Some(24));
    }

    #[test]
    fn captured_values_are_fields() {
        assert_eq!(captured_bytes(b"(I)Ljava/lang/Runnable;", &USUAL), Some(16));
        assert_eq!(captured_bytes(b"(J)Ljava/lang/Runnable;", &USUAL), Some(24));
        assert_eq!(
            captured_bytes(b"(JI)Ljava/lang/Runnable;", &USUAL),
            Some(24)
        );
        assert_eq!(
            captured_bytes(b"(JIZ)Ljava/lang/Runnable;", &USUAL),
            Some(32)
        );
        assert_eq!(
            captured_bytes(b"(LA;LB;LC;)Ljava/lang/Runnable;", &USUAL),
            Some(24)
        );
        let compact = ObjectLayout { header: 8, ..USUAL };
        assert_eq!(
            captured_bytes(b"(J)Ljava/lang/Runnable;", &compact),
            Some(16)
        );
    }
}
