//! Encodes and decodes whole blocks.

use std::borrow::Cow;

use crate::{BlockHeader, BlockKind, FormatError, MAX_CONTENT};

/// Whether the contents of blocks are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// No compression.
    Off,
    /// LZ4 for each block that it makes smaller.
    #[default]
    Lz4,
}

/// The content of a block as stored in a file: compressed, if that was requested and makes it smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedContent {
    plain_length: u32,
    stored_length: u32,
    flags: u8,
    /// Begins with the stored content.
    memory: Vec<u8>,
}

impl PackedContent {
    /// Compresses the content of a block. This is the part of [`encode_block`] that does not depend on the block's place in a file,
    /// so several threads can do it.
    pub fn pack(content: &[u8], compression: Compression) -> Result<Self, FormatError> {
        Self::pack_owned(content.to_vec(), compression)
    }

    /// Like [`pack`](Self::pack), for a content that the caller no longer needs.
    pub fn pack_owned(content: Vec<u8>, compression: Compression) -> Result<Self, FormatError> {
        let mut packed = Self::pack_in_place(content, compression, &mut Vec::new())?;
        packed.memory.truncate(packed.stored_length as usize);
        packed.memory.shrink_to_fit();
        Ok(packed)
    }

    /// Like [`pack_owned`](Self::pack_owned), without new memory: it compresses into
    /// `scratch`, which grows as needed, and copies the result into the content's own memory.
    pub fn pack_in_place(
        mut content: Vec<u8>,
        compression: Compression,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, FormatError> {
        let plain_length = length_of(&content)?;
        let packed = compressed(&content, compression, scratch);
        // What is compressed is shorter; the rest of the memory stays as it is.
        let place = packed.and_then(|packed| content.get_mut(..packed.len()).zip(Some(packed)));
        let (stored_length, flags) = match place {
            Some((place, packed)) => {
                place.copy_from_slice(packed);
                (length_of(packed)?, BlockHeader::COMPRESSED)
            }
            None => (plain_length, 0),
        };
        Ok(Self {
            plain_length,
            stored_length,
            flags,
            memory: content,
        })
    }

    /// The memory of the content, to be used again; its length is that of the content before it was packed.
    pub fn into_memory(self) -> Vec<u8> {
        self.memory
    }

    fn stored(&self) -> &[u8] {
        let length = self.stored_length as usize;
        self.memory.get(..length).unwrap_or(&self.memory)
    }

    /// Bytes before compression.
    pub fn plain_length(&self) -> u32 {
        self.plain_length
    }

    /// True if the content is stored compressed.
    pub fn is_compressed(&self) -> bool {
        self.flags & BlockHeader::COMPRESSED != 0
    }

    /// Bytes after compression.
    pub fn stored_length(&self) -> u32 {
        self.stored_length
    }

    /// The original content.
    pub fn unpack(&self) -> Result<Cow<'_, [u8]>, FormatError> {
        if self.is_compressed() {
            expand(&self.header(BlockKind::EVENTS, 0), self.stored()).map(Cow::Owned)
        } else {
            Ok(Cow::Borrowed(self.stored()))
        }
    }

    fn header(&self, kind: BlockKind, sequence: u32) -> BlockHeader {
        BlockHeader {
            kind,
            flags: self.flags,
            reserved: 0,
            sequence,
            plain_length: self.plain_length,
            stored_length: self.stored_length,
            crc: 0,
        }
    }

    /// The bytes of the block: its header and its stored content.
    pub fn block(&self, kind: BlockKind, sequence: u32) -> ([u8; BlockHeader::LENGTH], &[u8]) {
        let header = self.header(kind, sequence).encode(self.stored());
        (header, self.stored())
    }
}

/// Appends one block to `file`.
pub fn encode_block(
    kind: BlockKind,
    sequence: u32,
    content: &[u8],
    compression: Compression,
    file: &mut Vec<u8>,
) -> Result<(), FormatError> {
    let packed = PackedContent::pack(content, compression)?;
    let (header, stored) = packed.block(kind, sequence);
    file.extend_from_slice(&header);
    file.extend_from_slice(stored);
    Ok(())
}

/// The length of a content that a block may have.
fn length_of(content: &[u8]) -> Result<u32, FormatError> {
    let length = content.len();
    let too_large = FormatError::RecordTooLarge { length };
    match u32::try_from(length) {
        Ok(fits) if length <= MAX_CONTENT => Ok(fits),
        _ => Err(too_large),
    }
}

/// The compressed content, in `scratch`, if compression is on and makes it smaller.
fn compressed<'a>(
    content: &[u8],
    compression: Compression,
    scratch: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    if compression == Compression::Off {
        return None;
    }
    let most = lz4_flex::block::get_maximum_output_size(content.len());
    if scratch.len() < most {
        scratch.resize(most, 0);
    }
    let length = lz4_flex::block::compress_into(content, scratch).ok()?;
    scratch.get(..length).filter(|_| length < content.len())
}

