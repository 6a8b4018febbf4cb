import type { z } from 'zod'
import type { sessionAnswer, sessionsAnswer } from '../routes/answers.ts'

/** The state of a session on the wire. */
export type SessionStateView = z.infer<typeof sessionAnswer>
type ListView = z.infer<typeof sessionsAnswer>

/** A row of a list of sessions. A session that has only uploads has only its id, and no title. */
export interface SessionSummary {
  readonly session: string
  readonly agent: string | undefined
  readonly title: string
  /** `interrupted`: its run was lost, and no server continues it. */
  readonly status: 'running' | 'paused' | 'ended' | 'interrupted' | undefined
  readonly stopReason: string | null
  /** Times in ISO 8601. */
  readonly createdAt: string | undefined
  readonly updatedAt: string | undefined
  /** The number of prompts that started a run. */
  readonly runs: number
}

/** A call that waits for a result or for a decision. */
export interface SessionCall {
  readonly agent: string
  readonly callId: string
  readonly name: string
  readonly input: unknown
  /** Whether the call waits for approval, not for a result. */
  readonly approval: boolean
  /** The hash of its arguments, if it waits for approval. [APR-1] */
  readonly inputHash: string | undefined
  /** The time of the approval request and its expiry, in ISO 8601. [APR-4] */
  readonly askedAt: string | undefined
  readonly expiresAt: string | undefined
}

/** A prompt that waits for the end of a run. */
export interface SessionPrompt {
  readonly key: string
  /** The beginning of its text. */
  readonly text: string
  readonly queuedAt: string
  readonly whenBusy: 'queue' | 'interrupt'
}

/** The state of a session. */
export interface SessionState extends SessionSummary {
  /** The last frame of the log, and the earliest one that is kept. */
  readonly tail: number
  readonly earliest: number
  /** For a branch: the session from which it was forked, and the last frame that both share. */
  readonly forkedFrom: { readonly session: string; readonly after: number } | undefined
  readonly pending: readonly SessionCall[]
  readonly queue: readonly SessionPrompt[]
}

/** A page of a list of sessions. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[]
  /** The number of sessions in the whole list. */
  readonly total: number
}

/** Converts a list from its form on the wire. */
export function toSessionList({ sessions, total }: ListView): SessionList {
  return { sessions: sessions.map(toSummary), total }
}

/** Converts the state of a session from its form on the wire. */
export function toSessionState(view: SessionStateView): SessionState {
  const { tail, earliest, forked_from: forked, pending, pending_approvals: approvals } = view
  return {
    ...toSummary(view),
    tail,
    earliest,
    forkedFrom: forked && { session: forked.agent_uuid, after: forked.after },
    pending: [
      ...pending.map((call) => toSessionCall(call, false)),
      ...approvals.map((call) => toSessionCall(call, true)),
    ],
    queue: view.queue.map(({ message_id: key, text, queued_at, when_busy }) => ({
      key,
      text,
      queuedAt: queued_at,
      whenBusy: when_busy,
    })),
  }
}

function toSummary(row: ListView['sessions'][number]): SessionSummary {
  return {
    session: row.agent_uuid,
    agent: row.agent_type,
    title: row.title ?? '',
    status: row.status,
    stopReason: row.stop_reason ?? null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    runs: row.total_runs ?? 0,
  }
}

function toSessionCall(
  call: SessionStateView['pending_approvals'][number],
  approval: boolean,
): SessionCall {
  return {
    agent: call.agent,
    callId: call.tool_use_id,
    name: call.name,
    input: call.input,
    approval,
    inputHash: call.input_hash,
    askedAt: call.asked_at,
    expiresAt: call.expires_at,
  }
}
