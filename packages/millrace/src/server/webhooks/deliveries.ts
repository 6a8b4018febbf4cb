import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { NewCommand, SessionInfo, Store, UnattendedSession } from '../../stores/port/index.ts'
import { sleep, startIdleTimer } from '../../streams/index.ts'
import type { ReportError } from '../handler-options.ts'
import {
  decodeDelivery,
  MAX_ATTEMPTS,
  postEvent,
  retryDelay,
  type StoredDelivery,
} from './post-event.ts'
import type { Endpoint } from './webhook-options.ts'

/** Maximum deliveries in memory; the store keeps the others, and a later sweep finds them. */
const MAX_HELD = 10_000

/** Maximum pending deliveries of one session; the oldest are dropped for newer ones. */
const MAX_PER_SESSION = 32

/** Maximum concurrent requests to one endpoint; a slow endpoint does not delay others. */
const MAX_PER_ENDPOINT = 4

/** A claim outlives its request by this much, so that other servers only retry if this one is gone. */
const GRACE_MS = 2_000

/** Delay after a failure of the store. */
const STORE_RETRY_MS = 5_000

/** Time in which active requests may end when the server closes. */
const CLOSE_MS = 2_000

interface DeliveriesOptions {
  readonly store: Store
  readonly endpoints?: readonly Endpoint[]
  readonly now: () => number
  /** Time limit of a request. */
  readonly webhookTimeoutMs: number
  /** Approximate delay before the first retry. */
  readonly webhookRetryMs: number
  readonly onError: ReportError
}

/** The session and log of a delivery. */
export interface DeliveryPlace {
  readonly session: string
  readonly log: string
}

/** A delivery held by this server. Its event is read from the store when it is sent. */
interface HeldDelivery extends DeliveryPlace {
  readonly key: string
  readonly endpoint: Endpoint
  /** The outcome, if it could not be stored yet. */
  outcome?: Outcome
  hasFailed: boolean
}

type Outcome = 'done' | 'failed'

/** The deliveries to one endpoint that are due. */
interface Queue {
  readonly due: HeldDelivery[]
  active: number
}

