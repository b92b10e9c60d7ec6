//! A cluster of one node on this machine: Slurm with a separate state and key. It ends with the
//! test.

use tempfile::TempDir;

use crate::farm::PATIENCE;
use crate::prelude::*;

/// A running Slurm, and the directory of its files.
pub struct Cluster {
    directory: TempDir,
    daemons: Vec<Child>,
}

/// Parts that one node does not need are left out: accounting, control groups, other kinds of
/// signatures.
const CONFIG: &str = "ClusterName=draughtproof
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT_1
SlurmdPort=PORT_2
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=HERE/munge.socket
StateSaveLocation=HERE/state
SlurmdSpoolDir=HERE/spool
SlurmctldPidFile=HERE/slurmctld.pid
SlurmdPidFile=HERE/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
KillWait=1
NodeName=HOST NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
";

impl Cluster {
    pub fn start() -> Cluster {
        let id = Command::new("id").arg("-u").output().expect("id runs");
        assert_eq!(id.stdout, b"0\n", "Slurm has to be started by root");
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path().display().to_string();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("the name of this host");
        let host = host.trim().split('.').next().expect("a name");
        let text = CONFIG
            .replace("HERE", &here)
            .replace("HOST", host)
            .replace("PORT_1", &free_port().to_string())
            .replace("PORT_2", &free_port().to_string());
        fs::write(directory.path().join("slurm.conf"), text).expect("a file");
        let mut cluster = Cluster { directory, daemons: Vec::new() };
        cluster.start_daemons();
        cluster
    }

    fn start_daemons(&mut self) {
        let here = self.directory.path().to_path_buf();
        for name in ["state", "spool"] {
            fs::create_dir(here.join(name)).expect("a directory");
        }
        let key = here.join("munge.key");
        let random = fs::File::open("/dev/urandom").and_then(|mut file| {
            let mut bytes = [0; 128];
            std::io::Read::read_exact(&mut file, &mut bytes).map(|()| bytes)
        });
        fs::write(&key, random.expect("random numbers")).expect("a file");
        let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(&key, only_owner).expect("permissions");
        let option = |name: &str, file: &str| format!("--{name}={}", here.join(file).display());
        let munge = [
            "--foreground".into(),
            "--force".into(),
            option("key-file", "munge.key"),
            option("socket", "munge.socket"),
            option("pid-file", "munged.pid"),
            option("log-file", "munged.log"),
            option("seed-file", "munged.seed"),
        ];
        self.spawn("munged", &munge);
        self.wait_until("munge answers", |_| here.join("munge.socket").exists());
        self.spawn("slurmctld", &["-D".into()]);
        self.spawn("slurmd", &["-D".into()]);
        self.wait_until("the node is there", |cluster| {
            let said = cluster.command("sinfo").args(["-h", "-o", "%T"]).output();
            said.is_ok_and(|said| said.stdout == b"idle\n")
        });
    }

    fn spawn(&mut self, program: &str, arguments: &[String]) {
        let log = self.directory.path().join(format!("{program}.out"));
        let log = fs::File::create(log).expect("a file");
        let daemon = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn();
        let advice = "starts (Debian packages slurm-wlm and munge)";
        self.daemons.push(daemon.unwrap_or_else(|e| panic!("{program} {advice}: {e}")));
    }

    /// A command with the environment to talk to this cluster.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.directory.path().join("slurm.conf"));
        command
    }

    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&Cluster) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            let ended = self.daemons.iter_mut().any(|d| d.try_wait().is_ok_and(|s| s.is_some()));
            assert!(!ended && Instant::now() < deadline, "{what}: it is not so\n{}", self.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn logs(&self) -> String {
        let read = |name| {
            fs::read_to_string(self.directory.path().join(format!("{name}.out")))
                .unwrap_or_default()
        };
        ["munged", "slurmctld", "slurmd"].map(read).concat()
    }

    /// Runs a command that submits jobs, and waits until no job is left. Returns what it printed.
    pub fn submit(&mut self, mut command: Command) -> String {
        let Output { status, stdout, stderr } = command.output().expect("the command runs");
        let said = String::from_utf8_lossy(&stderr).into_owned();
        assert!(status.success(), "{said}");
        self.wait_until("all jobs are done", |cluster| {
            let left = cluster.command("squeue").arg("-h").output().expect("squeue runs");
            assert!(left.status.success(), "{}", String::from_utf8_lossy(&left.stderr));
            left.stdout.is_empty()
        });
        String::from_utf8(stdout).expect("text")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The node's daemon is ended first, so that no job runs on.
        for daemon in self.daemons.iter_mut().rev() {
            signal(daemon, Signal::TERM);
            let _ = daemon.wait();
        }
    }
}
