//! The URL of a place to publish to.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use url::Url;

/// A URL, its password, and its settings: the parameters of its query.
#[derive(Clone)]
pub struct Address {
    /// Without password and settings.
    url: Url,
    password: Option<String>,
    settings: BTreeMap<String, String>,
}

impl Address {
    /// The error does not repeat the URL.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut url = Url::parse(text).map_err(|error| error.to_string())?;
        let mut settings = BTreeMap::new();
        for (name, value) in url.query_pairs() {
            if settings.insert(name.clone().into_owned(), value.into_owned()).is_some() {
                return Err(format!("{name} is there twice"));
            }
        }
        url.set_query(None);
        let in_url = url.password().map(decode).transpose()?;
        let in_file = settings.remove("password-file").map(|path| read(&path)).transpose()?;
        if in_url.is_some() && in_file.is_some() {
            return Err("it has a password, and password-file names another".into());
        }
        if url.password().is_some() {
            url.set_password(None).map_err(|()| "it has no host")?;
        }
        Ok(Self { url, password: in_url.or(in_file), settings })
    }

    pub fn scheme(&self) -> &str {
        self.url.scheme()
    }

    pub fn host(&self) -> Result<&str, String> {
        self.url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| "it has no host".into())
    }

    pub fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }

    pub fn user(&self) -> Result<Option<String>, String> {
        let user = Some(self.url.username()).filter(|user| !user.is_empty());
        user.map(decode).transpose()
    }

    pub fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// Without the first slash.
    pub fn path(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }

    /// All of it but the settings and the password.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Takes a setting out.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.settings.remove(name)
    }

    /// Takes out a setting that is a number.
    pub fn take_number(&mut self, name: &str) -> Result<Option<u64>, String> {
        let parse = |text: String| {
            text.parse().map_err(|_| format!("{name} must be a whole number, and is `{text}`"))
        };
        self.take(name).map(parse).transpose()
    }

    /// Takes out the name of a file, and returns what is in it.
    pub fn take_file(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name).map(|path| read(&path)).transpose()
    }

    /// Refuses what no one has taken.
    pub fn finish(&self) -> Result<(), String> {
        match self.settings.keys().next() {
            Some(name) => Err(format!("it has no setting `{name}`")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

fn decode(text: &str) -> Result<String, String> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    Ok(decoded.map_err(|_| "it is not UTF-8")?.into_owned())
}

fn read(path: &str) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        let mut address =
            Address::parse("redis://ann:p%40ss@cache:6380/2?prefix=x&maxlen=7").unwrap();
        assert_eq!(address.to_string(), "redis://ann@cache:6380/2");
        assert_eq!(format!("{address:?}"), "Address(redis://ann@cache:6380/2)");
        assert_eq!((address.password(), address.path()), (Some("p@ss"), "2"));
        assert_eq!(address.take_number("maxlen"), Ok(Some(7)));
        assert_eq!(address.finish(), Err("it has no setting `prefix`".into()));
        assert_eq!(address.take("prefix").as_deref(), Some("x"));
        assert_eq!(address.finish(), Ok(()));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_without_the_url() {
        for (text, reason) in [
            ("redis", "relative URL"),
            ("redis://a/?x=1&x=2", "x is there twice"),
            ("redis://u:secret@a/?password-file=b", "b: No such file"),
        ] {
            let refused = Address::parse(text).unwrap_err();
            assert!(refused.contains(reason) && !refused.contains("secret"), "{refused}");
        }
        assert!(Address::parse("redis://a?n=x").unwrap().take_number("n").is_err());
    }
}
