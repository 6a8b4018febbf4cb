import type { Session } from '../../session.ts'

/** Options of a request. */
export interface SendOptions {
  readonly signal: AbortSignal
  readonly method?: string
  /** The `Prefer` header. */
  readonly prefer?: string
}

/** Sends a request of a session: a POST if it has a body and no method. */
export async function send(
  { id, options: { url, fetch = globalThis.fetch, headers } }: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object | false | undefined,
  { signal, method, prefer }: SendOptions,
): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, agent_uuid: id }) }),
    ...(method && { method }),
    headers: {
      // Only with a body: for another origin, this header causes a preflight request.
      ...(body && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
      ...(typeof headers === 'function' ? await headers() : headers),
    },
    signal,
  })
}
