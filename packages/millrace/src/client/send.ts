import type { Session } from './session.ts'

/** Makes a request of a session, a POST when it has a body. */
export async function send(
  { id, options: { url, fetch = globalThis.fetch, headers } }: Pick<Session, 'id' | 'options'>,
  path: string,
  body: object | false | undefined,
  { signal }: { readonly signal: AbortSignal },
): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, agent_uuid: id }) }),
    headers: {
      // A browser asks first before it sends this to another origin, so it goes only with what it describes.
      ...(body && { 'content-type': 'application/json' }),
      ...(typeof headers === 'function' ? await headers() : headers),
    },
    signal,
  })
}
