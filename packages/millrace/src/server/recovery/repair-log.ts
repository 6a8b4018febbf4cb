import type { UnsettledAgent } from '../../agent/port/index.ts'
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
import type { SessionHead } from '../sessions/session-record.ts'

const PAGE = 256
const REASON = 'The server stopped during this run; the run starts again.'

/** An agent whose step was interrupted by a crash, with the frames of that step. */
export interface InterruptedAgent extends UnsettledAgent {
  /** The first frame of the step. */
  readonly firstId: number
  /** The last completed step in this part of the log; 0 if there is none. */
  readonly lastStep: number
}

/** The end of a log after a crash. */
export interface LogRepair {
  /** Frames that close open blocks. */
  readonly closing: readonly Uint8Array[]
  /** Whether the log has the error of the run and only lacks its end. */
  readonly hasFailed: boolean
  /** The agents with frames after the last state. */
  readonly unsettled: readonly InterruptedAgent[]
}

/** The frames of one agent after the last state. */
interface Shown {
  /** The frames of open blocks by the keys of the blocks. */
  readonly open: Map<string, Envelope>
  /** The first frame that would be duplicated if the step were repeated. */
  firstId: number | undefined
  lastStep: number
  /** The ids of its calls, which readers may have seen. [CALL-1] */
  readonly calls: Set<string>
}

/** Reads the end of a lost run's log, starting after the last state. */
export async function repairLog(
  store: Store,
  { session, tail, earliest }: SessionInfo,
  { recordedAt, looseFrom = recordedAt + 1, rootAgent }: SessionHead,
): Promise<LogRepair> {
  const shown = new Map<string, Shown>()
  const root = rootAgent ?? session
  let hasFailed = false
  // Trimmed frames cannot be repaired, and must not prevent the recovery.
  const from = Math.max(earliest - 1, Math.min(recordedAt, looseFrom - 1))
  for (let after = from; after < tail;) {
    const page = await store.read(session, after, PAGE)
    for (const { id, line } of page) {
      const message = decodeEnvelope(decoder.decode(line))
      // The agent itself ends a run whose state contains the error.
      hasFailed ||= id > recordedAt && message.type === 'error' && message.agent === root
      takeMessage(shown, message, id)
    }
    after = page.at(-1)?.id ?? tail
  }
  const closing = [...shown.values()].flatMap(({ open }) => [...open.values()].map(closeBlock))
  const unsettled = [...shown].map(([agent, { firstId, lastStep, calls }]) => ({
    agent,
    isShown: firstId !== undefined,
    firstId: firstId ?? tail,
    lastStep,
    calls: [...calls],
  }))
  return { closing: closing.map(encodeLine), hasFailed, unsettled }
}

/** Encodes the rollbacks of an agent that repeats its run and does not know the interrupted steps. */
export function writeRollbacks(unsettled: readonly InterruptedAgent[]): readonly Uint8Array[] {
  const writer = createEnvelopeWriter({})
  return unsettled
    .filter(({ isShown }) => isShown)
    .flatMap(({ agent, lastStep }) =>
      writer.write({
        type: 'step_rollback',
        agent,
        step: lastStep + 1,
        attempt: 2,
        reason: REASON,
      }),
    )
    .map(encodeLine)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const encodeLine = (line: string): Uint8Array => encoder.encode(line)

function takeMessage(shown: Map<string, Shown>, message: Envelope, id: number): void {
  const { agent, type, final } = message
  const known = shown.get(agent) ?? {
    open: new Map<string, Envelope>(),
    firstId: undefined,
    lastStep: 0,
    calls: new Set<string>(),
  }
  shown.set(agent, known)
  if (type === 'tool_call' && message.id !== undefined) known.calls.add(message.id)
  if (final) known.open.delete(blockKey(message))
  else if (traitsOf(type)?.unit === 'block') known.open.set(blockKey(message), message)
  const { step = 'content' } = traitsOf(type) ?? {}
  if (step === 'content') known.firstId ??= id
  else if (step !== 'outside') known.firstId = undefined
  if (type === 'meta_step') known.lastStep = Number(message['step'] ?? 0)
}

function closeBlock({ type, agent, id, name }: Envelope): string {
  const extras = {
    ...(id !== undefined && { id }),
    ...(typeof name === 'string' && { name }),
    ...(canBeInterrupted(type) && { interrupted: true }),
  }
  return encodeEnvelope({ ...extras, type, agent, final: true, delta: '' })
}
