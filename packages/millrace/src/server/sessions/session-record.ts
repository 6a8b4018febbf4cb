import type {
  AgentCheckpoint,
  GivenAnswer,
  PendingCalls,
  RunProgress,
} from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { HistoryMode } from '../../exit/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { MessageKey } from '../commands/receipts.ts'

/** An answer that was taken, and the part of the log that followed from it. */
export interface StoredAnswer extends GivenAnswer {
  /** The first message that followed. */
  readonly firstId: number
  /** The last message that followed; absent while its run is under way. */
  readonly lastId?: number
}

/** Where a session stands. */
export type SessionStatus = 'running' | 'paused' | 'ended'

/** The head of a session: small, whatever the session holds, and read with every request. */
export interface SessionHead {
  readonly version: 2
  readonly agentType: string
  readonly title: string
  /** Whether a person chose the title: no other one takes its place by itself. */
  readonly isRenamed?: true
  /** Milliseconds since the epoch, as `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
  /** How many questions were asked. */
  readonly runs: number
  readonly status: SessionStatus
  readonly stopReason: string | null
  /** How the run under way is written, which a continuation keeps. */
  readonly history: HistoryMode
  readonly toolInput: ToolInputMode
  /** The key of the last question, if its sender gave it one. */
  readonly prompt?: MessageKey
  /** When the run under way, or the last one, was asked for. */
  readonly startedAt: number
  /** The last message that the state knows of: what the log has after it is of a step that has not come to its end. */
  readonly recordedAt: number
  /** The first message of such a step, if that comes before: another agent was in the middle of it. */
  readonly looseFrom?: number
  /** No rollback in the log has a higher id; absent in records of servers that did not keep it. */
  readonly lastRollback?: number
  /** No decision in the log has a message with a higher id; absent in records of servers that did not keep it. [APR-5] */
  readonly lastDecision?: number
  /** How many bytes were written to the session, about; absent in records of servers that did not count. */
  readonly bytes?: number
  /** The first message of the run under way, or of the last one. */
  readonly runFirst?: number
  /** That run, as its last checkpoint knows it; of an agent without checkpoints its id alone. */
  readonly run?: Pick<RunProgress, 'id'> & Partial<Pick<RunProgress, 'steps' | 'usage' | 'cost'>>
  /** The id of the root agent, if that is not the session's: a branch goes on with the agents of its parent. */
  readonly rootAgent?: string
  /** The session that a branch was forked from, and the last frame that both share. */
  readonly forkedFrom?: ForkedFrom
}

/** The origin of a branch. */
export interface ForkedFrom {
  readonly session: string
  readonly frame: number
}

/** The id of a session's root agent. */
export function rootAgentOf(session: string, head: SessionHead | undefined): string {
  return head?.rootAgent ?? session
}

/** All that the server keeps of a session besides its log. */
export interface StoredSession extends SessionHead {
  /** The newest state of the agent; absent until its run emits one. */
  readonly checkpoint?: AgentCheckpoint
  /** The pending calls as they were read. */
  readonly pending?: PendingCalls
  /** What was asked and is not part of the agent's state yet. */
  readonly question?: Prompt
  /** What was stopped, all or one agent, and is not part of the agent's state yet. */
  readonly stop?: true | string
  /** The newest last. */
  readonly answers: readonly StoredAnswer[]
}

/** Whether tool input is sent whole, or while the model writes it. */
export type ToolInputMode = 'buffered' | 'live'

/** Agents that are not ours may end for any reason; the stream tells it whole. */
const MAX_REASON = 200

/** Writes the head of a session. */
export function encodeHead(stored: SessionHead): string {
  const { version, ...rest } = stored as StoredSession
  const { checkpoint, pending: _p, question: _q, stop: _t, answers: _a, ...head } = rest
  // The version comes first, so that a reader of another one need not read the rest.
  const { stopReason } = head
  const reason = stopReason?.slice(0, MAX_REASON) ?? null
  return JSON.stringify({
    version,
    ...head,
    ...(checkpoint && toRun(checkpoint)),
    stopReason: reason,
  })
}

function toRun({ run: { id, steps, usage, cost } }: AgentCheckpoint): Pick<SessionHead, 'run'> {
  return { run: { id, steps, usage, cost } }
}

/** The version of heads that this server writes. */
const HEAD_VERSION = 2

/** Whether a newer version of the server has stored a session. */
export function isNewer(head: string): boolean {
  return Number(/^\{"version":(\d+)/.exec(head)?.[1] ?? 0) > HEAD_VERSION
}

/** Reads what {@link encodeHead} wrote. */
export function decodeHead(text: string): SessionHead {
  if (isNewer(text))
    throw new MillraceError(
      'unsupported',
      'This session was stored by a newer version of the server; nothing was changed. Update this server, or start a new session.',
    )
  const value: unknown = JSON.parse(text)
  if (isJsonObject(value) && value['version'] === HEAD_VERSION)
    return value as unknown as SessionHead
  throw new MillraceError(
    'unsupported',
    'This session was stored by another version of the server; start a new one.',
  )
}
