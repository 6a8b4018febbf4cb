import type { AgentCheckpoint, RunProgress } from '../../agent/port/index.ts'
import { badRequest, type ErrorCode, isMillraceError } from '../../errors/index.ts'
import {
  type AgentEvent,
  createEnvelopeWriter,
  createFinalAnswer,
  type EnvelopeWriter,
  failureIn,
  isPauseReason,
  type LoggedEvent,
  noUsage,
  type QueueNotice,
  type RunEnd,
  type RunFailure,
  toErrorEvent,
  traitsOfEvent,
} from '../../events/index.ts'
import { redactText } from '../../outbound/index.ts'
import type { CommandChange } from '../../stores/port/index.ts'
import { BytePool } from '../feeds/line-bytes.ts'
import { createRunMedia, type RunMedia } from '../files/run-media.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import { countingFiles } from '../sessions/quota.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'
import type { Moment } from '../timing.ts'
import { RunOutbox } from '../webhooks/run-outbox.ts'
import { type AppendExtras, LogWriter, type LogWriterOptions } from './log-writer.ts'
import type { RunInbox } from './run-inbox.ts'
import { type RunBoxes, RunRecord } from './run-record.ts'
import type { RunServices } from './run-services.ts'

/** The outcome of a run besides `run_end`. */
export interface RunOutcome {
  /** The final answer of the root agent. [LIFE-15] */
  readonly answer: string
  /** The error of a failed run. */
  readonly failure?: RunFailure
}

/** Options of {@link createRunRecorder}. */
export interface RunRecorderOptions extends RunBoxes {
  readonly session: string
  /** The stored session at the start of the run. */
  readonly stored: StoredSession
  /** Encodes changes of the session. */
  readonly record: RecordWriter
  readonly createWriter: () => EnvelopeWriter
  readonly log: LogWriter
  readonly now: () => number
  /** Receives every line before it is stored. */
  readonly onLine: ((id: number, line: string) => void) | undefined
  /** Stores the media of an event, and returns the event to emit. */
  readonly keepMedia?: RunMedia['keep']
  /** Called before the end of the run is stored. */
  readonly onEnd?: (event: RunEnd, outcome: RunOutcome) => void
}

/** Writes the events of an agent to the log of its session, with the session's record. */
export interface RunRecorder {
  /** Takes the next event; returns nothing if there is room for more, else a promise of room. */
  write(event: AgentEvent | AgentCheckpoint): Promise<void> | undefined
  /** Ends a run that cannot end itself; without an error if it was reported already or the run was stopped. */
  fail(error: unknown, stopReason: string, run?: Partial<RunProgress>): Promise<void>
  /** Checks whether the run is pausing or ending, even if that is not stored yet. */
  readonly isEnding: () => boolean
  hasEnded(): boolean
  /** Stores that the run was stopped: a server that recovers it stops it. */
  readonly keepStop: () => Promise<void>
  /** Emits that a prompt is queued or has left the queue; false if the run is ending. */
  readonly emit: (event: QueueNotice) => boolean
  /** Adds to the bytes of the session and stores the sum, in one append with its receipts. */
  readonly count: (bytes: number, receipts?: readonly CommandChange[]) => Promise<void>
  /** Stores a title that a user chose, in one append with its receipts. */
  readonly rename: (title: string, receipts?: readonly CommandChange[]) => Promise<void>
  /** Changes the title of the session: with the next append, or at once if the run has ended. */
  readonly retitle: (title: string) => Promise<void>
}

