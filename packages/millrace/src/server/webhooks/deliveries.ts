import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { NewCommand, Store } from '../../stores/port/index.ts'
import { sleep, startIdleTimer } from '../../streams/index.ts'
import type { ReportError } from '../handler-options.ts'
import { postEvent } from './post-event.ts'
import { MAX_ATTEMPTS, retryDelay } from './retry-delay.ts'
import { decodeDelivery, type StoredDelivery } from './stored-delivery.ts'
import type { Endpoint } from './webhook-options.ts'

/** A server holds at most this many deliveries in memory; the store keeps the others, and a later sweep finds them. */
const MAX_HELD = 10_000

/** So many deliveries of one session may wait; the oldest are given up for newer ones. */
const MAX_PER_SESSION = 32

/** So many requests to one receiver are under way at once; a slow receiver does not hold up the others. */
const MAX_PER_ENDPOINT = 4

/** A claim outlasts by so much what it is taken for, so that another server tries only if this one is gone. */
const GRACE_MS = 2_000

/** A store that fails is asked again after so long. */
const STORE_RETRY_MS = 5_000

/** Requests under way have so long to end when the server closes. */
const CLOSE_MS = 2_000

/** Where deliveries are stored, and how they are sent. */
export interface DeliveriesOptions {
  readonly store: Store
  readonly endpoints?: readonly Endpoint[]
  readonly now: () => number
  /** A receiver has so long to answer. */
  readonly webhookTimeoutMs: number
  /** The first retry comes after about so long. */
  readonly webhookRetryMs: number
  readonly onError: ReportError
}

/** The place of a session in the store. */
export interface DeliveryPlace {
  readonly session: string
  readonly log: string
}

/** Sends events to receivers, until they are accepted or given up. Nothing waits for it. */
export interface Deliveries {
  /** Holds the deliveries among pending commands and sends them; returns the other commands. */
  take<Given extends NewCommand>(place: DeliveryPlace, commands: readonly Given[]): Given[]
  /** The sessions of the deliveries that this server holds. */
  sessions(): ReadonlySet<string>
  /** Waits a moment for requests under way; what is not delivered stays in the store. */
  close(): Promise<void>
}

/** A delivery that this server holds. Its event is read from the store when it is sent. */
interface HeldDelivery extends DeliveryPlace {
  readonly key: string
  readonly endpoint: Endpoint
  /** How it has ended, if that could not be stored yet. */
  outcome?: Outcome
  hasFailed: boolean
}

type Outcome = 'done' | 'failed'

/** The deliveries to one endpoint that are due. */
interface Queue {
  readonly due: HeldDelivery[]
  active: number
}

/** Creates the deliveries of a server. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  return new EndpointDeliveries(options)
}

class EndpointDeliveries implements Deliveries {
  readonly #options: DeliveriesOptions
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  readonly #held = new Map<string, HeldDelivery>()
  readonly #queues = new Map<string, Queue>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #flights = new Set<Promise<void>>()
  /** A name of its own: a restarted server does not take over the claims of the one before. */
  readonly #holder = crypto.randomUUID()
  readonly #aborted = new AbortController()
  #isClosed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#endpoints = new Map((options.endpoints ?? []).map((endpoint) => [endpoint.id, endpoint]))
  }

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
      if (index < surplus) this.#giveUp({ ...place, key }, delivery, 'newer events wait too')
      else this.#hold({ ...place, key }, delivery)
    })
    return others
  }

  sessions(): ReadonlySet<string> {
    return new Set([...this.#held.values()].map(({ session }) => session))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#untilIdle()
    for (const { due } of this.#queues.values()) due.length = 0
    this.#aborted.abort()
    await this.#untilIdle()
  }

  /** Resolves when no request is under way, or after a moment. */
  async #untilIdle(): Promise<void> {
    const over = new AbortController()
    const isIdle = async (): Promise<void> => {
      while (this.#flights.size > 0 && !over.signal.aborted) await Promise.all(this.#flights)
    }
    await Promise.race([isIdle(), sleep(CLOSE_MS, over.signal)])
    over.abort()
  }

  #hold(place: DeliveryPlace & { readonly key: string }, delivery: StoredDelivery): void {
    const endpoint = this.#endpoints.get(delivery.endpoint)
    if (endpoint === undefined) {
      // Another server of the store may have this receiver among its own.
      if (this.#nextDelay(delivery) === undefined)
        this.#giveUp(place, delivery, 'no server has it among its `webhooks` any more')
      return
    }
    const name = nameOf(place)
    if (this.#isClosed || this.#held.has(name) || this.#held.size >= MAX_HELD) return
    const held = { ...place, endpoint, hasFailed: false }
    this.#held.set(name, held)
    this.#enqueue(held)
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
      const flight = this.#attempt(held).finally(() => {
        this.#flights.delete(flight)
        queue.active--
        this.#startNext(queue)
      })
      this.#flights.add(flight)
    }
  }

  /** Tries a delivery once, and plans the next attempt. */
  async #attempt(held: HeldDelivery): Promise<void> {
    try {
      const delayMs = await this.#deliver(held)
      if (delayMs === undefined) this.#held.delete(nameOf(held))
      else this.#waitFor(held, delayMs)
    } catch (error) {
      // With its session the delivery is gone.
      if (isMillraceError(error) && goneCodes.has(error.code)) this.#held.delete(nameOf(held))
      else {
        this.#options.onError(error, { session: held.session })
        this.#waitFor(held, STORE_RETRY_MS)
      }
    }
  }

  /** Delivers an event unless another server does; resolves with the time to the next attempt, if there is one. */
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
      this.#report(held, delivery, `${failure}. It is given up after ${MAX_ATTEMPTS} attempts`)
      return this.#settle(held, 'failed')
    }
    if (!held.hasFailed)
      this.#report(held, delivery, `${failure}. It is tried again in ${Math.ceil(delayMs)} ms`)
    held.hasFailed = true
    // The claim keeps the time of the next attempt, also if this server dies.
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

  /** Ends a delivery without another attempt, whether this server holds it or not. */
  #giveUp(place: HeldPlace, delivery: StoredDelivery, reason: string): void {
    const { store, onError } = this.#options
    const { session, key, log } = place
    this.#held.delete(nameOf(place))
    this.#report(place, delivery, `${reason}. It is given up`)
    store.settle(session, { key, body: 'failed' }, log).catch((error: unknown) => {
      if (!isMillraceError(error) || !goneCodes.has(error.code)) onError(error, { session })
    })
  }

  #report({ session }: DeliveryPlace, delivery: StoredDelivery, problem: string): void {
    const { endpoint, eventId } = delivery
    const { url } = this.#endpoints.get(endpoint) ?? {}
    // The path of a URL may be a secret.
    const receiver = url === undefined ? 'an unknown receiver' : new URL(url).origin
    const message = `Event ${eventId} was not delivered to ${receiver}: ${problem}.`
    this.#options.onError(new MillraceError('internal', message), { session })
  }
}

type HeldPlace = Pick<HeldDelivery, 'session' | 'log' | 'key'>

/** What a store says of a session that was removed. */
const goneCodes: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])

function nameOf({ log, key }: Pick<HeldDelivery, 'log' | 'key'>): string {
  return `${log} ${key}`
}
