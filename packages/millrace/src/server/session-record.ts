import type { AgentState, GivenAnswer } from '../agent/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'
import type { SessionRecord } from '../store/index.ts'
import { encodeObject, encodePrompt, encodeState } from './encode-state.ts'
import type { StoredTimes } from './run-times.ts'

/** An answer that let a run go on, and where in the log that is. */
export interface StoredAnswer extends GivenAnswer {
  /** The first message that followed. */
  readonly firstId: number
  /** The last message of that run; absent while it runs. */
  readonly lastId?: number
}

/** A question that its sender gave an id, and where in the log its run is, up to the end or the first pause. */
export interface StoredRequest {
  readonly id: string
  /** The number of the run. */
  readonly run: number
  readonly firstId: number
  /** Absent while it runs. */
  readonly lastId?: number
}

/** Where a session stands. */
export type SessionStatus = 'running' | 'paused' | 'ended'

/** All that the server remembers of a session besides its log. */
export interface StoredSession {
  readonly version: 1
  readonly agentType: string
  readonly title: string
  /** Milliseconds since the epoch, as `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
  /** How many questions were asked. */
  readonly runs: number
  readonly status: SessionStatus
  readonly stopReason: string | null
  /** How the run under way is written, which a continuation keeps. */
  readonly history: boolean
  readonly toolInput: ToolInputMode
  readonly state?: AgentState
  /** What was asked and is not part of `state` yet. */
  readonly question?: Prompt
  /** What the last question is known by, if its sender gave it an id. */
  readonly promptKey?: string
  /** Questions that came with ids, so that the same one again is known; the newest last. */
  readonly requests?: readonly StoredRequest[]
  /** What was stopped, all or one agent, and is not part of `state` yet. */
  readonly stop?: true | string
  /** When the run under way, or the last one, was asked for. */
  readonly startedAt: number
  /** The last message that `state` knows of: what the log has after it is of a step that has not come to its end. */
  readonly recordedAt: number
  /** The first message of such a step, if that comes before: another agent was in the middle of it. */
  readonly looseFrom?: number
  /** When messages of the run under way, or the last one, were told. */
  readonly times?: StoredTimes
  /** The newest last. */
  readonly answers: readonly StoredAnswer[]
}

/** Whether tool input is sent whole, or while the model writes it. */
export type ToolInputMode = 'buffered' | 'live'

/** What a list shows of a session; how its last run ended is not known of those that were stored before it was kept. */
export type SessionSummary = Pick<
  StoredSession,
  'agentType' | 'title' | 'createdAt' | 'updatedAt' | 'runs' | 'status'
> &
  Partial<Pick<StoredSession, 'stopReason'>>

/** Writes a session down. */
export function encodeRecord(stored: StoredSession): SessionRecord {
  const { state, question, ...rest } = stored
  const { agentType, title, createdAt, updatedAt, runs, status, stopReason } = stored
  const summary: SessionSummary = {
    agentType,
    title,
    createdAt,
    updatedAt,
    runs,
    status,
    stopReason,
  }
  const json = encodeObject(rest, {
    question: question === undefined ? undefined : encodePrompt(question),
    state: state && encodeState(state),
  })
  return { json, summary: JSON.stringify(summary) }
}

/** Reads what {@link encodeRecord} wrote. */
export function decodeRecord(record: SessionRecord): StoredSession {
  const value: unknown = JSON.parse(record.json)
  if (isJsonObject(value) && value['version'] === 1) return value as unknown as StoredSession
  throw new MillraceError(
    'unsupported',
    'This session was stored by another version of the server; start a new one.',
  )
}

/** Reads the summary that {@link encodeRecord} wrote. */
export function decodeSummary(summary: string): SessionSummary {
  return JSON.parse(summary) as SessionSummary
}
