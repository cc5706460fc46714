//! A disk in memory that forgets what was not synced when its power is cut, as badly as the crash model allows.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use ecotone_store::{Disk, Hold, Lock, Stat};

use super::Dice;

type Names = BTreeMap<Arc<str>, usize>;

#[derive(Clone, Debug)]
enum Node {
    File {
        live: Arc<Vec<u8>>,
        /// As of the last sync.
        safe: Arc<Vec<u8>>,
    },
    Folder {
        live: Names,
        safe: Names,
        /// What happened since the last sync, in order.
        since: Vec<(usize, Change)>,
    },
}

/// What was done to the name of one file or folder.
#[derive(Clone, Debug)]
enum Change {
    Made(Arc<str>),
    Removed(Arc<str>),
    Renamed(Arc<str>, Arc<str>),
}

/// All that is on a disk; the first node is the root.
#[derive(Clone, Debug)]
pub struct State(Vec<Arc<Node>>);

impl Default for State {
    fn default() -> Self {
        Self(vec![folder(Names::new()).into()])
    }
}

fn folder(names: Names) -> Node {
    Node::Folder {
        live: names.clone(),
        safe: names,
        since: Vec::new(),
    }
}

impl State {
    /// What is left after a power cut.
    pub fn cut(&self, dice: &mut Dice) -> Self {
        let mut left = Vec::new();
        self.cut_node(0, dice, &mut left);
        Self(left)
    }

    fn cut_node(&self, node: usize, dice: &mut Dice, left: &mut Vec<Arc<Node>>) -> usize {
        let at = left.len();
        match &*self.0[node] {
            Node::File { live, safe } => {
                let bytes = torn(live, safe, dice);
                let (live, safe) = (bytes.clone(), bytes);
                left.push(Node::File { live, safe }.into());
            }
            Node::Folder { safe, since, .. } => {
                left.push(folder(Names::new()).into());
                let names = survivors(safe, since, dice);
                let names = names.into_iter();
                let names = names.map(|(name, node)| (name, self.cut_node(node, dice, left)));
                let names: Names = names.collect();
                left[at] = folder(names).into();
            }
        }
        at
    }

    fn find(&self, path: &Path) -> io::Result<usize> {
        let mut at = 0;
        for part in path.components().skip(1) {
            let Node::Folder { live, .. } = &*self.0[at] else {
                return Err(io::ErrorKind::NotADirectory.into());
            };
            let name = part.as_os_str().to_str().unwrap();
            at = *live.get(name).ok_or(io::ErrorKind::NotFound)?;
        }
        Ok(at)
    }

    /// Changes the name of what has it in the folder of `path`.
    fn change(&mut self, path: &Path, node: usize, change: Change) -> io::Result<()> {
        let folder = self.find(path.parent().unwrap())?;
        let Node::Folder { live, since, .. } = Arc::make_mut(&mut self.0[folder]) else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        apply(live, node, &change);
        since.push((node, change));
        Ok(())
    }

    fn make(&mut self, path: &Path, node: Node) -> io::Result<()> {
        self.0.push(node.into());
        self.change(path, self.0.len() - 1, Change::Made(name(path)))
    }
}

fn name(path: &Path) -> Arc<str> {
    path.file_name().unwrap().to_str().unwrap().into()
}

fn apply(names: &mut Names, node: usize, change: &Change) {
    let (gone, made) = match change {
        Change::Made(name) => (None, Some(name)),
        Change::Removed(name) => (Some(name), None),
        Change::Renamed(from, to) => (Some(from), Some(to)),
    };
    if let Some(name) = gone.filter(|name| names.get(*name) == Some(&node)) {
        names.remove(name);
    }
    if let Some(name) = made {
        names.insert(name.clone(), node);
    }
}

/// The names after a cut: of what was done to each file, the first few steps.
fn survivors(safe: &Names, since: &[(usize, Change)], dice: &mut Dice) -> Names {
    // Often all or nothing, so that cuts far apart meet too.
    let mood = dice.below(4);
    let mut n_left = BTreeMap::<usize, usize>::new();
    for (node, _) in since {
        *n_left.entry(*node).or_default() += 1;
    }
    for n in n_left.values_mut() {
        *n = match mood {
            0 => 0,
            1 => *n,
            _ => dice.below(*n + 1),
        };
    }
    let mut names = safe.clone();
    for (node, change) in since {
        let n = n_left.get_mut(node).unwrap();
        if *n > 0 {
            *n -= 1;
            apply(&mut names, *node, change);
        }
    }
    names
}

/// A file's bytes after a cut.
fn torn(live: &Arc<Vec<u8>>, safe: &Arc<Vec<u8>>, dice: &mut Dice) -> Arc<Vec<u8>> {
    match dice.below(4) {
        _ if live == safe => live.clone(),
        0 => safe.clone(),
        1 => live.clone(),
        _ => {
            let appended = live.starts_with(safe);
            let kept = if appended { safe.len() } else { 0 };
            let mut bytes = live[..kept + dice.below(live.len() - kept + 1)].to_vec();
            if dice.one_in(2) {
                let from = kept + dice.below(bytes.len() - kept + 1);
                let to = from + dice.below(bytes.len() - from + 1);
                let garbage = [0, 0xff, b'\n', b'7'][dice.below(4)];
                bytes[from..to].fill(garbage);
            }
            Arc::new(bytes)
        }
    }
}

