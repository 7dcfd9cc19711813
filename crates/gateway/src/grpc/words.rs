//! Words of messages, and those of the vocabulary.

proto::words!(types, given);
