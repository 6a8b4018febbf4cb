import type { Seeded } from '../seeded.ts'
import type { SeenFrame } from '../mill/follow-session.ts'

/** A session of a tree, as a client knows it. */
export interface KnownSession {
  readonly session: string
  /** Every frame that a client has read, that of id 1 first. */
  frames: readonly string[]
  isDeleted: boolean
}

/** What a tree does to its server; each request is repeated until a server has answered it. */
export interface ForkActs {
  /** Asks, and resolves when the run has ended. */
  readonly ask: (session: string, prompt: string) => Promise<void>
  /** Forks after the nearest place up to a frame; resolves with the last shared frame. */
  readonly fork: (session: string, upTo: number, to: string) => Promise<number>
  readonly remove: (session: string) => Promise<void>
  readonly read: (session: string) => Promise<readonly SeenFrame[]>
}

/** What has come of a tree. */
export interface ForkTally {
  forks: number
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
    tree.push({ session, frames: await readFrames(acts, session), isDeleted: false })
  }
  const compare = async (one: KnownSession): Promise<void> => {
    const frames = await readFrames(acts, one.session)
    const isKept = one.frames.every((line, index) => frames[index] === line)
    if (!isKept) tally.faults.push(`session ${one.session} has lost or changed frames`)
    one.frames = frames
  }
  await plant()
  for (let step = 0; step < STEPS; step++) {
    const living = tree.filter(({ isDeleted }) => !isDeleted)
    const one = living[random.below(living.length)]
    if (one === undefined) break
    const act = random.below(10)
    if (act < 6) {
      const to = crypto.randomUUID()
      const shared = await acts.fork(one.session, random.below(one.frames.length + 1), to)
      tally.forks++
      const branch = { session: to, frames: one.frames.slice(0, shared), isDeleted: false }
      await compare(branch)
      tree.push(branch)
    } else if (act < 8 || living.length === 1) {
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

async function readFrames(acts: ForkActs, session: string): Promise<readonly string[]> {
  const frames = await acts.read(session)
  const hole = frames.findIndex(({ id }, index) => id !== index + 1)
  if (hole >= 0) throw new Error(`Session ${session} has no frame ${hole + 1}.`)
  return frames.map(({ data }) => data)
}
