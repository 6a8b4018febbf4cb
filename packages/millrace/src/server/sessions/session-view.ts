import type { PendingCalls } from '../../agent/port/index.ts'
import { toApprovalsJson, toAwaitedJson } from '../../events/index.ts'
import type { SessionInfo, SessionPage, SessionRow } from '../../stores/port/index.ts'
import type { QueuedPrompt } from '../commands/queue.ts'
import type { PromptCommand } from '../commands/run-command.ts'
import { decodeHead, isNewer, type SessionHead } from './session-record.ts'
import type { Conversation } from '../runs/stored-run.ts'
import { toTitle } from './session-titles.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { isHidden, viewConversation, viewPending, viewTitle } from '../views/viewed-answers.ts'

interface SessionViewOptions {
  /** Whether a server executes its run. */
  readonly isActive: boolean
  readonly pending: PendingCalls
  readonly queue?: readonly QueuedPrompt[]
  readonly rules?: ViewRules | undefined
}

/** Encodes the state of a session for a client, as JSON. A session that has only uploads has no head. */
export function encodeSessionView(
  { session, tail, earliest }: SessionInfo,
  head: SessionHead | undefined,
  { isActive, pending, queue = [], rules }: SessionViewOptions,
): string {
  const { agentType, title = '', status = 'ended', stopReason = null } = head ?? {}
  const { runs = 0, forkedFrom } = head ?? {}
  const view = {
    agent_uuid: session,
    agent_type: agentType,
    title: viewTitle(title, rules),
    status: toStatus(status, isActive),
    stop_reason: stopReason,
    ...(head && { created_at: toTime(head.createdAt), updated_at: toTime(head.updatedAt) }),
    total_runs: runs,
    tail,
    earliest,
    forked_from: forkedFrom && { agent_uuid: forkedFrom.session, after: forkedFrom.frame },
  }
  const { calls, approvals } = viewPending(pending, rules)
  return encodeObject(view, {
    pending: toAwaitedJson(calls),
    pending_approvals: toApprovalsJson(approvals),
    queue: JSON.stringify(queue.map(({ command }) => toQueueRow(command, rules))),
  })
}

function toQueueRow({ messageId, prompt, at, whenBusy }: PromptCommand, rules?: ViewRules) {
  const text = isHidden(rules, 'queued_prompt', 'delta') ? '' : toTitle(prompt)
  return { message_id: messageId, text, queued_at: toTime(at), when_busy: whenBusy }
}

/** Creates the view of a branch for a client. */
export function toBranchView(
  session: string,
  { title, createdAt, forkedFrom }: SessionHead,
  frame: number,
  rules?: ViewRules,
) {
  return {
    agent_uuid: session,
    title: viewTitle(title, rules),
    created_at: toTime(createdAt),
    forked_from: forkedFrom?.session,
    after: frame,
  }
}

/** The size, the title and the view of a history. */
interface HistoryViewOptions {
  readonly limit: number
  readonly title: string
  readonly rules: ViewRules | undefined
}

/** Encodes the history of a session for a client, as JSON: up to `limit` of the given runs. */
export function encodeHistoryView(
  found: readonly Conversation[],
  { limit, title, rules }: HistoryViewOptions,
): string {
  const conversations = found.slice(0, limit).map((one) => viewConversation(one, rules))
  const rest = { has_more: found.length > limit, title: viewTitle(title, rules) }
  return encodeObject(rest, { conversations: `[${conversations.join(',')}]` })
}

/** Lookups for each session of a list. */
interface ListViewOptions {
  readonly rulesOf: (session: string) => Promise<ViewRules | undefined>
  /** Whether a server executes its run; called for sessions that are stored as running. */
  readonly isServed: (session: string) => Promise<boolean>
}

/** Creates the view of a list of sessions for a client. */
export async function toListView(
  { rows, total }: SessionPage,
  { rulesOf, isServed }: ListViewOptions,
) {
  const toRow = async ({ session, head }: SessionRow) => {
    // A session that this server cannot read must not hide the others.
    if (head === undefined || isNewer(head)) return { agent_uuid: session }
    const rules = await rulesOf(session)
    const { agentType, title, createdAt, updatedAt, runs, ...stored } = decodeHead(head)
    const isActive = stored.status === 'running' && (await isServed(session))
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

/** A run that is stored as running, but not executed, was lost with its process. */
function toStatus(
  stored: SessionHead['status'],
  isActive: boolean,
): SessionHead['status'] | 'interrupted' {
  return stored === 'running' && !isActive ? 'interrupted' : stored
}

/** Encodes an object with some fields that are already JSON. */
function encodeObject(plain: object, encoded: Readonly<Record<string, string>>): string {
  let text = JSON.stringify(plain).slice(0, -1)
  for (const [name, value] of Object.entries(encoded)) text += `,${JSON.stringify(name)}:${value}`
  return `${text}}`
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
