import { createAgent } from 'millrace/agent'
import { createHandler, type SessionInfo, type Store } from 'millrace/server'
import { post } from '../mill/ask.ts'
import { type Followed, followSession, type SeenFrame } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import type { OpenModel } from '../mill/open-model.ts'
import { readLog } from '../mill/read-logs.ts'
import type { MillGroup } from './mill-group.ts'

/** The position of a run when a frame is read. */
export interface Standing {
  readonly kills: number
  /** The last frame of the log at the last death of a server; 0 before that. */
  readonly since: number
  /** Whether a server is already being killed. */
  readonly isDying: boolean
}

/** The plan for killing the servers of a run. */
export interface KillPlan {
  /** The numbers of frames that each of the first two servers stores before it dies. */
  readonly afterStored?: number
  /** Returns whether the server of the run is killed now that a reader has received a frame. */
  readonly isDue?: (frame: SeenFrame, standing: Standing) => boolean
  /** Whether the reader prefers a server that does not have the run. */
  readonly isReadElsewhere?: boolean
}

/** A run that has ended despite the kills of its servers. */
export interface KilledRun {
  readonly session: string
  readonly followed: Followed
  /** The number of servers that died during the run, each after it had stored a frame of it. */
  readonly kills: number
  /** The number of model calls. */
  readonly requests: number
  readonly info: SessionInfo
  /** The lines of the log, that of id 1 first. */
  readonly log: readonly string[]
  /** The history of the run. */
  readonly conversation: string
}

const RUN_LIMIT_MS = 60_000

/** The options of a killed run. */
export interface KilledRunOptions {
  readonly group: MillGroup
  /** A prompt that no other run of this group has. */
  readonly model: OpenModel
  readonly plan: KillPlan
  readonly signal: AbortSignal
}

/** Executes a run to its end while its servers are killed. */
export async function runWithKills({
  group,
  model,
  plan,
  signal,
}: KilledRunOptions): Promise<KilledRun> {
  const session = crypto.randomUUID()
  const before = model.requests()
  const lead = await group.ready()
  const limit = AbortSignal.any([signal, group.broken, AbortSignal.timeout(RUN_LIMIT_MS)])
  const killer = createKiller({ group, lead, session, plan })
  try {
    if (plan.afterStored !== undefined) group.arm(lead, plan.afterStored, plan.afterStored)
    await ask(lead, session)
    const { seen, done } = followSession({
      session,
      chooseMill: () => choose(group.living(), lead, plan),
      signal: limit,
      onFrame: killer.see,
    })
    const followed = await done.catch((cause: unknown) => {
      const received = `${seen().frames.length} frames after ${killer.kills()} kills`
      throw new Error(`The run of ${session} was not read to its end, but ${received}.`, { cause })
    })
    await killer.finish()
    group.disarm()
    // Waits for deaths that are not recorded yet.
    await group.ready()
    const requests = model.requests() - before
    return { session, followed, kills: killer.kills(), requests, ...(await lookAt(group, session)) }
  } finally {
    killer.stop()
  }
}

/** Sends a prompt to a server that may die before it responds. */
async function ask(mill: Mill, session: string): Promise<void> {
  try {
    const response = await post(mill, '/agent/run', { agent_uuid: session, user_prompt: 'grind' })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`A run was refused with ${response.status}.`)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    await mill.gone
  }
}

function choose(living: readonly Mill[], lead: Mill, plan: KillPlan): Mill | undefined {
  const isFirstLead = plan.isReadElsewhere !== true
  return living.find((mill) => (mill === lead) === isFirstLead) ?? living[0]
}

interface KillerOptions extends Pick<KilledRunOptions, 'group' | 'plan'> {
  readonly lead: Mill
  readonly session: string
}

/** Kills the server of a run when it is due, and counts the deaths. */
function createKiller({ group, lead, session, plan }: KillerOptions) {
  const { isDue = () => false } = plan
  let kills = 0
  let since = 0
  let killing: Promise<void> | undefined

  const stop = group.onDeath(async (store) => {
    const info = await store.info(session)
    if (info === undefined) return
    // A run that has ended is not taken over; with two servers, the other may have ended it already.
    if (info.lease !== undefined || info.epoch > kills + 1) kills++
    since = info.tail
  })

  const kill = async (): Promise<void> => {
    const owner = await group.ownerOf(session)
    owner?.signal('SIGKILL')
    await owner?.gone
  }

  return {
    kills: () => kills,
    stop,
    see: (frame: SeenFrame): void => {
      const isDying = killing !== undefined
      if (!isDue(frame, { kills, since, isDying }) || isDying) return
      // The first server is known, and dies in the middle of its work.
      if (kills === 0) lead.signal('SIGKILL')
      killing = (kills === 0 ? lead.gone : kill()).finally(() => (killing = undefined))
    },
    finish: async () => killing,
  }
}

/** Reads the newest run of a history like a client, by a server without runs. */
async function readNewestRun(store: Store, session: string): Promise<string> {
  const stream = (): never => {
    throw new Error('Nothing is run here.')
  }
  const nobody = createAgent({ name: 'nobody', model: { id: 'none', stream } })
  const handler = createHandler({
    agents: { nobody },
    defaultAgent: 'nobody',
    store,
    recovers: false,
  })
  try {
    const path = `/agent/${session}/conversations?limit=1`
    const response = await handler.fetch(new Request(`http://localhost${path}`))
    const { conversations = [] } = (await response.json()) as { conversations?: readonly unknown[] }
    return JSON.stringify(conversations[0] ?? {})
  } finally {
    await handler.close()
  }
}

function lookAt(
  group: MillGroup,
  session: string,
): Promise<Pick<KilledRun, 'info' | 'log' | 'conversation'>> {
  return group.look(async (store) => {
    const info = await store.info(session)
    if (info === undefined) throw new Error(`There is no session ${session}.`)
    const log = await readLog(store, session)
    return { info, log, conversation: await readNewestRun(store, session) }
  })
}
