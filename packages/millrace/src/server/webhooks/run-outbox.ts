import type { CommandChange, NewCommand } from '../../stores/port/index.ts'
import type { RunEvent } from '../../webhooks/index.ts'
import type { ReportError } from '../handler-options.ts'
import type { Deliveries, DeliveryPlace } from './deliveries.ts'
import { encodeDelivery } from './stored-delivery.ts'
import { type RecordedEnd, toRunEvent } from './to-run-event.ts'
import type { Endpoint } from './webhook-options.ts'

/** Receivers of run events. */
interface OutboxOptions {
  readonly endpoints?: readonly Endpoint[]
  readonly onEvent?: (event: RunEvent) => unknown
  readonly deliveries: Deliveries
  readonly onError: ReportError
}

/** The event of one run, from its end until it is stored. */
export class RunOutbox {
  readonly #options: OutboxOptions
  readonly #place: DeliveryPlace
  #event: RunEvent | undefined
  #commands: readonly NewCommand[] = []
  #isTaken = false

  constructor(options: OutboxOptions, place: DeliveryPlace) {
    this.#options = options
    this.#place = place
  }

  add(end: RecordedEnd): void {
    const { endpoints = [], onEvent } = this.#options
    if (endpoints.length === 0 && onEvent === undefined) return
    const event = toRunEvent(this.#place.session, end)
    this.#event = event
    this.#commands = endpoints
      .filter(({ events }) => events.has(event.type))
      .map((endpoint) => encodeDelivery(event, endpoint))
  }

  /** Returns the deliveries to store in the same append as the end, once. [HOOK-1] */
  takeCommands(): readonly CommandChange[] {
    if (this.#isTaken || this.#event === undefined) return []
    this.#isTaken = true
    return this.#commands.map((command) => ({ ...command, isPending: true }))
  }

  /** Publishes the event after the end is stored. */
  publish(): void {
    const { onEvent, deliveries, onError } = this.#options
    if (this.#event === undefined) return
    deliveries.take(this.#place, this.#commands)
    if (onEvent === undefined) return
    const report = (error: unknown): void => onError(error, { session: this.#place.session })
    try {
      Promise.resolve(onEvent(this.#event)).catch(report)
    } catch (error) {
      report(error)
    }
  }
}
