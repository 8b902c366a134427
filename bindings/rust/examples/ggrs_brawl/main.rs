//! Two to four peers and a spectator over loopback UDP with loss, in one process, on GGRS.
//!
//! ```text
//! cargo run --example ggrs_brawl                     # they play, and agree
//! cargo run --example ggrs_brawl -- --fault 200      # one computes something else in frame 200
//! cargo run --example ggrs_brawl -- --synctest       # GGRS steps each frame again and again
//! ```
mod game;

use fixsync::{Random, hash64};
use game::{Game, pressed};
use ggrs::{
    Config, DesyncDetection, GgrsError, GgrsEvent, GgrsRequest, Message, NonBlockingSocket,
    P2PSession, PlayerType, PredictRepeatLast, SessionBuilder, SessionState, SpectatorSession,
};
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use std::{env, fs, path::PathBuf, process, thread};

#[derive(Debug)]
struct Brawl;

impl Config for Brawl {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = Box<[u8]>;
    type Address = SocketAddr;
}

/// Of one frame: half of a sixtieth of a second, to end sooner.
const TICK: Duration = Duration::from_millis(8);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// UDP that loses packets.
struct Lossy {
    socket: ggrs::UdpNonBlockingSocket,
    random: Random,
    loss: u64,
}

impl NonBlockingSocket<SocketAddr> for Lossy {
    fn send_to(&mut self, message: &Message, to: &SocketAddr) {
        if self.random.below(100).unwrap() >= self.loss {
            self.socket.send_to(message, to);
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        self.socket.receive_all_messages()
    }
}

impl Game {
    /// What GGRS asks for. The state is the world's bytes, and its checksum their hash.
    fn handle(&mut self, requests: Vec<GgrsRequest<Brawl>>) -> Outcome<()> {
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    let state = self.world.save();
                    let hash = hash64(&state, 0);
                    cell.save(frame, Some(state.into()), Some(hash.into()));
                }
                GgrsRequest::LoadGameState { cell, .. } => {
                    self.world.load(&cell.load().ok_or("GGRS has no state")?)?;
                }
                GgrsRequest::AdvanceFrame { inputs } => {
                    let keys: Vec<u8> = inputs.iter().map(|(input, _)| *input).collect();
                    self.step(&keys)?;
                }
            }
        }
        Ok(())
    }
}

struct Peer {
    session: P2PSession<Brawl>,
    game: Game,
    desync: Option<i32>,
}

impl Peer {
    /// `waits`: it answers the others, and steps nothing.
    fn tick(&mut self, handle: usize, frames: i32, waits: bool) -> Outcome<()> {
        self.session.poll_remote_clients();
        for event in self.session.events() {
            if let GgrsEvent::DesyncDetected { frame, .. } = event {
                self.desync.get_or_insert(frame);
            }
        }
        let now = self.session.current_frame();
        if waits || self.session.current_state() != SessionState::Running || self.is_done(frames) {
            return Ok(());
        }
        self.session.add_local_input(handle, pressed(handle, now))?;
        match self.session.advance_frame() {
            Ok(requests) => self.game.handle(requests)?,
            Err(GgrsError::PredictionThreshold) => return Ok(()), // wait for the others
            Err(error) => return Err(error.into()),
        }
        // Right after a call all frames up to this one are stepped on real inputs.
        let known = self.session.confirmed_frame().min(frames - 1);
        self.game.confirm((known + 1).max(0) as usize)?;
        Ok(())
    }

    fn is_done(&self, frames: i32) -> bool {
        self.game.hashes().count() >= frames as usize
    }
}

struct Options {
    players: usize,
    frames: i32,
    loss: u64,
    fault: Option<u32>,
    synctest: bool,
    out: PathBuf,
}

impl Options {
    fn read() -> Outcome<Self> {
        let out = env::temp_dir().join("ggrs_brawl");
        let mut all = Self { players: 2, frames: 600, loss: 10, fault: None, synctest: false, out };
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--synctest" {
                all.synctest = true;
                continue;
            }
            let value = words.next().ok_or(format!("{word} needs a value"))?;
            match word.as_str() {
                "--players" => all.players = value.parse()?,
                "--frames" => all.frames = value.parse()?,
                "--loss" => all.loss = value.parse()?,
                "--fault" => all.fault = Some(value.parse()?),
                "--out" => all.out = value.into(),
                _ => return Err(format!("no option {word}").into()),
            }
        }
        let Self { players, frames, loss, .. } = all;
        if !(2..=4).contains(&players) {
            return Err(format!("--players must be 2..4, not {players}").into());
        }
        if !(1..=100_000).contains(&frames) {
            return Err(format!("--frames must be 1..100000, not {frames}").into());
        }
        if loss > 50 {
            return Err(format!("--loss must be 0..50, not {loss}").into());
        }
        Ok(all)
    }
}

