import type { PendingCalls } from '../../agent/port/index.ts'
import { toApprovalsJson, toAwaitedJson } from '../../exit/index.ts'
import type { SessionInfo, SessionPage, SessionRow } from '../../stores/port/index.ts'
import type { QueuedPrompt } from '../commands/queue.ts'
import type { PromptCommand } from '../commands/run-command.ts'
import { decodeHead, isNewer, type SessionHead } from './session-record.ts'
import type { Conversation } from '../runs/stored-run.ts'
import { toTitle } from './to-title.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { isHidden, viewConversation, viewPending, viewTitle } from '../views/viewed-answers.ts'

/** What surrounds the view of a session. */
export interface SessionViewOptions {
  /** Whether its run is carried on. */
  readonly isActive: boolean
  readonly pending: PendingCalls
  /** The prompts that wait. */
  readonly queue?: readonly QueuedPrompt[]
  readonly rules?: ViewRules | undefined
}

/** What a client sees of a session's state, as JSON text. */
export function encodeSessionView(
  { session, tail, earliest }: SessionInfo,
  stored: SessionHead,
  { isActive, pending, queue = [], rules }: SessionViewOptions,
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
    forked_from: stored.forkedFrom && {
      agent_uuid: stored.forkedFrom.session,
      after: stored.forkedFrom.frame,
    },
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

/** What a client sees of a branch of a session. */
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
  const toRow = async ({ session, head }: SessionRow) => {
    // One that this server cannot read must not hide the others.
    if (head === undefined || isNewer(head)) return { agent_uuid: session }
    const rules = await rulesOf(session)
    const { agentType, title, createdAt, updatedAt, runs, ...stored } = decodeHead(head)
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
function toStatus(stored: SessionHead['status'], isActive: boolean): string {
  return stored === 'running' && !isActive ? 'interrupted' : stored
}

/** Writes an object some of whose fields are JSON text already. */
function encodeObject(plain: object, encoded: Readonly<Record<string, string>>): string {
  let text = JSON.stringify(plain).slice(0, -1)
  for (const [name, value] of Object.entries(encoded)) text += `,${JSON.stringify(name)}:${value}`
  return `${text}}`
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
