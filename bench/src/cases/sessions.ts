import type { Bench } from '../bench-case.ts'
import { measureInRounds } from '../measure.ts'
import { presentStores, type StoreKind } from '../servers/index.ts'
import { measurePauses } from '../sessions/measure-pause.ts'
import { openSessions, type Sessions } from '../sessions/open-sessions.ts'
import { RESULT_CHARS, WAIT_PROMPT } from '../sessions/working-agent.ts'
import { formatTable } from '../table.ts'

const MEGABYTES = [0, 1, 4, 16]
/** Maximum ratio of the cost of the last size to that of the first. */
const ALLOWED_GROWTH = 1.3
/** Maximum ratio of bytes to the store for twice the steps, and to the size of the state. */
const STEPS = [10, 20, 40, 80]
const ALLOWED_DOUBLING = 2.1
const ALLOWED_SHARE = 1.5
const RETURNING = 100
const ALLOWED_PAUSE_MS = 20
const LISTED = 50
/** The listed sessions with a long conversation; the set-up of each with 16 MB takes 3 s of CPU. */
const LONG = 8
/** More samples than usual: a read waits for the server process, so its load affects the figure. */
const READ_CARE = { samples: 15, sampleMs: 100 }

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
      const works = opened.map((sessions, at) => async () => {
        const response = await sessions.get(paths[at]?.[name] ?? '')
        return response.text()
      })
      const rounds = await measureInRounds(works, READ_CARE)
      const least = works.map((_, at) => Math.min(...rounds.map((round) => round[at] ?? NaN)))
      const growth = middle(rounds.map((round) => (round.at(-1) ?? NaN) / (round[0] ?? NaN)))
      rows.push([name, ...least.map((ms) => (ms * 1_000).toFixed(0)), growth.toFixed(2)])
      if (!(growth <= ALLOWED_GROWTH))
        faults.push(`${kind.title}: a ${name} costs ${growth.toFixed(2)} times as much`)
    }
  } finally {
    for (const sessions of opened) await sessions.close()
  }
  return `sessions, ${kind.title}: reads, by the length of the conversation\n${formatTable(rows)}`
}

/** Fills a store with long sessions of this size and enough empty ones for a list, and returns the paths to read. */
async function fillSessions(
  sessions: Sessions,
  session: string,
  megabytes: number,
): Promise<Readonly<Record<string, string>>> {
  const steps = Math.round((megabytes * 1_000_000) / RESULT_CHARS)
  await sessions.work(session, steps)
  for (let other = 1; other < LISTED; other++)
    await sessions.work(idOf(100 + other), other < LONG ? steps : 0)
  const { tail } = (await (await sessions.get(`/agent/${session}`)).json()) as { tail: number }
  return {
    reconnect: `/agent/${session}/stream?cursor=${tail}`,
    look: `/agent/${session}`,
    list: `/agent/sessions?limit=${LISTED}`,
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
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
    const path = `/agent/${session}/stream?cursor=${tail}`
    const pauses = await measurePauses({ sessions, path, readers: RETURNING })
    const { first, worst, judged, interruptions } = pauses
    await waiting.body?.cancel()
    if (!(worst <= ALLOWED_PAUSE_MS))
      faults.push(`${kind.title}: the event loop pauses for ${worst.toFixed(1)} ms`)
    const figures = `${worst.toFixed(1)} ms in the worst of ${judged} rounds, each with at most ${interruptions} interruptions by others; ${first.toFixed(1)} ms in the first round, with uncompiled code`
    return `sessions, ${kind.title}: ${RETURNING} readers return to a run of 4 MB, longest pause of the event loop ${figures}`
  } finally {
    await sessions.close()
  }
}
