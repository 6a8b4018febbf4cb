import { MillraceError } from 'millrace'
import { createAgent } from 'millrace/agent'
import { createHandler, type Store } from 'millrace/server'

/** A session of a list; only its id is present if it has had no prompt. */
export interface ListedSession {
  readonly agent_uuid: string
  readonly agent_type?: string
  readonly title?: string
  readonly status?: string
  /** Also absent if an older server stored the session. */
  readonly stop_reason?: string | null
  readonly created_at?: string
  readonly updated_at?: string
  readonly total_runs?: number
}

/** The state of a session, as the server shows it. */
export interface ShownSession extends ListedSession {
  readonly title: string
  readonly status: string
  readonly tail: number
  readonly earliest: number
  readonly pending: readonly object[]
  readonly pending_approvals: readonly object[]
}

/** Formats the status of a session, with the reason of its last end or pause. */
export function toStatusText({ status = '–', stop_reason: reason }: ListedSession): string {
  return typeof reason === 'string' ? `${status} (${reason})` : status
}

/** A run in the history, as the server shows it. */
export interface ShownConversation {
  readonly sequence_number: number
  readonly user_message: string
  readonly final_response: string
  readonly started_at: string
  readonly stop_reason: string
  readonly total_steps: number
}

/** Reads the sessions of a store like a client of the HTTP API, without a server. */
export type SessionViews = ReturnType<typeof createSessionViews>

/** Creates the views of a store; no run is started or recovered. */
export function createSessionViews(store: Store) {
  const stream = () => {
    throw new MillraceError('unsupported', 'Nothing is run here.')
  }
  // It reads the histories of all agents that `createAgent` made.
  const nobody = createAgent({ name: 'nobody', model: { id: 'none', stream } })
  let failure: unknown
  const onError = (error: unknown): void => void (failure = error)
  const handler = createHandler({
    agents: { nobody },
    defaultAgent: 'nobody',
    store,
    onError,
    // No agent here can resume a run: it would be ended.
    recovers: false,
  })

  const get = async <View>(path: string): Promise<View> => {
    const response = await handler.fetch(new Request(`http://localhost/agent/${path}`))
    const body = (await response.json()) as View & { readonly error?: ErrorView }
    if (response.ok) return body
    const { code = 'internal', message = '' } = body.error ?? {}
    if (failure instanceof Error) throw failure
    throw new MillraceError(code, message)
  }

  return {
    close: handler.close,
    list: ({
      limit,
      offset,
    }: {
      readonly limit: number
      readonly offset: number
    }): Promise<{
      readonly sessions: readonly ListedSession[]
      readonly total: number
    }> => get(`sessions?limit=${limit}&offset=${offset}`),
    show: (session: string): Promise<ShownSession> => get(encodeURIComponent(session)),
    /** Newest first. */
    history: async (
      session: string,
      { limit, before }: { readonly limit: number; readonly before?: number | undefined },
    ): Promise<readonly ShownConversation[]> => {
      const older = before === undefined ? '' : `&before=${before}`
      const path = `${encodeURIComponent(session)}/conversations?limit=${limit}${older}`
      return (await get<{ conversations: readonly ShownConversation[] }>(path)).conversations
    },
  }
}

interface ErrorView {
  readonly code: MillraceError['code']
  readonly message: string
}
