//! The page in a headless Chromium that chromedriver drives. Screenshots are kept in
//! `target/tmp/serve/`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tests::programs::prove;

use super::Server;

/// The most bytes that the files of the page may have in transfer.
const PAGE_BYTES: u64 = 90_000;
/// The most milliseconds until the board can be used, in the best of a few attempts, since another
/// program may have the processor.
const USABLE: f64 = 1000.0;
/// The most moves of a game.
const MOVES: usize = 400;

/// chromedriver, which ends with the test.
pub(super) struct Driver {
    child: Child,
    address: String,
}

impl Driver {
    pub(super) fn start() -> Driver {
        let mut command = Command::new("chromedriver");
        let child = command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("chromedriver (the package chromium-driver of Debian)");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        // The output must be read on, since chromedriver would wait otherwise.
        std::thread::spawn(move || lines.count());
        Driver { child, address: format!("http://localhost:{}", port.expect("a port")) }
    }

    pub(super) async fn open(&self, url: &str) -> Browser<'_> {
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1200,1000",
            "--hide-scrollbars",
        ];
        let capabilities = json!({ "goog:chromeOptions": { "args": arguments } });
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client = builder.capabilities(capabilities.as_object().unwrap().clone());
        let client = client.connect(&self.address).await.expect("a browser");
        client.goto(url).await.unwrap();
        let browser = Browser { driver: self, client };
        browser.settle().await;
        browser
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) struct Browser<'a> {
    driver: &'a Driver,
    pub(super) client: Client,
}

impl Browser<'_> {
    pub(super) async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    pub(super) async fn text(&self, id: &str) -> String {
        let text =
            self.script(&format!("return document.getElementById('{id}').textContent")).await;
        text.as_str().unwrap().to_owned()
    }

    /// Waits until it is the turn of the page's user, or the game is over. Returns which.
    pub(super) async fn settle(&self) -> String {
        for _ in 0..6000 {
            let state = self.script("return document.getElementById('board').dataset.state").await;
            match state.as_str() {
                Some(state) if state != "waiting" => return state.to_owned(),
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        panic!("the page waits for ever: {}", self.text("status").await);
    }

    pub(super) async fn click(&self, css: &str) {
        let element = self.client.find(Locator::Css(css)).await.unwrap();
        element.click().await.unwrap_or_else(|e| panic!("{css}: {e}"));
    }

    pub(super) async fn choose(&self, id: &str, value: &str) {
        let script = format!(
            "const box = document.getElementById('{id}'); box.value = '{value}'; \
             box.dispatchEvent(new Event('change'))"
        );
        self.script(&script).await;
        self.settle().await;
    }

    /// The names of the moves in the list.
    pub(super) async fn moves(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#moves .name')].map(e => e.textContent)";
        let names = self.script(script).await;
        names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    }

    /// Makes a move by clicks on the board, or in the list where several captures end on a square.
    pub(super) async fn play(&self, name: &str) {
        let squares: Vec<&str> = name.split(['-', 'x']).collect();
        if squares.len() == 2 {
            for square in squares {
                self.click(&format!("[data-square='{square}']")).await;
            }
        } else {
            self.click(&format!("#moves button[data-move='{name}']")).await;
        }
    }

    /// A command of the protocol of Chromium's developer tools.
    pub(super) async fn emulate(&self, command: &str, parameters: Value) {
        let session = self.client.session_id().await.unwrap().unwrap();
        let url = format!("{}/session/{session}/goog/cdp/execute", self.driver.address);
        let body = json!({ "cmd": command, "params": parameters }).to_string();
        let request = ureq::post(url).header("content-type", "application/json");
        request.send(&body).unwrap();
    }

    pub(super) async fn keep_screenshot(&self, name: &str) {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve");
        fs::create_dir_all(&directory).unwrap();
        let picture = self.client.screenshot().await.unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
        fs::write(directory.join(format!("{name}.png")), picture).unwrap();
    }
}

pub(super) fn proof_of_6x6(here: &Path) -> Server {
    prove(&["--emit", "cert", "-q"], here);
    prove(&["db", "--game", "6x6", "--pieces", "3", "--depth", "-q"], here);
    Server::start(&["cert"], here)
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn games_never_beat_the_proof() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    page.keep_screenshot("start").await;
    assert_eq!(page.text("verdict").await, "A draw");
    assert!(page.text("claim").await.contains("6x6 is a draw"), "{}", page.text("claim").await);
    let mut random = 1_usize;
    for (side, wins) in [("B", "Black wins"), ("W", "White wins")] {
        page.click("#new").await;
        page.settle().await;
        page.choose("side", side).await;
        let mut moves = 0;
        while page.settle().await == "yours" {
            // The server does not lose, whatever its opponent plays.
            let verdict = page.text("verdict").await;
            assert!(!verdict.starts_with(wins), "{}", page.text("game").await);
            let names = page.moves().await;
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695);
            page.play(&names[(random >> 33) % names.len()]).await;
            moves += 1;
            assert!(moves < MOVES, "{}", page.text("game").await);
            if moves == 3 {
                page.keep_screenshot(&format!("game-{side}")).await;
            }
        }
        let status = page.text("status").await;
        let is_lost = status.contains(&format!(": {} has won", &wins[..5]));
        assert!(!is_lost && moves > 3, "{status}: {}", page.text("game").await);
        page.keep_screenshot(&format!("end-{side}")).await;
    }
    page.client.clone().close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn the_page_is_usable() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    files_are_small_and_from_the_server(&page, &server.address).await;
    the_board_is_there_at_once(&page).await;
    controls_have_names(&page).await;
    moves_are_made_by_keys(&page).await;
    positions_and_games_are_set_by_text(&page).await;
    the_page_fits_dark_telephones(&page).await;
    page.client.clone().close().await.unwrap();
}