/** Delivers events to endpoints, with retries. Runs in the background. */
export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  readonly #held = new Map<string, HeldDelivery>()
  /**
   * The states of inboxes with held deliveries alone, by log. Only deliveries are added without a new version, so another state has another
   * version or another number of commands.
   */
  readonly #known = new Map<string, string>()
  readonly #queues = new Map<string, Queue>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #requests = new Set<Promise<void>>()
  /** A new name for each process: a restarted server does not take over earlier claims. */
  readonly #holder = crypto.randomUUID()
  readonly #aborted = new AbortController()
  #isClosed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#endpoints = new Map((options.endpoints ?? []).map((endpoint) => [endpoint.id, endpoint]))
  }

  /** Takes deliveries from pending commands and sends them; returns the other commands. */
  take<Given extends NewCommand>(place: DeliveryPlace, commands: readonly Given[]): Given[] {
    const others: Given[] = []
    const found: { readonly key: string; readonly delivery: StoredDelivery }[] = []
    for (const command of commands) {
      const delivery = decodeDelivery(command)
      if (delivery === undefined) others.push(command)
      else found.push({ key: command.key, delivery })
    }
    const surplus = Math.max(0, found.length - MAX_PER_SESSION)
    found.forEach(({ key, delivery }, index) => {
      if (index < surplus)
        this.#giveUp({ ...place, key }, delivery, 'the session has too many pending events')
      else this.#hold({ ...place, key }, delivery)
    })
    return others
  }

  /** Like `take`, with all pending commands of a session that was read before them. */
  takeAll<Given extends NewCommand>(info: SessionInfo, commands: readonly Given[]): Given[] {
    const { session, log, inbox } = info
    const others = this.take({ session, log }, commands)
    const isHeld = commands.every(({ key }) => this.#held.has(nameOf({ log, key })))
    if (isHeld && commands.length > 0) this.#known.set(log, toState(inbox, commands.length))
    return others
  }

  /** Checks whether the pending commands of a session are deliveries that this server holds, and no others. */
  holdsAll({ log, inbox, pending }: UnattendedSession): boolean {
    return this.#known.get(log) === toState(inbox, pending)
  }

  /** Waits briefly for active requests; undelivered events stay in the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#untilIdle()
    for (const { due } of this.#queues.values()) due.length = 0
    this.#aborted.abort()
    await this.#untilIdle()
  }

  /** Resolves when no request is active, or after a time limit. */
  async #untilIdle(): Promise<void> {
    const over = new AbortController()
    const isIdle = async (): Promise<void> => {
      while (this.#requests.size > 0 && !over.signal.aborted) await Promise.all(this.#requests)
    }
    await Promise.race([isIdle(), sleep(CLOSE_MS, over.signal)])
    over.abort()
  }

  #hold(place: DeliveryPlace & { readonly key: string }, delivery: StoredDelivery): void {
    const endpoint = this.#endpoints.get(delivery.endpoint)
    if (endpoint === undefined) {
      // Another server of the store may have this endpoint.
      if (this.#nextDelay(delivery) === undefined)
        this.#giveUp(place, delivery, 'no server has it in its `webhooks`')
      return
    }
    const name = nameOf(place)
    if (this.#isClosed || this.#held.has(name) || this.#held.size >= MAX_HELD) return
    const held = { ...place, endpoint, hasFailed: false }
    this.#held.set(name, held)
    this.#enqueue(held)
  }

  #drop(place: Pick<HeldDelivery, 'log' | 'key'>): void {
    this.#held.delete(nameOf(place))
    this.#known.delete(place.log)
  }

  #enqueue(held: HeldDelivery): void {
    const queue = this.#queues.get(held.endpoint.id) ?? { due: [], active: 0 }
    this.#queues.set(held.endpoint.id, queue)
    queue.due.push(held)
    this.#startNext(queue)
  }

  #startNext(queue: Queue): void {
    while (queue.active < MAX_PER_ENDPOINT) {
      const held = queue.due.shift()
      if (held === undefined) return
      queue.active++
      const request = this.#attempt(held).finally(() => {
        this.#requests.delete(request)
        queue.active--
        this.#startNext(queue)
      })
      this.#requests.add(request)
    }
  }

  /** Attempts a delivery once and schedules the next attempt. */
  async #attempt(held: HeldDelivery): Promise<void> {
    try {
      const delayMs = await this.#deliver(held)
      if (delayMs === undefined) this.#drop(held)
      else this.#waitFor(held, delayMs)
    } catch (error) {
      // The delivery was removed with its session.
      if (isMillraceError(error) && goneCodes.has(error.code)) this.#drop(held)
      else {
        this.#options.onError(error, { session: held.session })
        this.#waitFor(held, STORE_RETRY_MS)
      }
    }
  }

  /** Delivers an event unless another server does; resolves with the delay before the next attempt, if any. */
  async #deliver(held: HeldDelivery): Promise<number | undefined> {
    const { store, webhookTimeoutMs } = this.#options
    const { holder, remainingMs } = await this.#claim(held, webhookTimeoutMs + GRACE_MS)
    if (holder !== this.#holder) return remainingMs + 1
    const command = await store.command(held.session, held.key, held.log)
    const delivery = command?.isPending === true ? decodeDelivery(command) : undefined
    if (delivery === undefined) {
      await this.#claim(held, 0)
      return undefined
    }
    const failure = held.outcome === undefined ? await this.#post(held, delivery) : undefined
    if (failure === undefined) return this.#settle(held, held.outcome ?? 'done')
    if (this.#isClosed && this.#aborted.signal.aborted) {
      await this.#claim(held, 0)
      return undefined
    }
    const delayMs = this.#nextDelay(delivery)
    if (delayMs === undefined) {
      this.#report(held, delivery, `${failure}. There is no retry after ${MAX_ATTEMPTS} attempts`)
      return this.#settle(held, 'failed')
    }
    if (!held.hasFailed)
      this.#report(held, delivery, `${failure}. The next attempt is in ${Math.ceil(delayMs)} ms`)
    held.hasFailed = true
    // The claim stores the time of the next attempt, even if this server dies.
    await this.#claim(held, delayMs + GRACE_MS)
    return delayMs
  }

  #post({ endpoint }: HeldDelivery, delivery: StoredDelivery): Promise<string | undefined> {
    const { now, webhookTimeoutMs: timeoutMs } = this.#options
    return postEvent({ endpoint, delivery, now, timeoutMs, signal: this.#aborted.signal })
  }

  async #settle(held: HeldDelivery, outcome: Outcome): Promise<undefined> {
    held.outcome = outcome
    const { session, key, log } = held
    await this.#options.store.settle(session, { key, body: outcome }, log)
    await this.#claim(held, 0)
  }

  #claim({ session, key }: Pick<HeldDelivery, 'session' | 'key'>, ms: number) {
    return this.#options.store.claim(session, key, this.#holder, ms)
  }

  #waitFor(held: HeldDelivery, ms: number): void {
    if (this.#isClosed) return
    const timer = startIdleTimer(() => {
      this.#timers.delete(timer)
      this.#enqueue(held)
    }, ms)
    this.#timers.add(timer)
  }

  #nextDelay({ createdAt }: StoredDelivery): number | undefined {
    const { now, webhookRetryMs } = this.#options
    return retryDelay(Math.max(0, now() - createdAt), webhookRetryMs)
  }

  /** Drops a delivery, whether this server holds it or not. */
  #giveUp(place: HeldPlace, delivery: StoredDelivery, reason: string): void {
    const { store, onError } = this.#options
    const { session, key, log } = place
    this.#drop(place)
    this.#report(place, delivery, `${reason}. There is no retry`)
    store.settle(session, { key, body: 'failed' }, log).catch((error: unknown) => {
      if (!isMillraceError(error) || !goneCodes.has(error.code)) onError(error, { session })
    })
  }

  #report({ session }: DeliveryPlace, delivery: StoredDelivery, problem: string): void {
    const { endpoint, eventId } = delivery
    const { url } = this.#endpoints.get(endpoint) ?? {}
    // The path of a URL may be a secret.
    const target = url === undefined ? 'an unknown endpoint' : new URL(url).origin
    const message = `Event ${eventId} was not delivered to ${target}: ${problem}.`
    this.#options.onError(new MillraceError('internal', message), { session })
  }
}

type HeldPlace = Pick<HeldDelivery, 'session' | 'log' | 'key'>

/** Error codes for a removed session. */
const goneCodes: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])

/** Returns a text that names a state of an inbox. */
function toState(version: number, pending: number): string {
  return `${version} ${pending}`
}

function nameOf({ log, key }: Pick<HeldDelivery, 'log' | 'key'>): string {
  return `${log} ${key}`
}
