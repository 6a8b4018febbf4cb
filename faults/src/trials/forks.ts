import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ForkActs,
  type ForkTally,
  growTree,
  KEPT_RUNS,
  type ReadLog,
} from '../forks/fork-tree.ts'
import { post } from '../mill/ask.ts'
import type { SeenFrame } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readAnswer } from '../mill/read-answer.ts'
import { withStand } from '../mill/with-stand.ts'
import { chooseSeed, createSeeded } from '../seeded.ts'
import { onEachPlace, type StorePlace } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const TREES = 334
const SHORT_TREES = 2
/** The lifetime of a server before it is killed. */
const LIFE_MS = 4_000
const RETRY_MS = 100
/** A server that needs more attempts than this to return has lost data. */
const MAX_TRIES = 300

/** Sessions are forked, continued, trimmed and deleted while their servers die. */
export const forks: Trial = {
  name: 'forks',
  summary:
    'trees of branches that are forked, continued, trimmed and deleted while servers die (kill -9)',
  elsewhere: 'the branch tests of each store',
  run: (options) => onEachPlace(options, (place) => forkOn(place, options)),
}

function forkOn(
  { store, servers, where }: StorePlace,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const total = isShort ? SHORT_TREES : TREES
  const seed = chooseSeed()
  const stand = { store, tokensPerSecond: 20_000, keepRuns: KEPT_RUNS }
  return withStand(stand, async ({ startMill }) => {
    const mills = await Promise.all(Array.from({ length: servers }, startMill))
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    let kills = 0
    const killing = killInTurn(mills, startMill, { signal: stop, onKill: () => kills++ })
    const tally: ForkTally = { forks: 0, trims: 0, deletions: 0, faults: [] }
    try {
      const random = createSeeded(seed)
      for (let tree = 1; tree <= total; tree++) {
        signal.throwIfAborted()
        await growTree(createActs(mills, stop), random, tally)
        onProgress(tree, total, `trees on ${where}`)
      }
    } finally {
      over.abort()
      await killing
    }
    return {
      what: `${total} trees of branches, servers killed meanwhile (seed ${seed})`,
      where,
      figures: `${tally.forks} forks, ${tally.trims} logs trimmed, ${tally.deletions} deletions, ${kills} kills, ${tally.faults.length} sessions changed`,
      bound: '0',
      faults: tally.faults,
    }
  })
}

/** Kills the servers one after the other, and starts another in the place of each. */
async function killInTurn(
  mills: Mill[],
  start: () => Promise<Mill>,
  { signal, onKill }: { readonly signal: AbortSignal; readonly onKill: () => void },
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await sleep(LIFE_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const at = turn % mills.length
    await mills[at]?.kill()
    onKill()
    mills[at] = await start()
  }
}

/** Requests that are repeated, under the same keys, until a server has responded. */
function createActs(mills: readonly Mill[], signal: AbortSignal): ForkActs {
  let turn = 0
  const insist = async <Answer>(
    request: (mill: Mill) => Promise<Response>,
    take: (response: Response) => Promise<Answer>,
  ): Promise<Answer> => {
    let reason: unknown
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      signal.throwIfAborted()
      const mill = mills[turn++ % mills.length]
      try {
        const response = mill && (await request(mill))
        if (response !== undefined && response.status < 500) return await take(response)
        reason = await response?.text()
      } catch (error) {
        if (error instanceof ForkRefused) throw error
        reason = error
      }
      await sleep(RETRY_MS)
    }
    throw new Error(`A request was not answered: ${String(reason)}`)
  }
  const fork: ForkActs['fork'] = (session, after, to) =>
    insist(
      (mill) => post(mill, `/agent/${session}/fork`, { after, branch_uuid: to }),
      async (response) => {
        const answer = (await response.json()) as {
          readonly after?: number
          readonly error?: Refusal
        }
        if (answer.after !== undefined && response.ok) return answer.after
        const { before = null, after: next = null, earliest = 0 } = answer.error ?? {}
        // The frame is no valid fork point, or was trimmed meanwhile: the nearest earlier one is used, or the first remaining one.
        const place = before ?? next ?? earliest - 1
        if (place >= 0 && place !== after) return fork(session, place, to)
        throw new ForkRefused(JSON.stringify(answer))
      },
    )
  return {
    fork,
    ask: (session, user_prompt) => {
      const body = { agent_uuid: session, user_prompt, message_id: crypto.randomUUID() }
      return insist(
        (mill) => post(mill, '/agent/run?compact=0', body),
        async (response) => void (await readAnswer(response)),
      )
    },
    remove: (session) =>
      insist(
        (mill) => fetch(`${mill.url}/agent/${session}`, { method: 'DELETE' }),
        async (response) => response.body?.cancel(),
      ),
    read: (session) =>
      readLog((cursor) =>
        insist<number | readonly SeenFrame[]>(
          (mill) => fetch(`${mill.url}/agent/${session}/stream?cursor=${cursor}&compact=0`),
          (response) => (response.status === 410 ? readEarliest(response) : readAnswer(response)),
        ),
      ),
  }
}

/** Reads a log from its first frame on: a request for an earlier one is answered with its id. */
async function readLog(
  read: (cursor: number) => Promise<number | readonly SeenFrame[]>,
): Promise<ReadLog> {
  for (let cursor = 0; ;) {
    const frames = await read(cursor)
    if (typeof frames !== 'number') return { earliest: cursor + 1, frames }
    cursor = frames - 1
  }
}

/** The error of a rejected request. */
interface Refusal {
  readonly code: string
  /** The nearest frames at which a session can be forked. */
  readonly before?: number | null
  readonly after?: number | null
  readonly earliest?: number
}

/** Reads the first frame that a trimmed log still has. */
async function readEarliest(response: Response): Promise<number> {
  const { error } = (await response.json()) as { readonly error: Refusal }
  if (error.code === 'cursor_trimmed' && error.earliest !== undefined) return error.earliest
  throw new ForkRefused(JSON.stringify(error))
}

/** A fork was permanently refused. */
class ForkRefused extends Error {}
