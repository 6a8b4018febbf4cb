import { checkResponse, throwLoss } from '../transport/http/loss.ts'
import type { Session } from '../session.ts'

/** A session of a server: one that was created here, or an id with the options by which the server is reached. */
export type SessionPlace = Pick<Session, 'id' | 'options'>

/** Removes a session with its log, history and files; a run under way stops first. False if there is none. */
export async function deleteSession(session: SessionPlace): Promise<boolean> {
  const response = await change(session, { method: 'DELETE' })
  if (!response.ok && response.status !== 404) await checkResponse(response)
  return response.ok
}

/** Gives a session another title, of at most 120 characters on one line; resolves with the title as it is stored. */
export async function renameSession(session: SessionPlace, title: string): Promise<string> {
  const response = await change(session, { method: 'PATCH', body: JSON.stringify({ title }) })
  if (!response.ok) await checkResponse(response)
  return ((await response.json()) as { readonly title: string }).title
}

/** Apart from the requests of a stream, which pages that change nothing load as well. */
async function change({ id, options }: SessionPlace, request: RequestInit): Promise<Response> {
  const { url, fetch = globalThis.fetch, headers, idleTimeoutMs = 45_000 } = options
  const own = typeof headers === 'function' ? await headers() : headers
  return fetch(`${url.replace(/\/$/, '')}/agent/${id}`, {
    ...request,
    headers: { ...(request.body != null && { 'content-type': 'application/json' }), ...own },
    signal: AbortSignal.timeout(idleTimeoutMs),
  }).catch(throwLoss)
}
