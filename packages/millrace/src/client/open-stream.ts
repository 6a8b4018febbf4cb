import { isMillraceError } from '../errors/index.ts'
import { decodeSse } from '../sse/index.ts'
import type { SseEvent } from '../sse/index.ts'
import { faultOf, toLoss } from './loss.ts'

/** The part of `fetch` that a session needs. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** What to send and how long to trust a silence. */
export interface OpenStreamOptions {
  readonly fetch: FetchFunction
  readonly url: string
  readonly init: RequestInit
  /** Silence for this long means that the connection is dead, though nobody said so. */
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Sends one request and yields the events of its answer, a list for each piece of the network; the first list
 * is empty and says that the server has taken the request. Throws a loss when the connection fails, a
 * refusal when the server says no.
 */
export async function* openStream({
  fetch,
  url,
  init,
  idleTimeoutMs,
  signal,
}: OpenStreamOptions): AsyncGenerator<readonly SseEvent[], void, undefined> {
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stayAlive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      controller.abort(toLoss(`Nothing came from the server for ${idleTimeoutMs / 1000} s.`))
    }, idleTimeoutMs)
  }
  try {
    stayAlive()
    const request = fetch(url, { ...init, signal: controller.signal })
    const response = await orAbort(controller.signal, request)
    const fault = await faultOf(response)
    if (fault) throw fault
    yield []
    for await (const events of decodeSse(response.body!, controller)) {
      stayAlive()
      yield events
    }
  } catch (thrown) {
    throw isMillraceError(thrown) ? thrown : toLoss('The connection to the server failed.', thrown)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    controller.abort()
  }
}

/** Waits for a promise, or for the signal where what is behind the promise does not heed it. */
function orAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    promise.then(resolve, reject)
  })
}
