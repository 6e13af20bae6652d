//! Which bytes of which object have been claimed as waste, so that a total has none of them twice.

/// By object: the most bytes that a kind of waste would save of it.
///
/// Two kinds that shrink an object cut the same end of it, or one of them removes it: what both save is the larger of the two.
#[derive(Debug)]
pub(crate) struct Claims {
    claimed: Vec<u32>,
    total: u64,
}

/// Bytes of an object that a kind of waste would save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) object: u32,
    pub(crate) bytes: u64,
}

impl Claims {
    pub(crate) fn new(objects: u32) -> Self {
        Self {
            claimed: vec![0; objects as usize],
            total: 0,
        }
    }

    /// Claims bytes, against which `replacement` bytes are needed anew; returns how many of the bytes were claimed before.
    pub(crate) fn add(&mut self, claims: &[Claim], replacement: u64) -> u64 {
        let new: u64 = claims.iter().map(|claim| self.unclaimed(*claim)).sum();
        let all: u64 = claims.iter().map(|claim| claim.bytes).sum();
        let Some(gain) = new.checked_sub(replacement) else {
            return all.saturating_sub(replacement);
        };
        for claim in claims {
            if let Some(known) = self.claimed.get_mut(claim.object as usize) {
                *known = (*known).max(small(claim.bytes));
            }
        }
        self.total += gain;
        all - new
    }

    fn unclaimed(&self, claim: Claim) -> u64 {
        let known = self.claimed.get(claim.object as usize).copied();
        claim.bytes.saturating_sub(u64::from(known.unwrap_or(0)))
    }

    /// Bytes claimed, each once.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

fn small(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(object: u32, bytes: u64) -> Claim {
        Claim { object, bytes }
    }

    #[test]
    fn no_byte_counts_twice() {
        let mut claims = Claims::new(3);
        assert_eq!(claims.add(&[claim(0, 40)], 0), 0);
        assert_eq!(claims.add(&[claim(0, 64), claim(1, 24)], 0), 40);
        assert_eq!(claims.total(), 88);
        assert_eq!(
            claims.add(&[claim(0, 64), claim(2, 16)], 32),
            48,
            "dearer than what it saves anew"
        );
        assert_eq!(claims.total(), 88);
    }
}
