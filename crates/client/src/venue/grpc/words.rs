//! Words of messages for those of the vocabulary.

proto::words!(types);
