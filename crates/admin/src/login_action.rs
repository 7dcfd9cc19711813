//! Logins on a command line, and where the password comes from: a file, a variable or a prompt. It
//! is never an argument, which other users of the machine could see.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use cli::Failure;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::login::{LoginChange, NewLogin};

const VARIABLE: &str = "BUTTONWOOD_PASSWORD";

#[derive(Args)]
#[command(after_help = "The password comes from --password-file, else from the variable \
    BUTTONWOOD_PASSWORD, else from a prompt.\n\n\
    Example: buttonwood admin login add alice alice --totp")]
pub(super) struct LoginArgs {
    #[command(flatten)]
    login: NewLogin,
    /// File with the password on its first line
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Options that are not given stay as they are. A new password comes from \
    --password-file, else from the variable BUTTONWOOD_PASSWORD, else from a prompt.\n\n\
    Example: buttonwood admin login set alice --password --sign-out")]
pub(super) struct LoginChangeArgs {
    #[command(flatten)]
    change: LoginChange,
    /// Set a new password
    #[arg(long)]
    password: bool,
    /// Set the password on the first line of a file
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl LoginArgs {
    pub(super) fn read(self) -> Result<NewLogin, Failure> {
        let Self { mut login, password_file } = self;
        login.password = password(password_file.as_deref())?;
        Ok(login)
    }
}

impl LoginChangeArgs {
    pub(super) fn read(self) -> Result<LoginChange, Failure> {
        let Self { mut change, password: is_new, password_file } = self;
        if is_new || password_file.is_some() {
            change.password = Some(password(password_file.as_deref())?);
        }
        Ok(change)
    }
}

fn password(file: Option<&Path>) -> Result<String, Failure> {
    if let Some(file) = file {
        return read_password(file);
    }
    match std::env::var(VARIABLE) {
        Ok(password) => Ok(password),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Failure::new(format!("{VARIABLE} is not text in UTF-8")))
        }
        Err(std::env::VarError::NotPresent) => prompt(),
    }
}

/// The first line of a file.
pub(super) fn read_password(file: &Path) -> Result<String, Failure> {
    let read = std::fs::read_to_string(file);
    let text = read.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Asks twice, since the terminal does not show what is typed.
fn prompt() -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(format!(
            "there is no terminal to ask for the password: give it by --password-file or in the \
             variable {VARIABLE}"
        )));
    }
    let first = prompt_once("Password: ")?;
    if prompt_once("The same again: ")? == first {
        Ok(first)
    } else {
        Err(Failure::new("the two passwords differ"))
    }
}

fn prompt_once(question: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot ask for it: {error}"));
    let mut err = std::io::stderr();
    write!(err, "{question}").and_then(|()| err.flush()).map_err(failed)?;
    let mut line = String::new();
    {
        let _silence = Silence::new().map_err(failed)?;
        std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
    }
    writeln!(err).map_err(failed)?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// While it lives, the terminal does not show what is typed.
struct Silence(Termios);

impl Silence {
    fn new() -> std::io::Result<Self> {
        let before = tcgetattr(std::io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes -= LocalModes::ECHO;
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(std::io::stdin(), OptionalActions::Flush, &self.0) {
            eprintln!("the terminal stays silent ({error}): `stty echo` ends that");
        }
    }
}