async fn files_are_small_and_from_the_server(page: &Browser<'_>, address: &str) {
    let files = "return performance.getEntriesByType('resource').concat(\
        performance.getEntriesByType('navigation')).map(e => [e.name, e.encodedBodySize])";
    let mut bytes = 0;
    for file in page.script(files).await.as_array().unwrap() {
        let name = file[0].as_str().unwrap();
        assert!(name.starts_with(&format!("http://{address}/")), "{name}");
        bytes += file[1].as_u64().unwrap();
    }
    assert!((10_000..PAGE_BYTES).contains(&bytes), "{bytes}");
}

async fn the_board_is_there_at_once(page: &Browser<'_>) {
    let mut usable = f64::INFINITY;
    for _ in 0..5 {
        let mark = "return performance.getEntriesByName('usable')[0].startTime";
        usable = page.script(mark).await.as_f64().unwrap().min(usable);
        page.client.refresh().await.unwrap();
        page.settle().await;
    }
    assert!(usable <= USABLE, "{usable} ms");
}

async fn controls_have_names(page: &Browser<'_>) {
    let nameless = "return [...document.querySelectorAll('button, select, input, textarea')]\
        .filter(e => !(e.ariaLabel || e.textContent.trim() && e.tagName === 'BUTTON' \
        || e.labels?.length)).length";
    assert_eq!(page.script(nameless).await, 0);
}

/// Moves the first piece that can move to the first possible square, and takes the move back.
async fn moves_are_made_by_keys(page: &Browser<'_>) {
    let words = page.text("in-words").await;
    assert!(words.starts_with("Black to move. White has men on 13, 14, 15,"), "{words}");
    let board = page.client.find(Locator::Css("#board")).await.unwrap();
    page.script("document.getElementById('board').focus()").await;
    board.send_keys(&char::from(Key::Down).to_string()).await.unwrap();
    assert!(page.text("status").await.contains("black man"), "{}", page.text("status").await);
    for key in [Key::Enter, Key::Down, Key::Enter] {
        board.send_keys(&char::from(key).to_string()).await.unwrap();
    }
    page.settle().await;
    assert!(page.text("in-words").await.starts_with("White to move"));
    page.click("#back").await;
    page.settle().await;
    assert_eq!(page.text("in-words").await, words);
}

/// Sets a position and a game; what is no position gets a message, and is shown as text only.
async fn positions_and_games_are_set_by_text(page: &Browser<'_>) {
    page.script("document.querySelector('details:has(#fen)').open = true").await;
    for (text, status) in
        [("<img src=x onerror=alert(1)>", "#status.error"), ("B:W18:BK1", "#status:not(.error)")]
    {
        page.script(&format!("document.getElementById('fen').value = {}", json!(text))).await;
        page.click("#set-fen").await;
        page.client.wait().for_element(Locator::Css(status)).await.unwrap();
        assert_eq!(page.script("return document.images.length").await, 0);
    }
    page.settle().await;
    assert!(page.text("in-words").await.contains("Black has a king on 1."));
    assert_eq!(page.text("verdict").await, "Black wins in 17 plies");
    page.script("document.getElementById('pdn').value = '1. 4-7 15-12 *'").await;
    page.click("#set-pdn").await;
    page.client.wait().for_element(Locator::Css("#game [aria-current]")).await.unwrap();
    assert!(page.text("game").await.contains("15-12"), "{}", page.text("game").await);
}

async fn the_page_fits_dark_telephones(page: &Browser<'_>) {
    page.script("document.querySelectorAll('details').forEach(d => d.open = true)").await;
    page.client.wait().for_element(Locator::Css("#slices td")).await.unwrap();
    page.click("#slices summary").await;
    page.client.wait().for_element(Locator::Css("#slices td button")).await.unwrap();
    page.click("#slices td button").await;
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    page.emulate("Emulation.setEmulatedMedia", dark).await;
    page.script("scrollTo(0, document.body.scrollHeight)").await;
    page.keep_screenshot("facts-dark").await;
    let telephone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    page.emulate("Emulation.setDeviceMetricsOverride", telephone).await;
    page.script("scrollTo(0, 0)").await;
    page.keep_screenshot("telephone-dark").await;
    let too_wide = "return document.documentElement.scrollWidth > innerWidth";
    assert_eq!(page.script(too_wide).await, false);
}
