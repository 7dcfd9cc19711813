//! Lists of a few words each. A command line has them as one row of words; as JSON they are lists.

pub(super) mod words_of_three {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const WORDS: usize = 3;

    pub(crate) fn serialize<S: Serializer>(words: &[String], to: S) -> Result<S::Ok, S::Error> {
        words.chunks(WORDS).collect::<Vec<_>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        let lists = Vec::<[String; WORDS]>::deserialize(from)?;
        Ok(lists.into_iter().flatten().collect())
    }
}
