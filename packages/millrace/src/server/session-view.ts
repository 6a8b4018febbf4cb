import { type PendingCalls, pendingOf } from '../agent/index.ts'
import { toAwaitedJson } from '../dialects/index.ts'
import type { Conversation, SessionInfo, SessionPage } from '../store/index.ts'
import { encodeObject } from './encode-state.ts'
import { decodeSummary, type StoredSession } from './session-record.ts'

/** What a client sees of a session's state, as JSON text. */
export function encodeSessionView(
  { session, tail, earliest }: SessionInfo,
  stored: StoredSession,
  { isActive }: { readonly isActive: boolean },
): string {
  const view = {
    agent_uuid: session,
    agent_type: stored.agentType,
    title: stored.title,
    // A run that is stored as under way but is not was lost with the process that ran it.
    status: stored.status === 'running' && !isActive ? 'interrupted' : stored.status,
    stop_reason: stored.stopReason,
    created_at: toTime(stored.createdAt),
    updated_at: toTime(stored.updatedAt),
    total_runs: stored.runs,
    tail,
    earliest,
  }
  const { calls, approvals } = pendingIn(stored)
  return encodeObject(view, {
    pending: toAwaitedJson(calls),
    pending_approvals: toAwaitedJson(approvals),
  })
}

/** What a client sees of the history of a session, as JSON text: up to `limit` of the runs that were found. */
export function encodeHistoryView(
  found: readonly Conversation[],
  { limit, title }: { readonly limit: number; readonly title: string },
): string {
  const conversations = found.slice(0, limit).map(({ json }) => json)
  const rest = { has_more: found.length > limit, title }
  return encodeObject(rest, { conversations: `[${conversations.join(',')}]` })
}

/** What a client sees of a list of sessions. */
export function toListView({ rows, total }: SessionPage) {
  const sessions = rows.map(({ session, summary }) => {
    if (summary === undefined) return { agent_uuid: session }
    const { agentType, title, createdAt, updatedAt, runs, status } = decodeSummary(summary)
    return {
      agent_uuid: session,
      agent_type: agentType,
      title,
      status,
      created_at: toTime(createdAt),
      updated_at: toTime(updatedAt),
      total_runs: runs,
    }
  })
  return { sessions, total }
}

/** The calls of a session that wait. */
export function pendingIn({ state, status }: StoredSession): PendingCalls {
  // Sub-agents may wait while the rest of the run goes on.
  return state === undefined || status === 'ended' ? { calls: [], approvals: [] } : pendingOf(state)
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
