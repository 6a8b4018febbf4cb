import type { AgentState } from '../../agent/index.ts'
import { createEnvelopeWriter } from '../../exit/index.ts'
import {
  blockKey,
  canBeInterrupted,
  decodeEnvelope,
  encodeEnvelope,
  type Envelope,
  traitsOf,
} from '../../envelope/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import type { StoredSession } from '../sessions/session-record.ts'

const PAGE = 256
const REASON = 'The server stopped in the middle of this step; it is made again.'

/** What a process that died has left in a log after the last state it stored. */
export interface LogRepair {
  /** Close blocks that are open. */
  readonly closing: readonly Uint8Array[]
  /** The same, and take back what was shown of steps, to be stored where they are made again. */
  readonly lines: readonly Uint8Array[]
  /** Whether the run had failed already and only its end is missing. */
  readonly hasFailed: boolean
  /** The ids of calls in that part of the log, by agent: readers may have seen them. [CALL-1] */
  readonly callIds: ReadonlyMap<string, readonly string[]>
}

/** What one agent has shown since the last state. */
interface Shown {
  /** The messages that hold a block open, by its key. */
  readonly open: Map<string, Envelope>
  /** Whether anything would stand twice if the step were made again. */
  isVoid: boolean
  /** The ids of its calls. */
  readonly calls: Set<string>
}

/** Finds out what must be said before a run that was lost can go on. */
export async function repairLog(
  store: Store,
  { session, tail, earliest }: SessionInfo,
  { recordedAt, looseFrom = recordedAt + 1, state, history, toolInput, rootAgent }: StoredSession,
): Promise<LogRepair> {
  const shown = new Map<string, Shown>()
  const root = rootAgent ?? session
  let hasFailed = false
  // What is no longer kept cannot be mended, and must not keep the rest from going on.
  const from = Math.max(earliest - 1, Math.min(recordedAt, looseFrom - 1))
  for (let after = from; after < tail;) {
    const page = await store.read(session, after, PAGE)
    for (const { id, line } of page) {
      const message = decodeEnvelope(decoder.decode(line))
      // One that the state knows of is ended by the agent.
      hasFailed ||= id > recordedAt && message.type === 'error' && message.agent === root
      takeMessage(shown, message)
    }
    after = page.at(-1)?.id ?? tail
  }
  const writer = createEnvelopeWriter({ history, toolInput })
  const closing = [...shown.values()].flatMap(({ open }) => [...open.values()].map(closeBlock))
  const lines = [...shown].flatMap(([agent, { open, isVoid }]) => [
    ...[...open.values()].map(closeBlock),
    ...(isVoid ? writer.write(toRollback(agent, state)) : []),
  ])
  const callIds = new Map([...shown].map(([agent, { calls }]) => [agent, [...calls]]))
  return { closing: closing.map(encodeLine), lines: lines.map(encodeLine), hasFailed, callIds }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const encodeLine = (line: string): Uint8Array => encoder.encode(line)

function takeMessage(shown: Map<string, Shown>, message: Envelope): void {
  const { agent, type, final } = message
  const known = shown.get(agent) ?? {
    open: new Map<string, Envelope>(),
    isVoid: false,
    calls: new Set<string>(),
  }
  shown.set(agent, known)
  if (type === 'tool_call' && message.id !== undefined) known.calls.add(message.id)
  if (final) known.open.delete(blockKey(message))
  else if (traitsOf(type)?.unit === 'block') known.open.set(blockKey(message), message)
  const { step = 'content' } = traitsOf(type) ?? {}
  if (step !== 'outside') known.isVoid = step === 'content'
}

function closeBlock({ type, agent, id, name }: Envelope): string {
  const extras = {
    ...(id !== undefined && { id }),
    ...(typeof name === 'string' && { name }),
    ...(canBeInterrupted(type) && { interrupted: true }),
  }
  return encodeEnvelope({ ...extras, type, agent, final: true, delta: '' })
}

function toRollback(agent: string, state: AgentState | undefined) {
  const step = (state && findAgent(state, agent)?.steps) ?? 0
  return { type: 'step_rollback', agent, step: step + 1, attempt: 2, reason: REASON } as const
}

function findAgent(state: AgentState, agent: string): AgentState | undefined {
  if (state.agent === agent) return state
  for (const child of Object.values(state.children ?? {})) {
    const found = findAgent(child, agent)
    if (found !== undefined) return found
  }
  return undefined
}
