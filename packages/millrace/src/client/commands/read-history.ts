import type { JsonObject } from '../../json/index.ts'
import { ask } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/check-response.ts'
import type { Session } from '../session.ts'

/** One prompt and its answer, as stored by the server; a view may omit fields. */
export interface Conversation {
  readonly conversationId: string
  readonly sequenceNumber: number
  readonly runId?: string | null
  readonly userMessage?: string
  readonly finalResponse?: string | null
  /** Times are ISO 8601. */
  readonly startedAt: string
  /** Null while it is paused. */
  readonly completedAt: string | null
  readonly stopReason?: string
  readonly totalSteps?: number
  readonly usage?: JsonObject
  readonly generatedFiles?: readonly JsonObject[]
  readonly messages?: readonly JsonObject[]
}

/** A page of the history of a session, newest first. */
export interface HistoryPage {
  readonly conversations: readonly Conversation[]
  /** Whether there are older ones: read them with `before`, the last `sequenceNumber`. */
  readonly hasMore: boolean
  readonly title: string | null
}

/** Reads the ended or paused runs of a session, at most `limit` below the number `before`. */
export async function readHistory(
  session: Session,
  { before, limit = 20 }: { readonly before?: number; readonly limit?: number } = {},
): Promise<HistoryPage> {
  const range = before === undefined ? '' : `&before=${before}`
  const response = await ask(session, `${session.id}/conversations?limit=${limit}${range}`)
  if (!response.ok) await checkResponse(response)
  const { conversations, ...page } = (await response.json()) as { conversations: JsonObject[] }
  return {
    ...(withPlainNames(page) as Omit<HistoryPage, 'conversations'>),
    conversations: conversations.map(withPlainNames) as Conversation[],
  }
}

/** One recorded decision on a call; a view may omit fields. */
export interface DecisionEntry {
  /** The id of its frame in the log. */
  readonly id: number
  readonly callId: string
  readonly agent: string
  /** The name of the tool. */
  readonly name: string
  readonly outcome: 'approved' | 'refused' | 'expired'
  /** The user who decided; null if unknown, or without a decision in time. */
  readonly by: string | null
  /** The time in ISO 8601. */
  readonly at?: string
  /** The hash of the arguments that were decided on. */
  readonly inputHash?: string
  /** Whether the call was approved with other arguments, which are `input`. */
  readonly edited: boolean
  readonly input?: unknown
  readonly reason?: string
}

/** A page of the decisions of a session, oldest first. */
export interface DecisionPage {
  readonly decisions: readonly DecisionEntry[]
  /** The `after` of the next page. */
  readonly cursor: number
  readonly hasMore: boolean
  /** The id of the earliest frame that the store keeps; above 1, older decisions may be missing. */
  readonly earliest: number
}

/**
 * Reads the decisions on calls of a session, at most `limit` with an id above `after`. A page is empty only if no decision follows: the
 * server searches a part of a long log at a time.
 */
export async function readDecisions(
  session: Session,
  { after = 0, limit = 20 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<DecisionPage> {
  for (let cursor = after; ;) {
    const response = await ask(session, `${session.id}/decisions?limit=${limit}&after=${cursor}`)
    if (!response.ok) await checkResponse(response)
    const { decisions, ...rest } = (await response.json()) as { decisions: object[] }
    const page = withPlainNames(rest) as Omit<DecisionPage, 'decisions'>
    if (decisions.length > 0 || !page.hasMore)
      return { ...page, decisions: decisions.map(withPlainNames) as DecisionEntry[] }
    cursor = page.cursor
  }
}

/** Converts the names of fields to camel case: `run_id` becomes `runId`, and `tool_use_id` is `callId`. */
function withPlainNames(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name === 'tool_use_id'
        ? 'callId'
        : name.replace(/_./g, ([, letter = '']) => letter.toUpperCase()),
      value,
    ]),
  )
}
