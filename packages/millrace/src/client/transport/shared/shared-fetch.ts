import type { FetchFunction } from '../../session.ts'
import { type Lead, seekLead } from './lead.ts'
import {
  encodeEnd,
  encodeNew,
  hasEnd,
  leadBody,
  type Place,
  readPieces,
  toResponse,
} from './shared-body.ts'
import type { TabLocks } from './tab-channel.ts'
import type { TabInbox } from './tab-inbox.ts'

/** What tabs share a stream with. */
export interface SharedFetchOptions {
  readonly fetch: FetchFunction
  readonly locks: TabLocks
  readonly inbox: TabInbox
  /** The name of those who share, which is also that of their lock. */
  readonly toName: () => string
  /** A tab that leads and says nothing for this long when it is asked is taken for dead. */
  readonly leaderTimeoutMs: number
}

interface Tab extends SharedFetchOptions {
  isLeaderDead: boolean
}

/** One request of the session, and how to end it. */
interface Request {
  readonly url: string
  readonly init: RequestInit
  readonly place: Place
  readonly controller: AbortController
}

/**
 * A `fetch` for a session whose stream is read by one tab for all. It decides only who reads: each session goes on
 * from its own last id, leaves out what it has and asks for what it lacks, so that nothing can be lost or doubled here.
 */
export function createSharedFetch(options: SharedFetchOptions): FetchFunction {
  const tab = { ...options, isLeaderDead: false }
  return async (url, init) => {
    const controller = new AbortController()
    const { signal } = init
    signal?.throwIfAborted()
    // The session's signal outlives its requests: a request that is over takes its listener away.
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
    // Asked for before the answer begins, whose headers are those of the server.
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

/** Makes the request of a tab that reads for all; the right to do so ends with a refusal. */
async function open(tab: Tab, request: Request, { lost, end }: Lead): Promise<Response> {
  const { inbox } = tab
  const giveUp = (): void => {
    inbox.ownPosition = undefined
    end()
  }
  lost.addEventListener('abort', () => request.controller.abort(lost.reason))
  // A tab whose server takes its time is not dead, and says so to those who ask.
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

/** Reads what another tab tells, and reads for all when that one is gone. */
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
      // The end counts for those who have all that came before it.
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

/** Reads by itself until it is where the others are; true if the stream has ended before. */
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
  throw new Error('cut off')
}

/** Reads the answer to a prompt or to results, for all if nobody does so yet. */
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
