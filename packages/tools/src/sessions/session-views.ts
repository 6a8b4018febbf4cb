import { MillraceError } from 'millrace'
import { createHandler, type Store } from 'millrace/server'

/** What a list says of a session; all but the id is missing where nothing was asked yet. */
export interface ListedSession {
  readonly agent_uuid: string
  readonly agent_type?: string
  readonly title?: string
  readonly status?: string
  /** Missing also where an older server stored the session. */
  readonly stop_reason?: string | null
  readonly created_at?: string
  readonly updated_at?: string
  readonly total_runs?: number
}

/** What is told of one session. */
export interface ShownSession extends Required<ListedSession> {
  readonly tail: number
  readonly earliest: number
  readonly pending: readonly object[]
  readonly pending_approvals: readonly object[]
}

/** Where a session stands, with how its last run ended or what it waits for. */
export function toStanding({ status = '–', stop_reason: reason }: ListedSession): string {
  return typeof reason === 'string' ? `${status} (${reason})` : status
}

/** One run of a session's history. */
export interface ShownConversation {
  readonly sequence_number: number
  readonly user_message: string
  readonly final_response: string
  readonly started_at: string
  readonly stop_reason: string
  readonly total_steps: number
}

/** Looks at the sessions of a store as a client of the HTTP API does, without a server. */
export interface SessionViews {
  list(range: { readonly limit: number; readonly offset: number }): Promise<{
    readonly sessions: readonly ListedSession[]
    readonly total: number
  }>
  show(session: string): Promise<ShownSession>
  /** The newest first. */
  history(
    session: string,
    range: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly ShownConversation[]>
  close(): Promise<void>
}

/** Builds the views of a store; nothing is run or carried on. */
export function createSessionViews(store: Store): SessionViews {
  const nobody = {
    name: 'nobody',
    run: () => {
      throw new MillraceError('unsupported', 'Nothing is run here.')
    },
  }
  let failure: unknown
  const onError = (error: unknown): void => void (failure = error)
  const handler = createHandler({
    agents: { nobody },
    defaultAgent: 'nobody',
    store,
    onError,
    // Nobody here can carry on a run: it would be ended.
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
    list: ({ limit, offset }) => get(`sessions?limit=${limit}&offset=${offset}`),
    show: (session) => get(encodeURIComponent(session)),
    history: async (session, { limit, before }) => {
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
