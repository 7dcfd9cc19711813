pub(crate) mod serve;
