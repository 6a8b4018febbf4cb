import type { AgentCheckpoint, RunProgress } from '../../agent/port/index.ts'
import type { EnvelopeWriter } from '../../exit/index.ts'
import {
  type AgentEvent,
  createFinalAnswer,
  noUsage,
  type PromptQueued,
  type RunEnd,
  type RunError,
} from '../../events/index.ts'
import type { RunMedia } from '../files/run-media.ts'
import { redactText } from '../../outbound/index.ts'
import { RunRecord, type RunBoxes } from './run-record.ts'
import type { AppendExtras, LogWriter } from './log-writer.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'
import { BytePool } from '../reading/byte-pool.ts'
import { toWireError } from './to-wire-error.ts'

/** What the events of a run say about its end, beside `run_end`. */
export interface RunOutcome {
  /** The final answer of the root agent. [LIFE-15] */
  readonly answer: string
  /** Why the run failed, if it did. */
  readonly failure?: RunError
}

/** What a recorder writes with. */
export interface RunRecorderOptions extends RunBoxes {
  readonly session: string
  /** What is stored of the session as the run starts. */
  readonly stored: StoredSession
  /** Writes what changes in it. */
  readonly record: RecordWriter
  readonly createWriter: () => EnvelopeWriter
  readonly log: LogWriter
  readonly now: () => number
  /** Sees every line before it is stored. */
  readonly onLine: ((id: number, line: string) => void) | undefined
  /** Stores what an event carries besides text, and gives the event as it is to be told. */
  readonly keepMedia?: RunMedia['keep']
  /** Called before the end of the run is stored. */
  readonly onEnd?: (event: RunEnd, outcome: RunOutcome) => void
}

/** Puts what an agent does into the log of its session, and the session's record beside it. */
export interface RunRecorder {
  /** Takes the next event; gives nothing if there is room for more, else what resolves when there is. */
  write(event: AgentEvent | AgentCheckpoint): Promise<void> | undefined
  /** Ends a run that cannot end itself; without an error if that was reported already or the run was stopped. */
  fail(error: unknown, stopReason: string, run?: Partial<RunProgress>): Promise<void>
  /** Tells that the run pauses or ends, though that may not be stored yet. */
  readonly isEnding: () => boolean
  hasEnded(): boolean
  /** Stores that the run was stopped: whoever carries it on stops it. */
  readonly keepStop: () => Promise<void>
  /** Tells of a prompt that waits or has left the queue; false if the run is ending. */
  readonly tell: (event: PromptQueued) => boolean
  /** Adds to the bytes of the session and stores how many there are. */
  readonly count: (bytes: number) => Promise<void>
  /** Stores a title that a person chose. */
  readonly rename: (title: string) => Promise<void>
  /** Gives the session another title: with what is stored next, or at once if the run has ended. */
  readonly retitle: (title: string) => Promise<void>
}

/** After these the root agent says nothing but its end. */
const waitingEvents: ReadonlySet<string> = new Set(['tools_awaited', 'approvals_awaited'])

/** Builds a recorder for one run. */
export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const { session, createWriter, log, now, onEnd, keepMedia = (event) => event } = options
  const kept = new RunRecord(options.stored, options.record, options)
  const record = createRecord(options, kept)
  const root = rootAgentOf(session, options.stored)
  const answer = createFinalAnswer(root)
  let writer = createWriter()
  let phase: 'open' | 'ending' | 'ended' = 'open'
  let failure: RunError | undefined

  const end = (event: RunEnd): Promise<void> | undefined => {
    const lines = writer.write(event)
    const text = kept.checkpoint?.answer ?? answer.text()
    const outcome = { answer: text, ...(failure && { failure }) }
    const [firstId, lastId] = [log.lastId() + 1, log.lastId() + lines.length]
    kept.keepEnd(event, { ...outcome, root, at: now(), firstId, lastId })
    phase = 'ended'
    onEnd?.(event, outcome)
    return record(lines, event)
  }

  const writeTold = (event: AgentEvent): Promise<void> | undefined => {
    if (event.type === 'run_error' && event.agent === root) failure = event
    if (event.type === 'run_end' && event.agent === root) return end(event)
    if (waitingEvents.has(event.type) && event.agent === root) phase = 'ending'
    const room = record(writer.write(event), event)
    if (!startsTool(event)) return room
    return room === undefined ? log.flush() : room.then(() => log.flush())
  }

  const write = (event: AgentEvent | AgentCheckpoint): Promise<void> | undefined => {
    if (event.type === 'checkpoint') {
      kept.keepState(event)
      return undefined
    }
    answer.take(event)
    // Most events are such, and have nothing to do with all the rest.
    if (event.type === 'block_delta') return record(writer.write(event))
    const told = keepMedia(withoutSecrets(kept.name(event, { session, root })))
    // Most events carry nothing, and are written in the same turn.
    return told instanceof Promise ? told.then(writeTold) : writeTold(told)
  }

  const writeAll = async (last: readonly AgentEvent[]): Promise<void> => {
    await record(writer.finish())
    for (const event of last) await write(event)
  }

  const hasEnded = (): boolean => phase === 'ended'
  const tellFrame = createTellFrame(log, kept, record)
  return {
    write,
    isEnding: () => phase !== 'open',
    hasEnded,
    tell: (event) => phase === 'open' && tellFrame(event, writer.write(event)),
    ...createNotes(log, kept, { hasEnded, record }),
    fail: async (error, stopReason, run = kept.checkpoint?.run) => {
      if (phase === 'ended') return
      const last = toFailure(root, error, toEnd(root, stopReason, run))
      try {
        await writeAll(last)
      } catch {
        // The writer itself may be what failed; a fresh one knows no open blocks but can tell the end.
        writer = createWriter()
        await writeAll(last)
      }
    },
  }
}