/** Creates a recorder for one run. */
export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const { session, createWriter, log, now, onEnd, keepMedia = (event) => event } = options
  const kept = new RunRecord(options.stored, options.record, options)
  const record = createRecord(options, kept)
  const root = rootAgentOf(session, options.stored)
  const answer = createFinalAnswer(root)
  let writer = createWriter()
  let phase: 'open' | 'ending' | 'ended' = 'open'
  let failure: RunFailure | undefined

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

  const writeNamed = (event: AgentEvent): Promise<void> | undefined => {
    if (event.type === 'error' && event.agent === root) failure = failureIn(event)
    if (event.type === 'run_end' && event.agent === root) return end(event)
    // After the announcement of its pause the root agent emits only its end.
    if (isPauseReason(event.type) && event.agent === root) phase = 'ending'
    const room = record(writer.write(event), event)
    if (!startsTool(event)) return room
    return room === undefined ? log.flush() : room.then(() => log.flush())
  }

  const write = (event: AgentEvent | AgentCheckpoint): Promise<void> | undefined => {
    if (event.type === 'checkpoint') {
      kept.keepState(event)
      return event.isAlone === true ? record([]) : undefined
    }
    // Checkpoints have the answer of their agent.
    if (kept.checkpoint === undefined) answer.take(event)
    // Most events are deltas, which need no other processing.
    if (event.type === 'block_delta') return record(writer.write(event))
    const named = keepMedia(withoutSecrets(kept.name(checkSender(event), { session, root })))
    // Most events have no media and are written synchronously.
    return named instanceof Promise ? named.then(writeNamed) : writeNamed(named)
  }

  const writeAll = async (last: readonly AgentEvent[]): Promise<void> => {
    await record(writer.finish())
    for (const event of last) await write(event)
  }

  const hasEnded = (): boolean => phase === 'ended'
  return {
    write,
    isEnding: () => phase !== 'open',
    hasEnded,
    emit: (event) => phase === 'open' && recordFrame({ log, kept, record }, event, writer),
    ...createNotes({ log, kept, record }, hasEnded),
    fail: async (error, stopReason, run = kept.checkpoint?.run) => {
      if (phase === 'ended') return
      const last = toFailure(root, { error, stopReason, ...run })
      try {
        await writeAll(last)
      } catch {
        // A new writer has no open blocks but can write the end, in case the writer itself failed.
        writer = createWriter()
        await writeAll(last)
      }
    },
  }
}

/** The log, state and record function of a run. */
interface Recording {
  readonly log: LogWriter
  readonly kept: RunRecord
  readonly record: RecordLines
}

/** Stores a frame outside of steps, with its receipt; the run need not wait for it. */
function recordFrame({ log, kept, record }: Recording, event: QueueNotice, writer: EnvelopeWriter) {
  // The error of a failed log is reported with the next event.
  record(writer.write(event), event, kept.noteFrame(event, log.lastId() + 1))?.catch(() => {})
  return true
}

/** Creates the functions that store data without an event. */
function createNotes(
  { log, kept, record }: Recording,
  hasEnded: () => boolean,
): Pick<RunRecorder, 'keepStop' | 'count' | 'rename' | 'retitle'> {
  return {
    keepStop: async () => {
      if (!hasEnded()) await log.push([], kept.keepStop())
      await log.flush()
    },
    count: async (bytes, receipts = []) => {
      await log.push([], kept.count(bytes, receipts))
      await log.flush()
    },
    rename: async (title, receipts = []) => {
      await log.push([], kept.rename(title, receipts))
      await log.flush()
    },
    retitle: async (title) => {
      kept.keepTitle(title)
      // A run that has not ended will write again, and a state must not be stored before its event.
      if (!hasEnded()) return
      await record([])
      await log.flush()
    },
  }
}

/** Appends lines with their event to the log; `extras` replace the new data of the record. */
type RecordLines = (
  lines: readonly string[],
  event?: LoggedEvent,
  extras?: () => AppendExtras,
) => Promise<void> | undefined

/** Returns an event of an agent; throws for one that only the server sends, which agents from outside the library may emit. */
function checkSender(event: AgentEvent): AgentEvent {
  const { type } = event
  if (traitsOfEvent(type)?.sender === undefined) return event
  throw badRequest(
    `An agent emitted ${type}, which only the server sends; remove it from the agent.`,
  )
}

/** Redacts errors, which agents from outside the library may pass on unchanged. */
function withoutSecrets(event: AgentEvent): AgentEvent {
  if (event.type === 'rollback') return { ...event, reason: redactText(event.reason) }
  if (event.type !== 'error') return event
  return { ...event, message: redactText(event.message) }
}

/** Creates the function that appends lines as bytes, with the new data of the record. */
function createRecord(
  { log, now, onLine, record }: RunRecorderOptions,
  kept: RunRecord,
): RecordLines {
  const pool = new BytePool()
  const encode = (line: string): Uint8Array => pool.encode(line)
  return (lines, event, extras) => {
    const lastId = log.lastId()
    if (event && !extras) kept.follow(event, lastId + 1, lastId + lines.length)
    if (onLine) lines.forEach((line, index) => onLine(lastId + 1 + index, line))
    if (lines.length > 0) kept.noteTime(lastId + 1, now())
    const encoded = lines.map(encode)
    for (const { length } of encoded) record.count(length)
    return log.push(encoded, extras ?? kept.take(lastId + lines.length))
  }
}

