import type { FetchFunction } from '../../session.ts'
import { type Lead, seekLead, type TabLocks } from './tab-channel.ts'
import {
  encodeEnd,
  encodeNew,
  hasEnd,
  leadBody,
  type Place,
  readPieces,
  toResponse,
} from './shared-body.ts'
import type { TabInbox } from './tab-inbox.ts'

interface SharedFetchOptions {
  readonly fetch: FetchFunction
  readonly locks: TabLocks
  readonly inbox: TabInbox
  /** Returns the name that sharing tabs have in common. It also names their lock. */
  readonly toName: () => string
  /** Time after which a reading tab that does not reply is considered dead. */
  readonly leaderTimeoutMs: number
}

interface Tab extends SharedFetchOptions {
  isLeaderDead: boolean
}

interface Request {
  readonly url: string
  readonly init: RequestInit
  readonly place: Place
  readonly controller: AbortController
}

/**
 * Creates a `fetch` for a session whose stream one tab reads for all. It only decides which tab reads. Each session continues from its own
 * last id, skips known frames and requests missing ones, so no frame can be lost or duplicated here.
 */
export function createSharedFetch(options: SharedFetchOptions): FetchFunction {
  const tab = { ...options, isLeaderDead: false }
  return async (url, init) => {
    const controller = new AbortController()
    const { signal } = init
    signal?.throwIfAborted()
    // The session's signal outlives its requests, so an ended request removes its listener.
    signal?.addEventListener('abort', () => controller.abort(signal.reason), controller)
    const cursor = /\/stream\?cursor=(\d+)/.exec(url)?.[1]
    const request = { url, init, controller, place: { lastId: Number(cursor ?? 0) } }
    if (cursor) return watch(tab, request)
    const response = await read(tab, request)
    return response.body && isStream(response)
      ? toResponse(share(tab, request, response.body), controller, response.headers)
      : response
  }
}

function read({ fetch }: Tab, { url, init, place, controller }: Request): Promise<Response> {
  const { signal } = controller
  return fetch(url.replace(/(\?cursor=)\d+/, `$1${place.lastId}`), { ...init, signal })
}

async function watch(tab: Tab, request: Request): Promise<Response> {
  const { locks, inbox, leaderTimeoutMs, isLeaderDead } = tab
  inbox.join(tab.toName())
  const right = await seekLead(locks, inbox.name, { steal: isLeaderDead })
  if (!right && (await inbox.isLed(leaderTimeoutMs))) {
    // Requested before the response begins, because it has the server's headers.
    const missed = inbox.base > request.place.lastId ? await read(tab, request) : undefined
    return toResponse(follow(tab, request, missed), request.controller, missed?.headers)
  }
  tab.isLeaderDead = !right
  if (!right) return watch(tab, request)
  const response = await open(tab, request, right)
  return isStream(response)
    ? toResponse(
        leadBody(response.body!, request.place, inbox, right),
        request.controller,
        response.headers,
      )
    : response
}

/** Sends the request of a tab that reads for all. A response without a stream ends its lead. */
async function open(tab: Tab, request: Request, { lost, end }: Lead): Promise<Response> {
  const { inbox } = tab
  const giveUp = (): void => {
    inbox.ownPosition = undefined
    end()
  }
  lost.addEventListener('abort', () => request.controller.abort(lost.reason))
  // A tab with a slow server is not dead, and replies to other tabs.
  inbox.ownPosition = () => request.place.lastId
  try {
    const response = await read(tab, request)
    if (!isStream(response)) giveUp()
    return response
  } catch (error) {
    giveUp()
    throw error
  }
}

/** Follows the frames of another tab, and takes over when that tab stops reading. */
async function* follow(
  tab: Tab,
  request: Request,
  missed?: Response,
): AsyncGenerator<Uint8Array, void> {
  const { inbox } = tab
  const { place, controller } = request
  const { signal } = controller
  const next = seekLead(tab.locks, inbox.name, { wait: signal })
  try {
    for (;;) {
      if (
        inbox.base > place.lastId &&
        (yield* catchUp(tab, place, missed ?? (await read(tab, request))))
      )
        return
      missed = undefined
      const frames = inbox.take()
      yield encodeNew(frames, place)
      // The end is valid only after all frames before it.
      if (hasEnd(frames) && place.lastId === inbox.position) {
        yield encodeEnd()
        return
      }
      const right = await Promise.race([next, inbox.next()])
      signal.throwIfAborted()
      if (!right) continue
      const response = await open(tab, request, right)
      checkStream(response)
      yield* leadBody(response.body!, place, inbox, right)
      return
    }
  } finally {
    if (signal.reason === 'silence') tab.isLeaderDead = true
    controller.abort()
    void next.then((right) => right?.end())
  }
}

/** Reads from the server up to the position of the other tabs; true if the stream ended before. */
async function* catchUp(
  { inbox }: Tab,
  place: Place,
  response: Response,
): AsyncGenerator<Uint8Array, boolean> {
  checkStream(response)
  for await (const { frames } of readPieces(response.body!)) {
    yield encodeNew(frames, place)
    if (hasEnd(frames)) {
      yield encodeEnd()
      return true
    }
    if (place.lastId >= inbox.base) return false
  }
  throw new Error('interrupted')
}

/** Reads the response to a prompt or to results, and shares it if no other tab reads yet. */
async function* share(
  { locks, inbox, toName }: Tab,
  { place, controller }: Request,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  inbox.join(toName())
  const right = await seekLead(locks, inbox.name)
  right?.lost.addEventListener('abort', () => controller.abort(right.lost.reason))
  if (right) yield* leadBody(body, place, inbox, right)
  else for await (const { piece } of readPieces(body)) yield piece
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true
}

function checkStream(response: Response): void {
  if (!isStream(response)) throw new Error(`the server answered ${response.status}`)
}
