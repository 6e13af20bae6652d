//! Bytes of the stream: the page's example, every record there and back, hostile bytes, the validator.

mod checks;
mod elephant;
mod hostile;
mod records;
mod worked_example;
