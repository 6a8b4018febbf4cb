import type { UnsettledAgent } from '../../agent/port/index.ts'
import {
  createEnvelopeWriter,
  blockKey,
  canBeInterrupted,
  decodeEnvelope,
  encodeEnvelope,
  type Envelope,
  traitsOf,
  createDecoder,
  createStepTracker,
  firstIdOf,
  type StreamEvent,
} from '../../events/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import type { SessionHead } from '../sessions/session-record.ts'

const PAGE = 256
const REASON = 'The server stopped during this run; the run starts again.'

/** An agent whose step was interrupted by a crash, with the frames of that step. */
interface InterruptedAgent extends UnsettledAgent {
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
  lastStep: number
  /** The ids of its calls, which readers may have seen. [CALL-1] */
  readonly calls: Set<string>
}

/** Reads the end of a lost run's log, starting after the last state. */
export async function repairLog(
  store: Store,
  { session, tail, earliest }: SessionInfo,
  { recordedAt, unsettledFrom = recordedAt + 1, rootAgent }: SessionHead,
): Promise<LogRepair> {
  const shown = new Map<string, Shown>()
  const decoder = createDecoder()
  const steps = createStepTracker()
  const root = rootAgent ?? session
  let hasFailed = false
  // Trimmed frames cannot be repaired, and must not prevent the recovery.
  const from = Math.max(earliest - 1, Math.min(recordedAt, unsettledFrom - 1))
  for (let after = from; after < tail;) {
    const page = await store.read(session, after, PAGE)
    for (const { id, line } of page) {
      const frame = decodeEnvelope(utf8.decode(line))
      const known = shownBy(shown, frame.agent)
      followBlock(known.open, frame)
      const event = decoder.decodeFrame(frame, id)
      if (event === undefined) continue
      steps.take(event)
      takeEvent(known, event)
      // The agent itself ends a run whose state contains the error.
      hasFailed ||= id > recordedAt && event.type === 'error' && event.agent === root
    }
    after = page.at(-1)?.id ?? tail
  }
  const closing = [...shown.values()].flatMap(({ open }) => [...open.values()].map(closeBlock))
  const unsettled = [...shown].map(([agent, { lastStep, calls }]) => {
    const [first] = steps.unsettled(agent)
    const firstId = first === undefined ? tail : firstIdOf(first)
    return { agent, isShown: first !== undefined, firstId, lastStep, calls: [...calls] }
  })
  return { closing: closing.map(encodeLine), hasFailed, unsettled }
}

/** Encodes the rollbacks of an agent that repeats its run and does not know the interrupted steps. */
export function writeRollbacks(unsettled: readonly InterruptedAgent[]): readonly Uint8Array[] {
  const writer = createEnvelopeWriter({})
  return unsettled
    .filter(({ isShown }) => isShown)
    .flatMap(({ agent, lastStep }) =>
      writer.write({
        type: 'rollback',
        agent,
        step: lastStep + 1,
        attempt: 2,
        reason: REASON,
      }),
    )
    .map(encodeLine)
}

const encoder = new TextEncoder()
const utf8 = new TextDecoder()
const encodeLine = (line: string): Uint8Array => encoder.encode(line)

function shownBy(shown: Map<string, Shown>, agent: string): Shown {
  const known = shown.get(agent) ?? { open: new Map(), lastStep: 0, calls: new Set() }
  shown.set(agent, known)
  return known
}

/** Follows the open blocks, which are a property of frames. [LIFE-2] */
function followBlock(open: Map<string, Envelope>, frame: Envelope): void {
  const row = traitsOf(frame.type)
  if (frame.final) open.delete(blockKey(frame))
  else if (row !== undefined && !row.isItem) open.set(blockKey(frame), frame)
}

function takeEvent(known: Shown, event: StreamEvent): void {
  if (event.type === 'tool_call' && event.callId !== '') known.calls.add(event.callId)
  if (event.type === 'step_end') known.lastStep = event.step ?? known.lastStep
}

function closeBlock({ type, agent, id, name }: Envelope): string {
  const extras = {
    ...(id !== undefined && { id }),
    ...(typeof name === 'string' && { name }),
    ...(canBeInterrupted(type) && { interrupted: true }),
  }
  return encodeEnvelope({ ...extras, type, agent, final: true, delta: '' })
}
