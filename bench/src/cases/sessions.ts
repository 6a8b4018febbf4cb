import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Bench } from '../bench-case.ts'
import { measureInTurns, thorough } from '../measure.ts'
import { presentStores, type StoreKind } from '../servers/index.ts'
import { openSessions, type Sessions } from '../sessions/open-sessions.ts'
import { RESULT_CHARS, WAIT_PROMPT } from '../sessions/working-agent.ts'
import { formatTable } from '../table.ts'

/** Maximum ratio of the cost of the last size to that of the first. */
const MEGABYTES = [0, 1, 4, 16]
const ALLOWED_GROWTH = 1.3
/** Maximum ratio of bytes to the store for twice the steps, and to the size of the state. */
const STEPS = [10, 20, 40, 80]
const ALLOWED_DOUBLING = 2.1
const ALLOWED_SHARE = 1.5
const RETURNING = 100
const ALLOWED_PAUSE_MS = 20
const LISTED = 50
/** More samples than usual: a read waits for the server process, so its load affects the figure. */
const READ_CARE = { ...thorough, samples: 15 }
/** The median of this many samples is bounded: uncompiled code and collections add to some pauses. */
const ROUNDS = 8
const SETTLE_MS = 20

const idOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Measures sessions by the length of their conversations: the cost of a reader, a state request, a list and a step. */
export const sessionsBench: Bench = {
  name: 'sessions',
  run: async (onProgress) => {
    const faults: string[] = []
    const texts: string[] = []
    for (const kind of presentStores) {
      onProgress(`sessions: ${kind.title}, reads`)
      texts.push(await measureReads(kind, faults))
      onProgress(`sessions: ${kind.title}, steps`)
      texts.push(await measureSteps(kind, faults))
      onProgress(`sessions: ${kind.title}, readers that return`)
      texts.push(await measureReturn(kind, faults))
    }
    return { text: texts.join('\n\n'), faults }
  },
}

async function measureReads(kind: StoreKind, faults: string[]): Promise<string> {
  const rows: string[][] = [['CPU µs', ...MEGABYTES.map((size) => `${size} MB`), 'last : first']]
  const opened: Sessions[] = []
  try {
    const paths: Readonly<Record<string, string>>[] = []
    for (const [number, size] of MEGABYTES.entries()) {
      const sessions = await openSessions(kind)
      opened.push(sessions)
      paths.push(await fillSessions(sessions, idOf(number), size))
    }
    for (const name of Object.keys(paths[0] ?? {})) {
      const found = await measureInTurns(
        opened.map((sessions, at) => async () => {
          const response = await sessions.get(paths[at]?.[name] ?? '')
          return response.text()
        }),
        READ_CARE,
      )
      const growth = (found.at(-1) ?? NaN) / (found[0] ?? NaN)
      rows.push([name, ...found.map((ms) => (ms * 1_000).toFixed(0)), growth.toFixed(2)])
      if (!(growth <= ALLOWED_GROWTH))
        faults.push(`${kind.title}: a ${name} costs ${growth.toFixed(2)} times as much`)
    }
  } finally {
    for (const sessions of opened) await sessions.close()
  }
  return `sessions, ${kind.title}: reads, by the length of the conversation\n${formatTable(rows)}`
}

/** Fills a store with one session of this size and enough small ones for a list, and returns the paths to read. */
async function fillSessions(
  sessions: Sessions,
  session: string,
  megabytes: number,
): Promise<Readonly<Record<string, string>>> {
  await sessions.work(session, Math.round((megabytes * 1_000_000) / RESULT_CHARS))
  for (let other = 1; other < LISTED; other++) await sessions.work(idOf(100 + other), 0)
  const { tail } = (await (await sessions.get(`/agent/${session}`)).json()) as { tail: number }
  return {
    reconnect: `/agent/${session}/stream?cursor=${tail}`,
    look: `/agent/${session}`,
    list: `/agent/sessions?limit=${LISTED}`,
  }
}

async function measureSteps(kind: StoreKind, faults: string[]): Promise<string> {
  const rows: string[][] = [['steps', 'bytes to the store', 'state', 'share', 'growth']]
  let before: number | undefined
  for (const steps of STEPS) {
    const sessions = await openSessions(kind)
    try {
      await sessions.work(idOf(1), steps)
      const bytes = sessions.takeBytes()
      const state = await sizeOfState(sessions, idOf(1))
      const share = bytes / state
      const growth = before === undefined ? undefined : bytes / before
      before = bytes
      rows.push([
        String(steps),
        String(bytes),
        String(state),
        share.toFixed(2),
        growth?.toFixed(2) ?? '',
      ])
      if (!(share <= ALLOWED_SHARE))
        faults.push(`${kind.title}: ${steps} steps hand over ${share.toFixed(2)} times the state`)
      if (growth !== undefined && !(growth <= ALLOWED_DOUBLING))
        faults.push(`${kind.title}: twice the steps hand over ${growth.toFixed(2)} times as much`)
    } finally {
      await sessions.close()
    }
  }
  return `sessions, ${kind.title}: bytes to the store, frames apart, results of ${RESULT_CHARS} characters\n${formatTable(rows)}`
}

async function sizeOfState(sessions: Sessions, session: string): Promise<number> {
  const response = await sessions.get(`/agent/${session}/conversations?limit=1`)
  const { conversations } = (await response.json()) as { conversations: { messages: unknown }[] }
  return JSON.stringify(conversations[0]?.messages).length
}

async function measureReturn(kind: StoreKind, faults: string[]): Promise<string> {
  const sessions = await openSessions(kind)
  try {
    const session = idOf(1)
    await sessions.work(session, 4_000_000 / RESULT_CHARS)
    const waiting = await sessions.post('/agent/run', {
      agent_uuid: session,
      user_prompt: WAIT_PROMPT,
    })
    const { tail } = (await (await sessions.get(`/agent/${session}`)).json()) as { tail: number }
    const pauses: number[] = []
    for (let round = 0; round < ROUNDS; round++)
      pauses.push(await measurePause(sessions, `/agent/${session}/stream?cursor=${tail}`))
    await waiting.body?.cancel()
    pauses.sort((a, b) => a - b)
    const [least = NaN, median = NaN, worst = NaN] = [0, ROUNDS / 2, -1].map((at) => pauses.at(at))
    if (!(median <= ALLOWED_PAUSE_MS))
      faults.push(`${kind.title}: the event loop pauses for ${median.toFixed(1)} ms`)
    const figures = `${least.toFixed(1)} ms in the best of ${ROUNDS} rounds, ${median.toFixed(1)} ms in the median, ${worst.toFixed(1)} ms in the worst`
    return `sessions, ${kind.title}: ${RETURNING} readers return to a run of 4 MB, longest pause of the event loop ${figures}`
  } finally {
    await sessions.close()
  }
}

/**
 * The longest pause of the event loop while many readers connect at once, in milliseconds: by the clock, or by the CPU of its longest turn
 * if that is less. Other work on the machine adds to the first, other threads of this process to the second.
 */
async function measurePause(sessions: Sessions, path: string): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let longest = 0
  let isOver = false
  let last = process.cpuUsage()
  const turn = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.cpuUsage()
    if (!isOver) setImmediate(turn)
  }
  delay.enable()
  turn()
  const readers = await Promise.all(Array.from({ length: RETURNING }, () => sessions.get(path)))
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  isOver = true
  delay.disable()
  await Promise.all(readers.map(async (response) => response.body?.cancel()))
  return Math.min(longest, delay.max / 1_000_000)
}