/// The expanded content of a block, after verifying its checksum.
///
/// Nothing is allocated for a stated length before the header's lengths and the checksum have been verified.
pub fn decode_content<'a>(
    header: &BlockHeader,
    stored: &'a [u8],
) -> Result<Cow<'a, [u8]>, FormatError> {
    header.verify(stored)?;
    match header.flags {
        0 => Ok(Cow::Borrowed(stored)),
        BlockHeader::COMPRESSED => expand(header, stored).map(Cow::Owned),
        found => Err(FormatError::UnknownFlags { found }),
    }
}

fn expand(header: &BlockHeader, stored: &[u8]) -> Result<Vec<u8>, FormatError> {
    let plain = usize::try_from(header.plain_length).unwrap_or(usize::MAX);
    if plain > MAX_CONTENT {
        return Err(FormatError::Length {
            stored: header.stored_length,
            plain: header.plain_length,
        });
    }
    let mut content = vec![0; plain];
    match lz4_flex::block::decompress_into(stored, &mut content) {
        Ok(length) if length == plain => Ok(content),
        Ok(length) => Err(FormatError::Compression {
            reason: format!("{length} bytes instead of {plain}"),
        }),
        Err(error) => Err(FormatError::Compression {
            reason: error.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(file: &[u8]) -> (BlockHeader, &[u8]) {
        let header = BlockHeader::decode(file).unwrap();
        (header, &file[BlockHeader::LENGTH..])
    }

    #[test]
    fn repetitive_content_is_compressed_and_random_is_not() {
        for (content, flags) in [
            (vec![7; 10_000], BlockHeader::COMPRESSED),
            ((0..200).collect(), 0),
        ] {
            let mut file = Vec::new();
            encode_block(BlockKind::VALUES, 9, &content, Compression::Lz4, &mut file).unwrap();
            let (header, stored) = split(&file);
            assert_eq!(
                (header.flags, header.sequence, header.kind),
                (flags, 9, BlockKind::VALUES)
            );
            assert_eq!(decode_content(&header, stored).unwrap(), content);
        }
    }

    #[test]
    fn content_over_the_limit_is_refused() {
        let content = vec![0; MAX_CONTENT + 1];
        let result = encode_block(
            BlockKind::VALUES,
            0,
            &content,
            Compression::Lz4,
            &mut Vec::new(),
        );
        assert!(matches!(result, Err(FormatError::RecordTooLarge { .. })));
    }

    #[test]
    fn the_largest_content_of_one_byte_fits_the_expansion_check() {
        let content = vec![0; MAX_CONTENT];
        let mut file = Vec::new();
        encode_block(BlockKind::VALUES, 0, &content, Compression::Lz4, &mut file).unwrap();
        let (header, stored) = split(&file);
        assert_eq!(decode_content(&header, stored).unwrap().len(), MAX_CONTENT);
    }

    #[test]
    fn a_length_that_lies_is_refused_before_anything_is_allocated() {
        let lie = |flags, plain_length, stored_length| {
            let header = BlockHeader {
                kind: BlockKind::VALUES,
                flags,
                reserved: 0,
                sequence: 0,
                plain_length,
                stored_length,
                crc: 0,
            };
            BlockHeader::decode(&header.encode(b""))
        };
        for (flags, plain, stored) in [
            (0, u32::MAX, u32::MAX),
            (0, 5, 4),
            (1, 4 << 20, 16),
            (1, 10, 10),
            (1, u32::MAX, 100),
            (0x80, 1, u32::MAX),
        ] {
            assert!(matches!(
                lie(flags, plain, stored),
                Err(FormatError::Length { .. })
            ));
        }
    }

    proptest! {
        #[test]
        fn round_trip(content in prop::collection::vec(any::<u8>(), 0..2_000), repeat in 1_usize..20, plain: bool) {
            let content = content.repeat(repeat);
            let compression = if plain { Compression::Off } else { Compression::Lz4 };
            let mut file = Vec::new();
            encode_block(BlockKind(200), 3, &content, compression, &mut file).unwrap();
            let (header, stored) = split(&file);
            prop_assert_eq!(decode_content(&header, stored).unwrap(), content.as_slice());
            let packed = PackedContent::pack(&content, compression).unwrap();
            prop_assert_eq!(packed.unpack().unwrap(), content);
        }

        #[test]
        fn every_changed_byte_is_noticed(at: prop::sample::Index, by in 1_u8..) {
            let mut file = Vec::new();
            let content: Vec<u8> = b"counter ".repeat(40);
            encode_block(BlockKind::VALUES, 3, &content, Compression::Lz4, &mut file).unwrap();
            let at = at.index(file.len());
            file[at] = file[at].wrapping_add(by);
            let read = BlockHeader::decode(&file).and_then(|header| {
                decode_content(&header, &file[BlockHeader::LENGTH..]).map(Cow::into_owned)
            });
            prop_assert!(read.is_err());
        }
    }
}
