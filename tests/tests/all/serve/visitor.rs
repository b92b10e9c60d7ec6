//! A visitor's paths through the page, in a browser: the tree, addresses, dragging, hints, and the
//! editor of positions.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fantoccini::actions::{InputSource, PointerAction, TouchActions};
use serde_json::json;
use tests::programs::prove;

use super::Server;
use super::browser::{Browser, Driver, proof_of_6x6};

/// The package and version that finds faults of accessibility.
const AXE: &str = "axe-core@4.14.1";
/// The most steps of a walk through the tree.
const STEPS: usize = 200;

impl Browser<'_> {
    /// Waits until a script returns true.
    async fn until(&self, script: &str) {
        for _ in 0..3000 {
            if self.script(&format!("return Boolean({script})")).await == true {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it is never true that {script}: {}", self.text("status").await);
    }

    /// Opens all boxes but the editor.
    async fn open_all(&self) {
        let boxes = "document.querySelectorAll('details:not(#setup-box)')";
        self.script(&format!("{boxes}.forEach(box => box.open = true)")).await;
    }

    /// Waits until the tree is that of the position that is shown.
    async fn tree_is_there(&self) {
        self.settle().await;
        self.until(
            "document.getElementById('why').dataset.fen === document.getElementById('fen').value",
        )
        .await;
    }

    /// Drags a piece with a finger, as a move says.
    async fn drag(&self, from: &str, to: &str) {
        let script = format!(
            "return ['{from}', '{to}'].map(n => document.querySelector(`[data-square='${{n}}']`)
               .getBoundingClientRect()).map(r => [r.x + r.width / 2, r.y + r.height / 2])"
        );
        let places = self.script(&script).await;
        let place = |i: usize, j: usize| places[i][j].as_f64().unwrap();
        let to = |i| PointerAction::MoveTo {
            duration: Some(Duration::from_millis(30)),
            x: place(i, 0),
            y: place(i, 1),
        };
        let finger = TouchActions::new("finger".into())
            .then(to(0))
            .then(PointerAction::Down { button: 0 })
            .then(to(1))
            .then(PointerAction::Up { button: 0 });
        self.client.perform_actions(finger).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn the_tree_alone_leads_to_the_database() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    page.tree_is_there().await;
    page.keep_screenshot("tree").await;
    let mut random = 1_usize;
    for step in 0.. {
        let place = page.text("why-place").await;
        if place.starts_with("The database has this position") {
            break;
        }
        assert!(place.starts_with("This position is ") && step < STEPS, "{place}");
        let rows = page.script("return document.querySelectorAll('#why button').length").await;
        let rows = usize::try_from(rows.as_u64().unwrap()).unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        let row = 1 + (random >> 33) % rows;
        page.click(&format!("#why li:nth-child({row}) button")).await;
        page.tree_is_there().await;
    }
    assert!(page.text("because").await.contains("database"), "{}", page.text("because").await);
    assert!(!page.text("verdict").await.starts_with("White wins"));
    page.keep_screenshot("tree-end").await;
    page.client.clone().close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn every_move_of_the_start_gets_its_value() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    page.until("!document.querySelector('#moves .open')").await;
    let values = page
        .script(
            "return Object.fromEntries([...document.querySelectorAll('#moves button')].map(\
             b => [b.dataset.move, b.querySelector('.tag').textContent]))",
        )
        .await;
    assert_eq!(values, json!({"6-8": "D", "5-7": "D", "4-7": "D", "5-8": "L", "6-9": "L"}));
    let from = "[...document.querySelectorAll('#moves .from')].map(e => e.textContent).join()";
    let from = page.script(&format!("return {from}")).await;
    let from = from.as_str().unwrap();
    assert!(from.contains("proof") && from.contains("solved here with"), "{from}");
    page.client.clone().close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn an_address_shows_the_same_game_elsewhere() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    for _ in 0..3 {
        let name = page.moves().await[0].clone();
        page.play(&name).await;
        page.until("document.getElementById('board').dataset.state === 'yours'").await;
    }
    page.click("#back").await;
    page.settle().await;
    let address = page.script("return location.href").await;
    let other = driver.open(address.as_str().unwrap()).await;
    page.client.refresh().await.unwrap();
    page.settle().await;
    for id in ["in-words", "game", "verdict"] {
        let shown = other.text(id).await;
        assert_eq!(page.text(id).await, shown, "{id}");
        assert!(!shown.is_empty() && !shown.contains("No move"), "{id}: {shown}");
    }
    // An address that names no game is said to name none.
    let wrong = format!("http://{}/#board=6x6&moves=1-18", server.address);
    other.client.goto(&wrong).await.unwrap();
    other.until("document.querySelector('#status.error')").await;
    let status = other.text("status").await;
    assert!(status.starts_with("The address names no game"), "{status}");
    for browser in [page, other] {
        browser.client.clone().close().await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn a_game_is_dragged_on_a_telephone() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    let telephone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    page.emulate("Emulation.setDeviceMetricsOverride", telephone).await;
    page.emulate("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
    page.choose("side", "B").await;
    let mut moves = 0;
    while page.settle().await == "yours" && moves < 40 {
        let name = page.moves().await[0].clone();
        let squares: Vec<&str> = name.split(['-', 'x']).collect();
        page.script("document.getElementById('board').scrollIntoView()").await;
        let before = page.text("in-words").await;
        page.drag(squares[0], squares[squares.len() - 1]).await;
        let changed =
            format!("document.getElementById('in-words').textContent !== {}", json!(before));
        page.until(&changed).await;
        moves += 1;
        if moves == 3 {
            page.keep_screenshot("dragged").await;
        }
    }
    assert!(moves > 5, "{moves}: {}", page.text("game").await);
    page.client.clone().close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn what_cannot_be_done_is_said() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    for (squares, hint) in [
        (&["13"][..], "It is Black's turn"),
        (&["1"], "The piece on 1 has no move"),
        (&["10"], "Choose a piece"),
        (&["6", "12"], "The piece on 6 cannot go to 12"),
    ] {
        for square in squares {
            page.click(&format!("[data-square='{square}']")).await;
        }
        let status = page.text("status").await;
        assert!(status.starts_with(hint), "{squares:?}: {status}");
    }
    a_position_is_set_up(&page).await;
    drop(server);
    page.click("#new").await;
    page.until("document.querySelector('#status.error')").await;
    let status = page.text("status").await;
    assert!(status.starts_with("The server does not answer"), "{status}");
    page.client.clone().close().await.unwrap();
}

/// The script of axe-core, which npm fetches once.
fn axe() -> String {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(AXE);
    let script = place.join("package/axe.min.js");
    if !script.exists() {
        fs::create_dir_all(&place).unwrap();
        for (program, arguments) in [
            ("npm", ["pack", "--silent", AXE]),
            ("tar", ["-x", "-f", &format!("{AXE}.tgz").replace('@', "-")]),
        ] {
            let status = Command::new(program).args(arguments).current_dir(&place).status();
            assert!(status.expect("npm and tar are needed here").success(), "{program}");
        }
    }
    fs::read_to_string(script).unwrap()
}

#[tokio::test]
#[ignore = "needs Chromium, chromedriver and npm"]
async fn axe_finds_nothing_in_any_view() {
    let here = tempfile::tempdir().unwrap();
    let server = proof_of_6x6(here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    let axe = axe();
    for scheme in ["light", "dark"] {
        let scheme = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        page.emulate("Emulation.setEmulatedMedia", scheme).await;
        for game in ["", "&moves=6-8,14-12", "&moves=5-7", "&start=B:W18:BK1", "&start=B:W18:B"] {
            page.client.goto("about:blank").await.unwrap();
            let address = format!("http://{}/#board=6x6{game}", server.address);
            page.client.goto(&address).await.unwrap();
            page.tree_is_there().await;
            page.open_all().await;
            page.until("document.querySelector('#slices table')").await;
            if game.contains("moves") {
                page.click("#analyse").await;
                page.until("document.querySelector('#graph svg')").await;
            }
            page.script(&axe).await;
            // An editor that is open hides what is known.
            for editor in ["false", "true"] {
                page.script(&format!("document.getElementById('setup-box').open = {editor}")).await;
                let run =
                    "const done = arguments[arguments.length - 1]; axe.run().then(found => done(
                    found.violations.map(v => [v.id, v.nodes.map(node => node.html)])))";
                let found = page.client.execute_async(run, Vec::new()).await.unwrap();
                assert_eq!(found, json!([]), "{game}, editor: {editor}");
            }
        }
    }
    page.client.clone().close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn a_game_of_checkers_is_named_estimated_and_analysed() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    let server = Server::start(&[], here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    // Each move has an estimate, and never "not known".
    page.until("document.querySelector('#moves .tag')?.textContent.startsWith('≈')").await;
    let tags =
        "[...document.querySelectorAll('#moves .tag')].filter(e => /^≈ [+−]/.test(e.textContent))";
    assert_eq!(page.script(&format!("return {tags}.length")).await, 7);
    page.keep_screenshot("estimates").await;
    page.open_all().await;
    page.until("document.querySelectorAll('#openings option').length > 200").await;
    page.choose("openings", "11-15 23-19 8-11 22-17 4-8").await;
    page.until("document.getElementById('opening').textContent.includes('Old Fourteenth')").await;
    assert!(page.text("opening").await.contains("Ballot 126 (normal) is published as a draw."));
    let pdn = "[FEN \"B:W18,31,32:B1,2,10\"] 1. 10-15 18x11 2. 1-5 *";
    page.script(&format!("document.getElementById('pdn').value = {}", json!(pdn))).await;
    page.click("#set-pdn").await;
    page.until("document.querySelectorAll('#game a').length === 3").await;
    page.click("#analyse").await;
    page.until("document.querySelector('#mistakes button')").await;
    let marked = "return [...document.querySelectorAll('#game a.loss')].map(e => e.textContent)";
    assert_eq!(page.script(marked).await, json!(["10-15?"]));
    page.keep_screenshot("analysis").await;
    page.click("#mistakes button").await;
    page.until("document.getElementById('fen').value === 'B:W18,31,32:B1,2,10'").await;
    // Each move is a link to its position.
    let link = page.script("return document.querySelectorAll('#game a')[1].href").await;
    let other = driver.open(link.as_str().unwrap()).await;
    other.until("document.getElementById('fen').value === 'B:W11,31,32:B1,2'").await;
    for browser in [page, other] {
        browser.client.clone().close().await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs Chromium and chromedriver"]
async fn on_a_telephone_pieces_and_board_are_both_in_view() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    let server = Server::start(&[], here.path());
    let driver = Driver::start();
    let page = driver.open(&format!("http://{}/", server.address)).await;
    for (width, height) in [(390, 844), (360, 640)] {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 2, "mobile": true });
        page.emulate("Emulation.setDeviceMetricsOverride", size).await;
        page.keep_screenshot(&format!("telephone-{width}")).await;
        page.click("#setup-box summary").await;
        page.until("document.body.classList.contains('editing')").await;
        page.keep_screenshot(&format!("set-up-{width}")).await;
        let hidden = "return [...document.querySelectorAll('#board, #setup-box fieldset label')].filter(e => {
            const { top, bottom } = e.getBoundingClientRect(); return top < 0 || bottom > innerHeight }).length";
        assert_eq!(page.script(hidden).await, 0, "{width}");
        page.click("#setup-box summary").await;
        page.settle().await;
    }
    page.client.clone().close().await.unwrap();
}

/// Puts two kings on an empty board, takes one of them away again, and begins there.
async fn a_position_is_set_up(page: &Browser<'_>) {
    page.click("#setup-box summary").await;
    page.click("#setup-clear").await;
    for (piece, square) in [("BK", "1"), ("WK", "18"), ("WK", "10"), ("WK", "10")] {
        page.click(&format!("input[name=piece][value={piece}]")).await;
        page.click(&format!("[data-square='{square}']")).await;
    }
    page.choose("setup-turn", "W").await;
    page.keep_screenshot("set-up").await;
    page.click("#setup-done").await;
    page.until("!document.getElementById('setup-box').open").await;
    page.settle().await;
    page.until("document.getElementById('fen').value === 'W:WK18:BK1'").await;
}
