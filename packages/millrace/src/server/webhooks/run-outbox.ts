import { isCompletion, isPauseReason, type RunEnd, toTokenCounts } from '../../events/index.ts'
import type { CommandChange, NewCommand } from '../../stores/port/index.ts'
import type { RunEvent, RunEventData, WaitingCall } from '../../webhooks/index.ts'
import type { ReportError } from '../handler-options.ts'
import type { EndPlace } from '../runs/run-record.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import type { StoredSession } from '../sessions/session-record.ts'
import type { Deliveries, DeliveryPlace } from './deliveries.ts'
import { encodeDelivery } from './post-event.ts'
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

const MAX_ANSWER = 2_000
const MAX_ERROR = 2_000
const MAX_CALLS = 20
/** Names and reasons of foreign agents may have any length. */
const MAX_NAME = 200

/** The end or pause of a run, and the session stored with it. */
interface RecordedEnd {
  readonly stored: StoredSession
  readonly event: RunEnd
  readonly place: EndPlace
}

/** Creates the event for the end or pause of a run. Its size is bounded. [HOOK-1] */
function toRunEvent(session: string, end: RecordedEnd): RunEvent {
  const { stored, event, place } = end
  const { stopReason } = event
  const data = toData(session, end)
  const about = {
    id: `evt_${crypto.randomUUID()}`,
    timestamp: new Date(place.at).toISOString(),
  }
  if (isPauseReason(stopReason)) {
    const calls = pendingCalls(stored)
    const pending = { pending: calls.slice(0, MAX_CALLS), total_pending: calls.length }
    return { ...about, type: 'run.waiting', data: { ...data, ...pending } }
  }
  if (isCompletion(stopReason)) return { ...about, type: 'run.completed', data }
  return { ...about, type: 'run.failed', data: { ...data, ...errorOf(place) } }
}

function toData(session: string, { stored, event, place }: RecordedEnd): RunEventData {
  const { agentType, runs: run, checkpoint, context } = stored
  const { stopReason, steps, usage, cost } = event
  const { answer } = place
  const runId = checkpoint?.run.id ?? stored.run?.id
  return {
    agent_uuid: session,
    agent_type: agentType,
    run,
    run_id: runId === undefined ? null : cut(runId, MAX_NAME),
    stop_reason: cut(stopReason, MAX_NAME),
    total_steps: steps,
    usage: toTokenCounts(usage),
    cost: cost ? { total_cost: cost.total, currency: cost.currency } : null,
    final_response: cut(answer, MAX_ANSWER),
    is_truncated: answer.length > MAX_ANSWER,
    ...(context !== undefined && { context }),
  }
}

function pendingCalls(stored: StoredSession): readonly WaitingCall[] {
  const { calls, approvals } = pendingIn(stored)
  const toCall =
    (kind: WaitingCall['kind']) =>
    ({ id, name, agent }: (typeof calls)[number]): WaitingCall => ({
      tool_use_id: cut(id, MAX_NAME),
      name: cut(name, MAX_NAME),
      agent,
      kind,
    })
  return [...calls.map(toCall('result')), ...approvals.map(toCall('approval'))]
}

/** Only the four fields that the stream has. */
function errorOf({ failure }: EndPlace) {
  if (failure === undefined) return {}
  const { type, message, code, retriable } = failure
  return { error: { type, message: cut(message, MAX_ERROR), code, retriable } }
}

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}