/// An address that is free now.
fn free_port() -> Outcome<u16> {
    Ok(UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn builder(options: &Options) -> Outcome<SessionBuilder<Brawl>> {
    let builder = SessionBuilder::<Brawl>::new().with_num_players(options.players)?;
    // Long, because this is a test too: on a busy machine nobody is gone after GGRS's two seconds.
    let builder = builder.with_disconnect_timeout(Duration::from_secs(30));
    Ok(builder.with_max_prediction_window(8).with_input_delay(1))
}

fn synctest(options: &Options) -> Outcome<bool> {
    let mut session = builder(options)?.with_check_distance(7).start_synctest_session()?;
    let mut game = Game::new(options.players as u32, options.fault)?;
    game.flickers = true;
    for frame in 0..options.frames {
        for player in 0..options.players {
            session.add_local_input(player, pressed(player, frame))?;
        }
        match session.advance_frame() {
            Ok(requests) => game.handle(requests)?,
            Err(error) => {
                println!("{error}");
                return Ok(false);
            }
        }
    }
    println!("{} frames, each stepped again and again: the same", options.frames);
    Ok(true)
}

/// Plays a match; whether all agree.
fn play(options: &Options) -> Outcome<bool> {
    let ports = (0..=options.players).map(|_| free_port()).collect::<Outcome<Vec<u16>>>()?;
    let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    let socket = |port: u16| -> Outcome<Lossy> {
        let socket = ggrs::UdpNonBlockingSocket::bind_to_port(port)?;
        Ok(Lossy { socket, random: Random(port.into()), loss: options.loss })
    };
    let watcher = ports[options.players];
    let mut peers = Vec::new();
    for own in 0..options.players {
        let mut builder =
            builder(options)?.with_desync_detection_mode(DesyncDetection::On { interval: 10 });
        for (handle, port) in ports[..options.players].iter().enumerate() {
            let player =
                if handle == own { PlayerType::Local } else { PlayerType::Remote(address(*port)) };
            builder = builder.add_player(player, handle)?;
        }
        if own == 0 {
            builder =
                builder.add_player(PlayerType::Spectator(address(watcher)), options.players)?;
        }
        let session = builder.start_p2p_session(socket(ports[own])?)?;
        let fault = options.fault.filter(|_| own == 1);
        peers.push(Peer { session, game: Game::new(options.players as u32, fault)?, desync: None });
    }
    let mut spectator: SpectatorSession<Brawl> = builder(options)?
        .with_max_frames_behind(10)?
        .with_catchup_speed(10)?
        .start_spectator_session(address(ports[0]), socket(watcher)?);
    let mut watched = Game::new(options.players as u32, None)?;

    let end = Instant::now() + Duration::from_secs(60 + options.frames as u64 / 10);
    let is_seen = |watched: &Game| watched.hashes().count() >= options.frames as usize;
    while !peers.iter().all(|peer| peer.is_done(options.frames)) || !is_seen(&watched) {
        spectator.poll_remote_clients();
        // A spectator whose last greeting is lost would be too far behind to catch up.
        let waits = spectator.current_state() != SessionState::Running;
        for (handle, peer) in peers.iter_mut().enumerate() {
            peer.tick(handle, options.frames, waits)?;
        }
        if spectator.current_state() == SessionState::Running && !is_seen(&watched) {
            match spectator.advance_frame() {
                Ok(requests) => watched.handle(requests)?,
                Err(GgrsError::PredictionThreshold) => {}
                Err(error) => return Err(error.into()),
            }
            watched.confirm(options.frames as usize)?; // a spectator steps real inputs alone
        }
        if peers.iter().all(|peer| peer.desync.is_some()) {
            break;
        }
        if Instant::now() > end {
            return Err("the match did not end in time".into());
        }
        thread::sleep(TICK);
    }

    fs::create_dir_all(&options.out)?;
    let games = peers.iter().map(|peer| &peer.game).chain([&watched]);
    let mut paths = Vec::new();
    for (number, game) in games.clone().enumerate() {
        let is_peer = number < options.players;
        let name = if is_peer { format!("peer{number}") } else { "spectator".to_string() };
        let path = options.out.join(format!("{name}.jsonl"));
        fs::write(&path, game.log_text()?)?;
        let (frames, hits) = (game.hashes().count(), game.hits());
        let last = game.hashes().last().unwrap_or_default();
        println!("{name}: {frames} confirmed frames, {hits} hits, last hash {last:016x}");
        paths.push(path);
    }
    if let Some(frame) = peers.iter().find_map(|peer| peer.desync) {
        println!("GGRS: the checksums of frame {frame} differ.");
        // Here both games are at hand; peers on two machines exchange the states of that frame.
        if let Some((frame, rows)) = peers[0].game.differences(&peers[1].game)? {
            println!("The first frame that differs is {frame}:");
            for row in rows {
                println!("  {row}");
            }
        }
        println!("$ fixsync diff {} {}", paths[0].display(), paths[1].display());
        match process::Command::new("fixsync").arg("diff").args(&paths[..2]).status() {
            Ok(_) => {}
            Err(error) => println!("not run, {error}: it is part of fixsync for Python"),
        }
        return Ok(false);
    }
    let hashes: Vec<Vec<u64>> = games.map(|game| game.hashes().collect()).collect();
    let agree = hashes.iter().all(|each| each == &hashes[0]);
    println!("{}", if agree { "all agree on every frame" } else { "they do not agree" });
    Ok(agree)
}

fn main() -> process::ExitCode {
    let outcome = Options::read()
        .and_then(|options| if options.synctest { synctest(&options) } else { play(&options) });
    match outcome {
        Ok(true) => process::ExitCode::SUCCESS,
        Ok(false) => process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            process::ExitCode::from(2)
        }
    }
}
