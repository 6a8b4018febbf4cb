import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Part, Store } from '../../../src/stores/port/index.ts'

/** A session as stored by the servers before the agent port. */
export interface OlderSession {
  readonly kind: string
  readonly session: string
  readonly head: string
  readonly tail: number
  readonly lines: readonly string[]
  readonly parts: readonly Part[]
}

const path = '../../fixtures/before-agent-port/sessions.json.gz'

/** The sessions that the servers before the agent port stored. */
export const olderSessions = JSON.parse(
  gunzipSync(readFileSync(new URL(path, import.meta.url))).toString(),
) as readonly OlderSession[]

/** Finds the session of a kind. */
export function find(kind: string): OlderSession {
  const found = olderSessions.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} session in the fixture.`)
  return found
}

/** Writes a session into a store. The lease of a current run has expired. */
export async function putOlder(store: Store, older: OlderSession): Promise<void> {
  const { session, head, parts } = older
  const isRunning = head.includes('"status":"running"')
  const owner = 'older'
  const { log, epoch } = await store.open(session, { owner, ms: 60_000 }, 0)
  const lines = older.lines.map((line) => new TextEncoder().encode(line))
  const lease = isRunning ? {} : { lease: 'release' as const }
  await store.append({ session, log, epoch, tail: 0, lines, head, parts, ...lease })
  if (isRunning) await store.renew(session, epoch, { owner, ms: 0 }, log)
}
