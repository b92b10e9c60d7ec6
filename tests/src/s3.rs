//! A server with the interface of S3, on this machine: moto, from PyPI.

use std::io::Read;
use std::net::TcpStream;

use crate::farm::PATIENCE;
use crate::prelude::*;
use crate::programs::package;

const MOTO: &str = "moto[server]==5.2.5";
/// The name of the server's bucket.
pub const BUCKET: &str = "bucket";

/// The server, which ends with the test.
pub struct S3 {
    child: Child,
    port: u16,
}

impl S3 {
    /// Starts a server with an empty bucket; packages are kept in `place`.
    pub fn start(place: &Path) -> S3 {
        let packages = package(MOTO, place);
        let port = free_port();
        let child = Command::new("python3")
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()])
            .env("PYTHONPATH", packages)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let mut s3 = S3 { child, port };
        let deadline = Instant::now() + PATIENCE;
        while !s3.make_bucket() {
            let ended = s3.child.try_wait().expect("a process").is_some();
            assert!(!ended && Instant::now() < deadline, "no S3 server");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        s3
    }

    fn make_bucket(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let request = format!(
            "PUT /{BUCKET} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let mut answer = String::new();
        let asked = stream.write_all(request.as_bytes());
        asked.and_then(|()| stream.read_to_string(&mut answer)).is_ok() && answer.contains(" 200 ")
    }

    /// Gives a command the credentials and the address of the server.
    pub fn tell(&self, command: &mut Command) {
        command.env("AWS_ACCESS_KEY_ID", "testing").env("AWS_SECRET_ACCESS_KEY", "testing");
        command.env("AWS_REGION", "us-east-1").env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port));
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
