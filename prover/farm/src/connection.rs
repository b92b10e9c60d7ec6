//! The connection to the broker: login, reconnection, and the messages about its loss.
//!
//! The connection has a runtime of its own; the rest of the program blocks on it. A connection that
//! was made once is made again without limit after each loss.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::FarmError;
use super::stream::{PREFIX, WORKERS, is_name};
use async_nats::connection::State;
use async_nats::jetstream::consumer::pull;
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
    jetstream,
};
use certificate_spec::text::without_mark;
use draughtproof_proof::progress::Progress;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Interval between pings to the broker. The connection counts as lost after twice this time
/// without an answer.
const PING: Duration = Duration::from_secs(5);
/// The longest delay before the next attempt to connect.
const MOST_DELAY: Duration = Duration::from_secs(2);
/// Timeout of one request to the broker.
const REQUEST: Duration = Duration::from_secs(5);
/// Interval after which an unchanged message about trouble is repeated.
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// The broker's address and the credentials for it.
#[derive(Clone, Default)]
pub struct Login {
    /// The address of the broker, `nats://host:4222` or `tls://host:4222`; several are separated by
    /// commas.
    pub url: String,
    /// The path of a credentials file as `nsc` writes it, with the seed of an nkey, or
    /// `user:password`.
    pub credentials: Option<PathBuf>,
    /// The path of the certificates of trusted authorities, PEM.
    pub authorities: Option<PathBuf>,
    /// The paths of this program's certificate and of its key, PEM.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// A connection, and the threads that serve it.
pub struct Connection {
    pub(super) runtime: Runtime,
    pub(super) link: Link,
}

/// The client state that the connection's threads share.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) context: jetstream::Context,
    pub(super) log: Arc<FarmLog>,
    /// The number of times that the connection was made so far.
    pub(super) epoch: watch::Receiver<u64>,
    /// The broker's message that the login may not use a subject of this program's name, if there
    /// was one.
    pub(super) denied: watch::Receiver<Option<String>>,
}

impl Link {
    /// The number of times that the connection was made so far.
    pub(super) fn connections(&self) -> u64 {
        *self.epoch.borrow()
    }

    /// Whether the connection was lost since [`Link::connections`] returned `connections`, or is
    /// down now.
    pub(super) fn was_lost(&self, connections: u64) -> bool {
        self.client.connection_state() != State::Connected || self.connections() != connections
    }
}

/// Writes the farm's messages for the user to the progress output.
pub(super) struct FarmLog {
    progress: Progress,
    address: String,
    last: Mutex<Option<(String, Instant)>>,
}

impl FarmLog {
    /// Writes a message.
    pub(super) fn say(&self, text: &str) {
        self.progress.say(format!("farm {}: {text}", self.address));
    }

