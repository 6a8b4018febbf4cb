import type { Session } from '../../session.ts'

/** How a request is made. */
export interface SendOptions {
  readonly signal: AbortSignal
  readonly method?: string
  /** The `Prefer` header. */
  readonly prefer?: string
}

/** Makes a request of a session, a POST when it has a body. */
export async function send(
  { id, options: { url, fetch = globalThis.fetch, headers } }: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object | false | undefined,
  { signal, method, prefer }: SendOptions,
): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
    ...(method && { method }),
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, agent_uuid: id }) }),
    headers: {
      // A browser asks first before it sends this to another origin, so it goes only with what it describes.
      ...(body && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
      ...(typeof headers === 'function' ? await headers() : headers),
    },
    signal,
  })
}
