import { type PendingCalls, pendingOf } from '../agent/index.ts'
import { toAwaitedJson } from '../exit/index.ts'
import type { Conversation, SessionInfo, SessionPage, SessionRow } from '../store/index.ts'
import { encodeObject } from './encode-state.ts'
import { decodeSummary, type StoredSession } from './session-record.ts'
import type { ViewRules } from './views/view-rules.ts'
import { viewConversation, viewPending, viewTitle } from './views/viewed-answers.ts'

/** What a client sees of a session's state, as JSON text. */
export function encodeSessionView(
  { session, tail, earliest }: SessionInfo,
  stored: StoredSession,
  { isActive, rules }: { readonly isActive: boolean; readonly rules?: ViewRules | undefined },
): string {
  const view = {
    agent_uuid: session,
    agent_type: stored.agentType,
    title: viewTitle(stored.title, rules),
    status: toStatus(stored.status, isActive),
    stop_reason: stored.stopReason,
    created_at: toTime(stored.createdAt),
    updated_at: toTime(stored.updatedAt),
    total_runs: stored.runs,
    tail,
    earliest,
  }
  const { calls, approvals } = viewPending(pendingIn(stored), rules)
  return encodeObject(view, {
    pending: toAwaitedJson(calls),
    pending_approvals: toAwaitedJson(approvals),
  })
}

/** How much of a history is shown, and to whom. */
export interface HistoryViewOptions {
  readonly limit: number
  readonly title: string
  readonly rules: ViewRules | undefined
}

/** What a client sees of the history of a session, as JSON text: up to `limit` of the runs that were found. */
export function encodeHistoryView(
  found: readonly Conversation[],
  { limit, title, rules }: HistoryViewOptions,
): string {
  const conversations = found.slice(0, limit).map((one) => viewConversation(one, rules))
  const rest = { has_more: found.length > limit, title: viewTitle(title, rules) }
  return encodeObject(rest, { conversations: `[${conversations.join(',')}]` })
}

/** What is asked about each session of a list. */
export interface ListViewOptions {
  /** What the client may see of it. */
  readonly rulesOf: (session: string) => Promise<ViewRules | undefined>
  /** Whether somebody carries on its run; asked where one is stored as under way. */
  readonly isCarriedOn: (session: string) => Promise<boolean>
}

/** What a client sees of a list of sessions. */
export async function toListView(
  { rows, total }: SessionPage,
  { rulesOf, isCarriedOn }: ListViewOptions,
) {
  const toRow = async ({ session, summary }: SessionRow) => {
    if (summary === undefined) return { agent_uuid: session }
    const rules = await rulesOf(session)
    const { agentType, title, createdAt, updatedAt, runs, ...stored } = decodeSummary(summary)
    const isActive = stored.status === 'running' && (await isCarriedOn(session))
    return {
      agent_uuid: session,
      agent_type: agentType,
      title: viewTitle(title, rules),
      status: toStatus(stored.status, isActive),
      stop_reason: stored.stopReason,
      created_at: toTime(createdAt),
      updated_at: toTime(updatedAt),
      total_runs: runs,
    }
  }
  return { sessions: await Promise.all(rows.map(toRow)), total }
}

/** A run that is stored as under way but is not was lost with the process that ran it. */
function toStatus(stored: StoredSession['status'], isActive: boolean): string {
  return stored === 'running' && !isActive ? 'interrupted' : stored
}

/** The calls of a session that wait. */
export function pendingIn({ state, status }: StoredSession): PendingCalls {
  // Sub-agents may wait while the rest of the run goes on.
  return state === undefined || status === 'ended' ? { calls: [], approvals: [] } : pendingOf(state)
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
