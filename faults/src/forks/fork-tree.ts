import type { Seeded } from '../seeded.ts'
import type { SeenFrame } from '../mill/follow-session.ts'

/** Number of runs that the servers keep in the log of each session. */
export const KEPT_RUNS = 2

/** A log as a client has read it. */
export interface ReadLog {
  /** The first frame that the server still has. */
  readonly earliest: number
  readonly frames: readonly SeenFrame[]
}

/** A session of a tree, as a client has read it. */
export interface KnownSession {
  readonly session: string
  earliest: number
  /** The frames from the earliest on. */
  frames: readonly string[]
  isDeleted: boolean
}

/** The operations of a tree on its server. Each request is repeated until a server has responded. */
export interface ForkActs {
  /** Sends a prompt, and resolves when the run has ended; the server then trims the log. */
  readonly ask: (session: string, prompt: string) => Promise<void>
  /** Forks at the nearest valid frame up to a frame; resolves with the last shared frame. */
  readonly fork: (session: string, upTo: number, to: string) => Promise<number>
  readonly remove: (session: string) => Promise<void>
  readonly read: (session: string) => Promise<ReadLog>
}

/** The result of a tree. */
export interface ForkTally {
  forks: number
  /** The number of logs that were trimmed since they were last read. */
  trims: number
  deletions: number
  faults: string[]
}

const STEPS = 12

/** Grows a tree of sessions at random, and compares each session with its parent up to the fork. */
export async function growTree(acts: ForkActs, random: Seeded, tally: ForkTally): Promise<void> {
  const tree: KnownSession[] = []
  const plant = async (): Promise<void> => {
    const session = crypto.randomUUID()
    await acts.ask(session, 'grind')
    tree.push({ session, ...(await readWhole(acts, session)), isDeleted: false })
  }
  const compare = async (one: KnownSession): Promise<void> => {
    const log = await readWhole(acts, one.session)
    const fault = findFault(one, log)
    if (fault !== undefined) tally.faults.push(`session ${one.session} ${fault}`)
    if (log.earliest > one.earliest) tally.trims++
    Object.assign(one, log)
  }
  const branch = async (parent: KnownSession): Promise<void> => {
    const { session, earliest, frames } = parent
    const to = crypto.randomUUID()
    const upTo = earliest - 1 + random.below(frames.length + 1)
    const shared = await acts.fork(session, upTo, to)
    tally.forks++
    // Its parent may have been trimmed since it was read.
    const log = await readWhole(acts, to)
    const known = frames.slice(log.earliest - earliest, shared - earliest + 1)
    if (known.some((line, index) => log.frames[index] !== line))
      tally.faults.push(`branch ${to} differs from its parent`)
    tree.push({ session: to, ...log, isDeleted: false })
  }
  await plant()
  for (let step = 0; step < STEPS; step++) {
    const living = tree.filter(({ isDeleted }) => !isDeleted)
    const one = living[random.below(living.length)]
    if (one === undefined) break
    const act = random.below(10)
    if (act < 4) await branch(one)
    else if (act < 8 || living.length === 1) {
      await acts.ask(one.session, 'ask')
      await compare(one)
    } else {
      await acts.remove(one.session)
      tally.deletions++
      one.isDeleted = true
    }
  }
  for (const one of tree) if (!one.isDeleted) await compare(one)
}

/** Finds changes of a log other than added frames and whole trimmed runs. */
function findFault(known: KnownSession, log: Pick<KnownSession, 'earliest' | 'frames'>) {
  const dropped = log.earliest - known.earliest
  if (dropped < 0) return 'has frames again that were dropped'
  const kept = known.frames.slice(dropped)
  if (kept.some((line, index) => log.frames[index] !== line)) return 'has lost or changed frames'
  const runs = log.frames.filter((line) => line.startsWith('{"type":"meta_init"')).length
  return dropped > 0 && runs < KEPT_RUNS ? 'has lost runs that are kept' : undefined
}

async function readWhole(
  acts: ForkActs,
  session: string,
): Promise<Pick<KnownSession, 'earliest' | 'frames'>> {
  const { earliest, frames } = await acts.read(session)
  const hole = frames.findIndex(({ id }, index) => id !== earliest + index)
  if (hole >= 0) throw new Error(`Session ${session} has no frame ${earliest + hole}.`)
  return { earliest, frames: frames.map(({ data }) => data) }
}
