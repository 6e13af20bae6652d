//! Variable-length numbers: seven bits a byte, low bits first, the high bit marks that more follow (LEB128).

/// A number is at most this many bytes long.
const LONGEST: usize = 10;

/// Appends the number.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front; `None` when the bytes end within it or it does not fit 64 bits.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(LONGEST).enumerate() {
        let bits = u64::from(byte & 0x7f);
        // The tenth byte has room for one bit.
        if at == LONGEST - 1 && bits > 1 {
            return None;
        }
        value |= bits << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = bytes.get(at + 1..)?;
            return Some(value);
        }
    }
    None
}

/// Maps small negative and positive numbers to small numbers: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put(&mut out, value);
            let mut rest = out.as_slice();
            assert_eq!(take(&mut rest), Some(value));
            assert!(rest.is_empty());
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn numbers_that_end_early_or_are_too_long_are_refused() {
        assert_eq!(take(&mut [0x80_u8].as_slice()), None);
        assert_eq!(take(&mut [0xff_u8; 10].as_slice()), None);
        assert_eq!(take(&mut [0x80_u8; 11].as_slice()), None);
        assert_eq!(take(&mut [].as_slice()), None);
    }
}
