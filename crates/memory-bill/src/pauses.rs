//! The time that collections have stopped the program, by the counters that the JVM keeps in a file that others may map (`hsperfdata`).
//!
//! ```text
//! 0   ca fe c0 c0                 always in this order
//! 4   01                          0: big endian, 1: little endian (all below)
//! 24  int                         where the first entry is
//! 28  int                         entries
//! an entry: int length, int place of its name, int elements (0: one value), byte type ('J': long, 'B': text), 3 bytes, int place of its value
//! ```

const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
const FREQUENCY: &str = "sun.os.hrt.frequency";
const COLLECTOR: &str = "sun.gc.collector.";

/// What the JVM counts of its collections' pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pauses {
    /// Collections since the start.
    pub collections: u64,
    /// Seconds in their pauses.
    pub seconds: f64,
}

/// The pauses by the counters of a JVM; `None`: they cannot be understood, or
/// the collector works beside the program, so that pauses are not what it costs.
pub fn pauses(counters: &[u8]) -> Option<Pauses> {
    let file = Counters::of(counters)?;
    let mut found = Pauses::default();
    let (mut ticks, mut frequency) = (0, None);
    for (name, value) in file.entries() {
        let what = name.strip_prefix(COLLECTOR).and_then(|rest| rest.get(1..));
        match (name, what, value) {
            (FREQUENCY, _, Value::Number(number)) => frequency = Some(number),
            (_, Some(".name"), Value::Text(name)) if is_concurrent(name) => return None,
            (_, Some(".invocations"), Value::Number(number)) => found.collections += number,
            (_, Some(".time"), Value::Number(number)) => ticks += number,
            _ => {}
        }
    }
    let frequency = frequency.filter(|frequency| *frequency > 0)?;
    found.seconds = ticks as f64 / frequency as f64;
    Some(found)
}

/// ZGC's and Shenandoah's pauses are a small part of their work.
fn is_concurrent(name: &[u8]) -> bool {
    name.starts_with(b"Z") || name.starts_with(b"Shenandoah")
}

enum Value<'a> {
    Number(u64),
    Text(&'a [u8]),
}

struct Counters<'a> {
    bytes: &'a [u8],
    is_little: bool,
}

impl<'a> Counters<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let is_little = bytes.get(4)? == &1;
        (bytes.get(..4)? == MAGIC).then_some(Self { bytes, is_little })
    }

    /// Names and values; those of other types are left out. A file that is cut ends earlier.
    fn entries(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let mut at = self.place(24).unwrap_or(usize::MAX);
        let entries = self.place(28).unwrap_or(0);
        let found = (0..entries).map_while(move |_| {
            let entry = at;
            at = at.checked_add(self.place(at)?.max(1))?;
            Some(self.entry(entry))
        });
        found.flatten()
    }

    fn entry(&self, at: usize) -> Option<(&'a str, Value<'a>)> {
        let name = self.bytes.get(at.checked_add(self.place(at + 4)?)?..)?;
        let name = name.split(|byte| *byte == 0).next()?;
        let value = self.bytes.get(at.checked_add(self.place(at + 16)?)?..)?;
        let value = match self.bytes.get(at + 12)? {
            b'J' => Value::Number(self.long(value)?),
            b'B' => Value::Text(value),
            _ => return None,
        };
        Some((core::str::from_utf8(name).ok()?, value))
    }

    fn place(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let value = match self.is_little {
            true => u32::from_le_bytes(bytes),
            false => u32::from_be_bytes(bytes),
        };
        usize::try_from(value).ok()
    }

    fn long(&self, bytes: &[u8]) -> Option<u64> {
        let bytes = bytes.get(..8)?.try_into().ok()?;
        Some(match self.is_little {
            true => u64::from_le_bytes(bytes),
            false => u64::from_be_bytes(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of these counters; a text is a name of a collector.
    fn file(counters: &[(&str, Result<u64, &str>)]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 2, 0, 1]);
        bytes.resize(24, 0);
        bytes.extend(32_u32.to_le_bytes());
        bytes.extend((counters.len() as u32).to_le_bytes());
        for (name, value) in counters {
            let value_at = (20 + name.len() + 1).next_multiple_of(8);
            let (ty, value) = match value {
                Ok(number) => (b'J', number.to_le_bytes().to_vec()),
                Err(text) => (b'B', text.as_bytes().to_vec()),
            };
            let length = (value_at + value.len() + 1).next_multiple_of(8);
            let start = bytes.len();
            for number in [length, 20, 0] {
                bytes.extend((number as u32).to_le_bytes());
            }
            bytes.extend([ty, 0, 0, 0]);
            bytes.extend((value_at as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.resize(start + value_at, 0);
            bytes.extend(value);
            bytes.resize(start + length, 0);
        }
        bytes
    }

    #[test]
    fn counters_are_those_of_the_collectors_with_pauses() {
        let of = |first: &'static str| {
            file(&[
                ("java.cls.loadedClasses", Ok(500)),
                ("sun.gc.collector.0.invocations", Ok(22)),
                ("sun.gc.collector.0.name", Err(first)),
                ("sun.gc.collector.0.time", Ok(167_269_863)),
                ("sun.gc.collector.1.invocations", Ok(1)),
                ("sun.gc.collector.1.time", Ok(2_730_137)),
                (FREQUENCY, Ok(1_000_000_000)),
            ])
        };
        let serial = of("Serial young collection pauses");
        let found = pauses(&serial).expect("counters");
        assert_eq!(found.collections, 23);
        assert!((found.seconds - 0.17).abs() < 1e-9);
        assert_eq!(pauses(&of("ZGC minor collection pauses")), None);
        for end in 0..serial.len() {
            // Nothing is read beyond its end.
            let _ = pauses(&serial[..end]);
        }
        assert_eq!(pauses(b"no counters"), None);
    }
}