/// Who holds a lock as long as it lives, and whether others may too.
type Holder = (Weak<()>, bool);

/// A disk in memory.
#[derive(Debug, Default)]
pub struct SimDisk {
    state: Mutex<State>,
    /// States after every call that changed something, where they are recorded.
    history: Mutex<Option<Vec<State>>>,
    /// Calls until every one fails, as if the process were killed.
    left: Mutex<Option<usize>>,
    locks: Mutex<BTreeMap<PathBuf, Vec<Holder>>>,
}

impl SimDisk {
    pub fn new(state: State) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(state),
            ..Self::default()
        })
    }

    pub fn state(&self) -> State {
        self.state.lock().unwrap().clone()
    }

    pub fn record(&self) {
        *self.history.lock().unwrap() = Some(Vec::new());
    }

    pub fn take_history(&self) -> Vec<State> {
        let mut history = self.history.lock().unwrap();
        history.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// From the n-th call on, every one fails; `None`: none does.
    pub fn kill_after(&self, n: Option<usize>) {
        *self.left.lock().unwrap() = n;
    }

    fn step(&self) -> io::Result<MutexGuard<'_, State>> {
        if let Some(left) = self.left.lock().unwrap().as_mut() {
            *left = left.checked_sub(1).ok_or(io::ErrorKind::Other)?;
        }
        Ok(self.state.lock().unwrap())
    }

    fn done(&self, state: MutexGuard<'_, State>) -> io::Result<()> {
        if let Some(history) = self.history.lock().unwrap().as_mut() {
            history.push(state.clone());
        }
        Ok(())
    }

    fn put(&self, path: &Path, bytes: &[u8], keep: bool) -> io::Result<()> {
        let mut state = self.step()?;
        match state.find(path) {
            Ok(at) => {
                let Node::File { live, .. } = Arc::make_mut(&mut state.0[at]) else {
                    return Err(io::ErrorKind::IsADirectory.into());
                };
                let mut all = if keep { live.to_vec() } else { Vec::new() };
                all.extend_from_slice(bytes);
                *live = Arc::new(all);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (live, safe) = (Arc::new(bytes.to_vec()), Arc::default());
                state.make(path, Node::File { live, safe })?;
            }
            Err(error) => return Err(error),
        }
        self.done(state)
    }

    fn drop_name(&self, path: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        let node = state.find(path)?;
        if matches!(&*state.0[node], Node::Folder { live, .. } if !live.is_empty()) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.change(path, node, Change::Removed(name(path)))?;
        self.done(state)
    }

    fn sync_node(&self, path: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        let at = state.find(path)?;
        match Arc::make_mut(&mut state.0[at]) {
            Node::File { live, safe } => *safe = live.clone(),
            Node::Folder { live, safe, since } => {
                *safe = live.clone();
                since.clear();
            }
        }
        self.done(state)
    }
}

impl Disk for SimDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.step()?;
        match &*state.0[state.find(path)?] {
            Node::File { live, .. } => Ok(live.to_vec()),
            Node::Folder { .. } => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.step()?;
        Ok(match &*state.0[state.find(path)?] {
            Node::File { live, .. } => Stat::File(live.len() as u64),
            Node::Folder { .. } => Stat::Folder,
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let state = self.step()?;
        match &*state.0[state.find(folder)?] {
            Node::File { .. } => Err(io::ErrorKind::NotADirectory.into()),
            Node::Folder { live, .. } => Ok(live.keys().map(|name| name.to_string()).collect()),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.put(path, bytes, false)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.put(path, bytes, true)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.sync_node(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.sync_node(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        assert_eq!(from.parent(), to.parent(), "renames stay in their folder");
        let mut state = self.step()?;
        let node = state.find(from)?;
        state.change(to, node, Change::Renamed(name(from), name(to)))?;
        self.done(state)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.drop_name(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        if state.find(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.make(path, folder(Names::new()))?;
        self.done(state)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        self.drop_name(folder)
    }

    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock> {
        match hold {
            Hold::Alone(text) => self.put(path, text.as_bytes(), false)?,
            _ => drop(self.stat(path)?),
        }
        let is_shared = matches!(hold, Hold::ToRead);
        let mut locks = self.locks.lock().unwrap();
        let holders = locks.entry(path.to_owned()).or_default();
        holders.retain(|(holder, _)| holder.strong_count() > 0);
        if holders.iter().any(|(_, shared)| !(is_shared && *shared)) {
            return Ok(Lock::Busy);
        }
        let guard = Arc::new(());
        holders.push((Arc::downgrade(&guard), is_shared));
        Ok(Lock::Held(Box::new(guard)))
    }
}
