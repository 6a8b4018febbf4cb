import type { AgentState, Checkpoint } from '../agent/index.ts'
import type { EnvelopeWriter } from '../dialects/index.ts'
import {
  isPauseReason,
  noUsage,
  type AgentEvent,
  type RunEnd,
  type RunError,
} from '../events/index.ts'
import type { RunMedia } from './files/run-media.ts'
import type { AppendExtras, LogWriter } from './log-writer.ts'
import { toConversation } from './conversation.ts'
import { encodeRecord, type StoredSession } from './session-record.ts'
import { toWireError } from './to-wire-error.ts'

/** What a recorder writes with. */
export interface RunRecorderOptions {
  readonly session: string
  /** What is stored of the session as the run starts. */
  readonly stored: StoredSession
  readonly createWriter: () => EnvelopeWriter
  readonly log: LogWriter
  readonly now: () => number
  /** Sees every line before it is stored. */
  readonly onLine: ((session: string, id: number, line: string) => void) | undefined
  /** Stores what an event carries besides text, and gives the event as it is to be told. */
  readonly keepMedia?: RunMedia['keep']
  /** Told how the run ends, before that is stored. */
  readonly onEnd?: (event: RunEnd) => void
}

/** Puts what an agent does into the log of its session, and the session's record beside it. */
export interface RunRecorder {
  /** Takes the next event; resolves when there is room for more, and with how many lines it made. */
  write(event: AgentEvent | Checkpoint): Promise<number>
  /** Ends a run that cannot end itself. */
  fail(error: unknown, stopReason: string): Promise<void>
  /** Tells that the run pauses or ends, though that may not be stored yet. */
  readonly isEnding: () => boolean
  hasEnded(): boolean
  /** Gives the session another title: with what is stored next, or at once if the run has ended. */
  readonly retitle: (title: string) => Promise<void>
}

const encoder = new TextEncoder()

/** After these the root agent says nothing but its end. */
const waitingEvents: ReadonlySet<string> = new Set(['tools_awaited', 'approvals_awaited'])

/** Builds a recorder for one run. */
export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const { session, createWriter, log, now, onLine, onEnd } = options
  const { keepMedia = (event) => event } = options
  let { stored } = options
  let writer = createWriter()
  let isChanged = false
  /** Whether what is stored next goes with a state that the agent has just given. */
  let isCheckpoint = false
  /** What is stored with the end of the run besides its record. */
  let ending: AppendExtras = {}
  let isEnding = false
  let hasEnded = false

  const record = async (lines: readonly string[]): Promise<number> => {
    const firstId = log.lastId() + 1
    if (onLine) lines.forEach((line, index) => onLine(session, firstId + index, line))
    const encoded = lines.map((line) => encoder.encode(line))
    if (isCheckpoint) stored = { ...stored, recordedAt: log.lastId() + lines.length }
    const snapshot = stored
    const changed = isChanged ? () => ({ record: encodeRecord(snapshot), ...ending }) : undefined
    isChanged = false
    isCheckpoint = false
    await log.push(encoded, changed)
    return lines.length
  }

  const checkpoint = (state: AgentState): void => {
    const { question: _, ...rest } = stored
    stored = { ...rest, state }
    isChanged = true
    isCheckpoint = true
  }

  const end = (event: RunEnd): Promise<number> => {
    const lines = writer.write(event)
    stored = toEnded(stored, event, { lastId: log.lastId() + lines.length, updatedAt: now() })
    isChanged = true
    isCheckpoint = true
    isEnding = true
    hasEnded = true
    ending = { lease: 'release', conversation: toConversation(stored, event, session) }
    onEnd?.(event)
    return record(lines)
  }

  const write = async (given: AgentEvent | Checkpoint): Promise<number> => {
    if (given.type === 'checkpoint') {
      checkpoint(given.state)
      return 0
    }
    const kept = keepMedia(given)
    // Most events carry nothing, and are written in the same turn.
    const event = kept instanceof Promise ? await kept : kept
    if (event.type === 'run_end' && event.agent === session) return end(event)
    if (waitingEvents.has(event.type)) isEnding ||= event.agent === session
    return record(writer.write(event))
  }

  const writeFailure = async (error: unknown, stopReason: string): Promise<void> => {
    const runError: RunError = { type: 'run_error', agent: session, error: toWireError(error) }
    await record(writer.finish())
    await write(runError)
    await write(toForcedEnd(session, stored.state, stopReason))
  }

  const retitle = async (title: string): Promise<void> => {
    stored = { ...stored, title }
    isChanged = true
    // Before its end the run has more to say, and a state must not be stored before the event that it belongs to.
    if (!hasEnded) return
    await record([])
    await log.flush()
  }

  return {
    write,
    retitle,
    isEnding: () => isEnding,
    hasEnded: () => hasEnded,
    fail: async (error, stopReason) => {
      if (hasEnded) return
      try {
        await writeFailure(error, stopReason)
      } catch {
        // The writer itself may be what failed; a fresh one knows no open blocks but can tell the end.
        writer = createWriter()
        await writeFailure(error, stopReason)
      }
    },
  }
}

function toEnded(
  stored: StoredSession,
  { stopReason }: RunEnd,
  { lastId, updatedAt }: { readonly lastId: number; readonly updatedAt: number },
): StoredSession {
  const answers = stored.answers.map((answer) =>
    answer.lastId === undefined ? { ...answer, lastId } : answer,
  )
  const status = isPauseReason(stopReason) ? 'paused' : 'ended'
  return { ...stored, answers, status, stopReason, updatedAt }
}

function toForcedEnd(agent: string, state: AgentState | undefined, stopReason: string): RunEnd {
  const { steps = 0, usage = noUsage } = state ?? {}
  return { type: 'run_end', agent, stopReason, steps, usage, messages: [], files: [] }
}