/** Checks for the start of a tool, which must be stored first: else it would run again after a crash. */
function startsTool(event: AgentEvent): boolean {
  return event.type === 'tool_status' && event.stage === 'started'
}

/** The error of a run, and its totals as far as they are known. */
interface Failure extends Partial<RunProgress> {
  readonly error: unknown
  readonly stopReason: string
}

/** Creates the last events of a run that cannot emit them itself. */
function toFailure(
  agent: string,
  { error, stopReason, steps = 0, usage = noUsage, cost, files = [] }: Failure,
): readonly AgentEvent[] {
  const spent = { usage, ...(cost !== undefined && { cost }), files }
  const end = { type: 'run_end', agent, stopReason, steps, ...spent, messages: [] } as const
  if (error === undefined) return [end]
  return [toErrorEvent(agent, toWireError(error)), end]
}

/** Codes of temporary errors: the same prompt may succeed later. */
const passingCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connection_lost',
  'internal',
  'lease_lost',
  'model_interrupted',
  'overloaded',
  'store_unavailable',
  'stream_truncated',
])

/** Returns the public part of an error: texts written for readers, never those of unknown errors or stacks. */
export function toWireError(error: unknown): RunFailure {
  if (isMillraceError(error)) {
    const { code, message } = error
    return { type: code, message, code, retriable: passingCodes.has(code) }
  }
  const message =
    'The agent failed unexpectedly. Send the prompt again; see the server’s log for the cause.'
  return { type: 'internal', message, code: 'internal', retriable: true }
}

/** The session and log of a recorder. */
export interface RecorderPlace extends Pick<RunRecorderOptions, 'onEnd' | 'unsettled'> {
  readonly session: string
  readonly log: string
  readonly epoch: number
  /** The last frame before those of the run. */
  readonly tail: number
  readonly stored: StoredSession
  /** Encodes changes of the session. */
  readonly record: RecordWriter
  /** The commands that the run has taken. */
  readonly inbox?: RunInbox
  /** The known version of the session's inbox, and the callback for unknown commands. */
  readonly known?: Pick<LogWriterOptions, 'inbox' | 'onCommands'>
  /** Receives the time at which an accepted append was sent. */
  readonly onStored?: (sentAt: Moment) => void
  /** Called before files are fetched from a provider. */
  readonly isHeld?: () => Promise<boolean>
}

/** The recorder of a run and its log. */
interface OpenRecorder {
  readonly log: LogWriter
  readonly recorder: RunRecorder
  /** Publishes the run's event once its end is stored. */
  readonly outbox: RunOutbox
}

/** Opens the recorder of a run in a session that this server may write to. */
export function openRecorder(services: RunServices, place: RecorderPlace): OpenRecorder {
  const { maxLineBytes: maxBytes, now, onLine, files: source } = services
  const { session, stored, record, inbox, unsettled, onEnd, isHeld } = place
  const { history, toolInput } = stored
  const root = rootAgentOf(session, stored)
  const log = openLog(services, place)
  const outbox = new RunOutbox(services, place)
  const onError = (error: unknown): void => services.onError(error, { session })
  const { keep: keepMedia, imageUrl } = createRunMedia({
    ...services,
    store: countingFiles(services.store, (bytes) => record.count(bytes)),
    session,
    source,
    onError,
    ...(isHeld !== undefined && { isHeld }),
  })
  const recorder = createRunRecorder({
    session,
    stored,
    record,
    ...(inbox !== undefined && { inbox }),
    outbox,
    ...(unsettled !== undefined && { unsettled }),
    log,
    now,
    onLine: onLine && ((id, line) => onLine(place.log, id, line)),
    keepMedia,
    ...(onEnd !== undefined && { onEnd }),
    createWriter: () => createEnvelopeWriter({ maxBytes, history, root, toolInput, imageUrl }),
  })
  return { log, recorder, outbox }
}

function openLog(
  { store, maxQueuedBytes, observer, publish }: RunServices,
  { session, log, epoch, tail, onStored, known }: RecorderPlace,
): LogWriter {
  const { appended: onAppended } = observer
  const offering = {
    ...(publish !== undefined && { publish }),
    ...(onStored !== undefined && { onStored }),
  }
  const place = { session, log, epoch, tail, ...known }
  return new LogWriter({ ...offering, ...place, store, maxQueuedBytes, onAppended })
}