    /// Writes a message about trouble, unless the last one was equal and less than [`SAY_AGAIN`]
    /// ago.
    pub(super) fn warn(&self, text: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|(said, when)| said == text && when.elapsed() < SAY_AGAIN) {
            return;
        }
        *last = Some((text.to_owned(), Instant::now()));
        self.say(text);
    }

    /// Forgets the last message about trouble, so that the next one is written.
    pub(super) fn clear_warning(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

impl Login {
    /// The addresses without users, passwords and tokens.
    pub fn address(&self) -> String {
        let mut public = Vec::new();
        for url in self.url.split(',') {
            let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
            let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
            public.push(format!("{scheme}://{place}"));
        }
        public.join(",")
    }

    fn servers(&self) -> Result<Vec<ServerAddr>, FarmError> {
        let mut servers = Vec::new();
        for url in self.url.split(',') {
            servers.push(url.trim().parse::<ServerAddr>().map_err(|e| {
                // The library's message may contain the secrets in the address.
                let why = match e.kind() {
                    std::io::ErrorKind::InvalidInput => "it cannot be read".into(),
                    kind => kind.to_string(),
                };
                FarmError::Address { found: self.address(), why }
            })?);
        }
        Ok(servers)
    }

    /// Checks that the addresses and the files can be read; opens no connection.
    ///
    /// # Errors
    /// [`FarmError::Address`] or [`FarmError::File`]
    pub fn check(&self) -> Result<(), FarmError> {
        self.servers()?;
        self.options("check").map(|_| ())
    }

    /// The options of a connection with this client name.
    fn options(&self, name: &str) -> Result<ConnectOptions, FarmError> {
        let mut options = ConnectOptions::new()
            .name(format!("draughtproof {name}"))
            .custom_inbox_prefix(inbox_prefix(name))
            .ping_interval(PING)
            .request_timeout(Some(REQUEST))
            .reconnect_delay_callback(|attempts| {
                let steps = u32::try_from(attempts.min(20)).unwrap_or(20);
                (Duration::from_millis(100) * steps).min(MOST_DELAY)
            });
        if let Some(path) = &self.credentials {
            let bad =
                |why: String| FarmError::File { option: "--farm-creds", path: path.clone(), why };
            let text = std::fs::read_to_string(path).map_err(|e| bad(e.to_string()))?;
            let text = without_mark(&text);
            let seed = text.lines().map(str::trim).find(|line| {
                line.starts_with("SU") && line.bytes().all(|b| b.is_ascii_alphanumeric())
            });
            let user = text.trim().split_once(':').filter(|_| text.trim().lines().count() == 1);
            options = if text.contains("BEGIN NATS USER JWT") {
                let is_none = |_| bad("expected credentials as nsc writes them".into());
                options.credentials(text).map_err(is_none)?
            } else if let Some(seed) = seed {
                options.nkey(seed.to_owned())
            } else if let Some((user, password)) = user {
                options.user_and_password(user.into(), password.into())
            } else {
                let expected = "expected credentials as nsc writes them, the seed of an nkey \
                                (SU...), or a line user:password";
                return Err(bad(expected.into()));
            };
        }
        let readable = |option, path: &Path| {
            std::fs::File::open(path).map(|_| ()).map_err(|e| FarmError::File {
                option,
                path: path.into(),
                why: e.to_string(),
            })
        };
        if let Some(path) = &self.authorities {
            readable("--farm-ca", path)?;
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.identity {
            readable("--farm-cert", certificate)?;
            readable("--farm-key", key)?;
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options)
    }
}

/// Shows the addresses only; secrets stay out of the output.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.address())
    }
}

