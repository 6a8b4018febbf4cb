import type {
  AgentCheckpoint,
  GivenAnswer,
  PendingCalls,
  RunProgress,
} from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { type HistoryMode, type Prompt, toTokenCounts } from '../../events/index.ts'
import { isJsonObject, type JsonValue } from '../../json/index.ts'
import type { MessageKey } from '../commands/receipts.ts'

/** An accepted answer, and the range of frames that followed it. */
export interface StoredAnswer extends GivenAnswer {
  /** The first frame that followed. */
  readonly firstId: number
  /** The last frame that followed; absent while its run is active. */
  readonly lastId?: number
}

/** The status of a session. */
export type SessionStatus = 'running' | 'paused' | 'ended'

/** The head of a session: small for any session, and read with every request. */
export interface SessionHead {
  readonly version: 2
  readonly agentType: string
  readonly title: string
  /** Whether a user chose the title, so that no generated title replaces it. */
  readonly isRenamed?: true
  /** Milliseconds since the epoch, as `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The number of prompts that started a run. */
  readonly runs: number
  readonly status: SessionStatus
  readonly stopReason: string | null
  /** The stream options of the run, which a resumed run keeps. */
  readonly history: HistoryMode
  readonly toolInput: ToolInputMode
  /** The key of the last prompt, if its sender chose one. */
  readonly prompt?: MessageKey
  /** Start time of the current or last run. */
  readonly startedAt: number
  /** The last frame that the state covers. Later frames belong to an unfinished step. */
  readonly recordedAt: number
  /** The first frame of such a step, if earlier: another agent was in the middle of it. */
  readonly unsettledFrom?: number
  /** An upper bound for the ids of rollbacks in the log; absent in records of older servers. */
  readonly lastRollback?: number
  /** An upper bound for the ids of decisions in the log; absent in records of older servers. [APR-5] */
  readonly lastDecision?: number
  /** Approximate bytes of the session; absent in records of older servers. */
  readonly bytes?: number
  /** The first frame of the current or last run. */
  readonly runFirst?: number
  /** That run by its last checkpoint, clipped; only its id for an agent without checkpoints. */
  readonly run?: Pick<RunProgress, 'id'> & Partial<Pick<RunProgress, 'steps' | 'usage' | 'cost'>>
  /** The id of the root agent, if it differs from the session's: a branch keeps the agents of its parent. */
  readonly rootAgent?: string
  /** The session from which a branch was forked, and the last frame that both share. */
  readonly forkedFrom?: { readonly session: string; readonly frame: number }
}

/** Returns the id of a session's root agent. */
export function rootAgentOf(session: string, head: SessionHead | undefined): string {
  return head?.rootAgent ?? session
}

/** All data of a session that the server stores besides its log. */
export interface StoredSession extends SessionHead {
  /** The newest state of the agent; absent until its run emits one. */
  readonly checkpoint?: AgentCheckpoint
  /** The pending calls as they were read. */
  readonly pending?: PendingCalls
  /** The prompt, until it is part of the agent's state. */
  readonly question?: Prompt
  /** The context of the sender of the last prompt. */
  readonly context?: JsonValue | undefined
  /** The stop of all agents or of one, until it is part of the agent's state. */
  readonly stop?: true | string
  /** The newest last. */
  readonly answers: readonly StoredAnswer[]
}

/** Whether tool input is sent as a whole, or while the model writes it. */
export type ToolInputMode = 'buffered' | 'live'

/**
 * Maximum length of a text that an agent chooses; the stream and the part of the run have all of it. With it every head is below the
 * bound of stores.
 */
const MAX_TEXT = 100

/** Encodes the head of a session. */
export function encodeHead(stored: SessionHead): string {
  const { version, ...rest } = stored as StoredSession
  const { checkpoint, pending: _p, question: _q, context: _c, stop: _t, answers: _a, ...own } = rest
  // Its stored name is older.
  const { unsettledFrom: looseFrom, ...head } = own
  const run = checkpoint?.run ?? head.run
  // The version comes first, so that a reader of another one need not parse the rest.
  return JSON.stringify({
    version,
    ...head,
    looseFrom,
    ...(run && { run: toHeadRun(run) }),
    stopReason: clip(head.stopReason),
  })
}

/** Returns the data with which a lost run ends: token counts, whose size is bounded. The part of an ended run has the whole usage. */
function toHeadRun({ id, steps, usage, cost }: NonNullable<SessionHead['run']>): object {
  return {
    id: clip(id),
    steps,
    usage: usage && toTokenCounts(usage),
    cost: cost && { ...cost, modelId: clip(cost.modelId) },
  }
}

function clip(text: string | null): string | null {
  // Such characters take six bytes of JSON, all others at most three.
  return text?.slice(0, MAX_TEXT).replace(/[\p{Cc}\p{Cs}]/gu, '') ?? null
}

/** The version of heads that this server writes. */
const HEAD_VERSION = 2

/** Checks whether a newer version of the server stored a session. */
export function isNewer(head: string): boolean {
  return Number(/^\{"version":(\d+)/.exec(head)?.[1] ?? 0) > HEAD_VERSION
}

/** Decodes the output of {@link encodeHead}. */
export function decodeHead(text: string): SessionHead {
  if (isNewer(text))
    throw new MillraceError(
      'unsupported',
      'This session was stored by a newer version of the server; nothing was changed. Update this server, or start a new session.',
    )
  const value: unknown = JSON.parse(text)
  if (isJsonObject(value) && value['version'] === HEAD_VERSION) {
    const { looseFrom, ...head } = value
    return {
      ...head,
      ...(looseFrom !== undefined && { unsettledFrom: looseFrom }),
    } as unknown as SessionHead
  }
  throw new MillraceError(
    'unsupported',
    'This session was stored by another version of the server; start a new one.',
  )
}
