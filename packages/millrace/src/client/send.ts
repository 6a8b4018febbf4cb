import type { Session } from './session.ts'

/** Makes a request of a session, a POST when it has a body. */
export async function send(
  { id, options: { url, fetch = globalThis.fetch, headers } }: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object | null | undefined,
  { signal }: { readonly signal: AbortSignal },
): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, agent_uuid: id }) }),
    headers: {
      'content-type': 'application/json',
      ...(typeof headers === 'function' ? await headers() : headers),
    },
    signal,
  })
}
