import { MillraceError } from '../../../errors/index.ts'
import type { Prompt } from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import type { ProducerRequest, Verdict } from '../../port/index.ts'
import type { Produced } from '../../state/index.ts'
import type { LoopEvent } from '../loop-event.ts'
import type { CallLedger } from './call-ledger.ts'
import { judgeRequest } from './judge-request.ts'

/** A request that was accepted, or a message to the run. */
export type FeedItem =
  | {
      readonly type: 'open' | 'append'
      /** The id of the request that opens the run. */
      readonly id?: string
      readonly events: readonly LoopEvent[]
      readonly resolve: (reply: JsonObject) => void
    }
  | { readonly type: 'steer'; readonly prompt: Prompt }

/** Accepts the requests of producers and the messages to a run, in their order, until the run ends. */
export class ProducerFeed {
  #produced: Produced | undefined
  #ledger: CallLedger | undefined
  #queue: FeedItem[] = []
  readonly #rejects = new Set<(error: unknown) => void>()
  #wake = (): void => {}
  #failure: { readonly error: unknown } | undefined
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Accepts requests from the progress of the stored run on. */
  begin(produced: Produced, ledger: CallLedger): void {
    this.#produced = produced
    this.#ledger = ledger
  }

  /** Passes a message to the run; false if it is ending. */
  steer(prompt: Prompt): boolean {
    if (this.#isClosed) return false
    this.#push({ type: 'steer', prompt })
    return true
  }

  /** Notes how many messages were passed on. */
  passedOn(steers: number): void {
    if (this.#produced !== undefined) this.#produced = { ...this.#produced, steers }
  }

  /** Judges a request, and accepts it unless it is refused. Throws if an event is wrong. */
  offer(request: ProducerRequest): Verdict {
    const produced = this.#produced
    if (produced === undefined || this.#isClosed) return { verdict: 'conflict', error: ending() }
    const verdict = judgeRequest(produced, request, 'running')
    if (verdict.error !== undefined) return verdict
    const events = verdict.verdict === 'taken' ? this.#accept(produced, request) : []
    return { ...verdict, reply: this.#add(request, events) }
  }

  /** Resolves with the next item; undefined after `ms`, or when the feed is woken without one. */
  async next(ms: number): Promise<FeedItem | undefined> {
    if (this.#queue.length === 0 && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    if (this.#failure !== undefined) throw this.#failure.error
    return this.#queue.shift()
  }

  wake(): void {
    this.#wake()
  }

  /** Fails the run. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake()
  }

  /** Accepts nothing more. Requests without a reply are judged again by the stored state. */
  close(): void {
    this.#isClosed = true
    for (const reject of this.#rejects) reject(ending())
    this.#rejects.clear()
  }

  /** Checks the events of a request that were not taken before; nothing is accepted if one is wrong. */
  #accept(produced: Produced, request: ProducerRequest): readonly LoopEvent[] {
    if (request.type === 'open') {
      this.#produced = { ...produced, epoch: produced.epoch + 1, opening: request.id }
      return []
    }
    const ledger = this.#ledger?.copy()
    const events = ledger?.takeFresh(request, produced) ?? []
    this.#produced = { ...produced, next: produced.next + events.length }
    this.#ledger = ledger
    return events
  }

  /** A repeated request is queued too: the reply must not come before that to the first one is stored. */
  #add(request: ProducerRequest, events: readonly LoopEvent[]): Promise<JsonObject> {
    const reply = new Promise<JsonObject>((resolve, reject) => {
      this.#rejects.add(reject)
      const done = (value: JsonObject): void => {
        this.#rejects.delete(reject)
        resolve(value)
      }
      const id = request.type === 'open' ? { id: request.id } : {}
      this.#push({ type: request.type, ...id, events, resolve: done })
    })
    // The caller may have left.
    reply.catch(() => {})
    return reply
  }

  #push(item: FeedItem): void {
    this.#queue.push(item)
    this.#wake()
  }
}

function ending(): MillraceError {
  return new MillraceError(
    'overloaded',
    'The run is ending on this server; send the request again.',
  )
}
