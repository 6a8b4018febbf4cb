import type { JsonObject } from '../../json/index.ts'
import { ask } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/loss.ts'
import { withPlainNames } from './plain-names.ts'
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
