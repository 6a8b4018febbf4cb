/**
 * Tells whether a request is what an `EventSource` sends by itself after a stream has ended or broken off. Where nothing
 * is left it has to be told so with 204, because `[DONE]` does not keep it from coming back. Others that resume wait for
 * `[DONE]` and ask for more than event streams alone. [SSE-9]
 */
export function isReturningEventSource({ method, headers }: Request): boolean {
  const isResuming = (headers.get('last-event-id') ?? '') !== ''
  return method === 'GET' && isResuming && headers.get('accept') === 'text/event-stream'
}