impl Connection {
    /// Connects under a client name and waits until a broker answers; `None` if the program is to
    /// end before that.
    ///
    /// # Errors
    /// [`FarmError`] when waiting does not help, such as when the broker refuses the login.
    pub fn open(
        login: &Login,
        name: &str,
        progress: &Progress,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Connection>, FarmError> {
        if !is_name(name) {
            return Err(FarmError::Name(name.into()));
        }
        let servers = login.servers()?;
        let address = login.address();
        let last = Mutex::default();
        let log = Arc::new(FarmLog { progress: *progress, address: address.clone(), last });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("farm")
            .enable_all()
            .build()
            .map_err(FarmError::Threads)?;
        let (epoch_sender, epoch) = watch::channel(0);
        let (denied_sender, denied) = watch::channel(None);
        let state = Arc::new(ConnectionState {
            log: Arc::clone(&log),
            epoch: epoch_sender,
            denied: denied_sender,
            own_subjects: [inbox_prefix(name), own_suffix(name)],
        });
        loop {
            let options = login.options(name)?;
            let options = options.event_callback(on_event(Arc::clone(&state)));
            let connecting = options.connect(servers.clone());
            match runtime.block_on(connecting) {
                Ok(client) => {
                    let builder = jetstream::context::ContextBuilder::new().timeout(REQUEST);
                    let context = runtime.block_on(async { builder.build(client.clone()) });
                    return Ok(Some(Connection {
                        runtime,
                        link: Link { client, context, log, epoch, denied },
                    }));
                }
                Err(error) => warn_or_fail(&log, &error)?,
            }
            let until = Instant::now() + MOST_DELAY / 2;
            while Instant::now() < until {
                if is_stopped() {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// The address of the broker, without secrets.
    pub fn address(&self) -> String {
        self.link.log.address().to_owned()
    }

    /// Checks that the login may use the subjects of this program's name: asks the broker for
    /// something and waits for the reply, or for the message that there will be none.
    pub(super) fn check_name(&self, name: &str) -> Result<(), FarmError> {
        let Link { context, denied, .. } = &self.link;
        let mut denied = denied.clone();
        self.runtime.block_on(async {
            let asked = context.get_consumer_from_stream::<pull::Config, _, _>(WORKERS, "none");
            tokio::select! {
                // Whether there is such a consumer does not matter.
                _ = asked => {}
                _ = denied.wait_for(Option::is_some) => {}
            }
        });
        self.denial(name)
    }

    /// The error that the login does not fit the name, if the broker has said so.
    pub(super) fn denial(&self, name: &str) -> Result<(), FarmError> {
        let Some(why) = self.link.denied.borrow().clone() else { return Ok(()) };
        Err(FarmError::NotOfLogin { address: self.address(), name: name.into(), why })
    }

    /// Sends the messages that are still buffered.
    pub(super) fn flush(&self) {
        let client = &self.link.client;
        // A worker or manager that starts later sends a lost message again.
        let _ =
            self.runtime.block_on(async { tokio::time::timeout(REQUEST, client.flush()).await });
    }
}

/// Writes why there is no connection yet; returns an error if the cause is permanent.
fn warn_or_fail(log: &FarmLog, error: &ConnectError) -> Result<(), FarmError> {
    let address = log.address().to_owned();
    let why = error.to_string();
    match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            Err(FarmError::Refused { address, why })
        }
        ConnectErrorKind::Tls => Err(FarmError::Tls { address, why }),
        _ if is_tls_error(error) => Err(FarmError::Tls { address, why }),
        ConnectErrorKind::ServerParse => Err(FarmError::Address { found: address, why }),
        _ => {
            log.warn(&format!("no broker there yet ({why}); trying again"));
            Ok(())
        }
    }
}

/// Whether the TLS handshake failed, such as when the broker's certificate is not trusted. The
/// library reports that as a failure of reading.
fn is_tls_error(error: &ConnectError) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The prefix of the subjects on which a program gets replies.
fn inbox_prefix(name: &str) -> String {
    format!("{PREFIX}.inbox.{name}")
}

/// The end of the subjects on which only the program of this name speaks.
fn own_suffix(name: &str) -> String {
    format!(".{name}\"")
}

/// The state of a connection, which its events change.
struct ConnectionState {
    log: Arc<FarmLog>,
    epoch: watch::Sender<u64>,
    denied: watch::Sender<Option<String>>,
    /// Parts of the broker's messages about subjects that have the name of this program.
    own_subjects: [String; 2],
}

/// Writes a message for each event of a connection, counts the connections that are made, and
/// notes that the login does not fit the name.
fn on_event(
    state: Arc<ConnectionState>,
) -> impl Fn(Event) -> std::future::Ready<()> + Send + Sync + 'static {
    move |event| {
        let ConnectionState { log, epoch, denied, own_subjects } = &*state;
        match event {
            Event::Connected => {
                epoch.send_modify(|epoch| *epoch += 1);
                if *epoch.borrow() > 1 {
                    log.clear_warning();
                    log.say("connected again");
                }
            }
            Event::Disconnected => {
                log.warn("the connection is lost; trying again until it is back");
            }
            Event::ServerError(ServerError::Other(text))
                if text.contains("ermissions Violation")
                    && own_subjects.iter().any(|subject| text.contains(subject)) =>
            {
                denied.send_replace(Some(text));
            }
            Event::ServerError(ServerError::Other(text)) => {
                log.warn(&format!("the broker says: {text}"));
            }
            Event::ServerError(ServerError::AuthorizationViolation) => {
                log.warn("the broker no longer accepts this login; trying again");
            }
            _ => {}
        }
        std::future::ready(())
    }
}

#[cfg(test)]
mod tests {
    use super::Login;

    #[test]
    fn no_secret_is_shown() {
        let login = |url: &str| Login { url: url.into(), ..Login::default() };
        for (url, shown) in [
            ("nats://user:pass@host:4222", "nats://host:4222"),
            ("token@host", "nats://host"),
            ("tls://a:b@one:1,nats://p@ss@two:2", "tls://one:1,nats://two:2"),
            ("nats://host:4222", "nats://host:4222"),
        ] {
            assert_eq!(login(url).address(), shown);
            assert_eq!(format!("{:?}", login(url)), format!("Login({shown})"));
        }
        let error = login("nats://user:secret@host:x").servers().expect_err("no port");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