/** Creates what stores a frame that belongs to no step, with the receipt that it was told; the run need not wait for it. */
function createTellFrame(log: LogWriter, kept: RunRecord, record: RecordLines) {
  return (event: PromptQueued, lines: readonly string[]): true => {
    // A log that fails is told with the next event.
    record(lines, event, kept.noteFrame(event, log.lastId() + 1))?.catch(() => {})
    return true
  }
}

/** Creates what stores something that no event tells. */
function createNotes(
  log: LogWriter,
  kept: RunRecord,
  { hasEnded, record }: Pick<RunRecorder, 'hasEnded'> & { readonly record: RecordLines },
): Pick<RunRecorder, 'keepStop' | 'count' | 'rename' | 'retitle'> {
  return {
    keepStop: async () => {
      if (!hasEnded()) await log.push([], kept.keepStop())
      await log.flush()
    },
    count: async (bytes) => {
      await log.push([], kept.count(bytes))
      await log.flush()
    },
    rename: async (title) => {
      await log.push([], kept.rename(title))
      await log.flush()
    },
    retitle: async (title) => {
      kept.keepTitle(title)
      // Before its end the run has more to say, and a state must not be stored before the event that it belongs to.
      if (!hasEnded()) return
      await record([])
      await log.flush()
    },
  }
}

/** Puts lines into the log, with the event that they tell; `extras` are stored with them in place of what is new of the record. */
type RecordLines = (
  lines: readonly string[],
  event?: AgentEvent,
  extras?: () => AppendExtras,
) => Promise<void> | undefined

/** Agents that are not ours may tell errors as they came. */
function withoutSecrets(event: AgentEvent): AgentEvent {
  if (event.type === 'step_rollback') return { ...event, reason: redactText(event.reason) }
  if (event.type !== 'run_error') return event
  const { error } = event
  return { ...event, error: { ...error, message: redactText(error.message) } }
}

/** Builds what puts lines into the log, as bytes and with what is new of the record. */
function createRecord(
  { log, now, onLine, record }: RunRecorderOptions,
  kept: RunRecord,
): RecordLines {
  const pool = new BytePool()
  return (lines, event, extras) => {
    const lastId = log.lastId()
    if (event && !extras) kept.follow(event, lastId + 1, lastId + lines.length)
    if (onLine) lines.forEach((line, index) => onLine(lastId + 1 + index, line))
    if (lines.length > 0) kept.noteTime(lastId + 1, now())
    const encoded = lines.map((line) => pool.encode(line))
    for (const { length } of encoded) record.count(length)
    return log.push(encoded, extras ?? kept.take(lastId + lines.length))
  }
}

/** A tool runs only once it is stored that it does: else it would run again after a crash. */
function startsTool(event: AgentEvent): boolean {
  return event.type === 'tool_status' && event.stage === 'started'
}

/** The last events of a run that cannot emit them itself. */
function toFailure(agent: string, error: unknown, end: RunEnd): readonly AgentEvent[] {
  return error === undefined
    ? [end]
    : [{ type: 'run_error', agent, error: toWireError(error) }, end]
}

/** The end of a run that cannot emit it itself. */
function toEnd(
  agent: string,
  stopReason: string,
  { steps = 0, usage = noUsage, cost, files = [] }: Partial<RunProgress> = {},
): RunEnd {
  const spent = { usage, ...(cost !== undefined && { cost }), files }
  return { type: 'run_end', agent, stopReason, steps, ...spent, messages: [] }
}
