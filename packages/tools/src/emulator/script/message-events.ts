import type { JsonObject } from 'millrace'
import type { BlockPlan } from './block-plan.ts'
import type { MessageScript } from './message-script.ts'

interface ScriptEvent {
  readonly event: JsonObject
  /** Number of tokens, which determines the time to the next event. */
  readonly tokens: number
  /** Time that the provider works before the event, scaled by the pace. */
  readonly waitMs: number
}

/** Yields the events of a message, in the order of the Messages API. */
export function* toEvents(script: MessageScript): Generator<ScriptEvent, void, undefined> {
  yield toScriptEvent({ type: 'message_start', message: toStart(script) })
  if (script.isPrefilled) return yield toScriptEvent({ type: 'message_stop' })
  for (const [index, plan] of script.plans.entries()) yield* blockEvents(plan, index)
  if (script.error !== undefined)
    return yield toScriptEvent({ type: 'error', error: { ...script.error } })
  yield toScriptEvent(toEnd(script))
  yield toScriptEvent({ type: 'message_stop' })
}

/** Returns the blocks of a scripted message. */
export function toContent({ plans }: MessageScript): readonly JsonObject[] {
  return plans.map(({ toWhole, pieces, isCut }) => toWhole(pieces.join(''), isCut))
}

/** Returns a scripted message as a whole. */
export function toMessage(script: MessageScript): JsonObject {
  const { stop, usage, contextManagement } = script
  return {
    ...toShell(script),
    content: toContent(script),
    ...stop,
    usage: { ...usage.start, ...usage.end },
    ...(contextManagement === undefined ? {} : { context_management: contextManagement }),
  }
}

function* blockEvents(plan: BlockPlan, index: number): Generator<ScriptEvent> {
  const { start, head, pieces, toDelta, tail, waitMs } = plan
  const delta = (content: JsonObject): ScriptEvent => ({
    event: { type: 'content_block_delta', index, delta: content },
    tokens: 1,
    waitMs: 0,
  })
  yield toScriptEvent({ type: 'content_block_start', index, content_block: start }, waitMs)
  // The position of the first ping in most of the recorded streams.
  if (index === 0) yield toScriptEvent({ type: 'ping' })
  for (const content of head) yield delta(content)
  for (const piece of pieces) yield delta(toDelta(piece))
  for (const content of tail) yield delta(content)
  if (!plan.isOpen) yield toScriptEvent({ type: 'content_block_stop', index })
}

function toScriptEvent(event: JsonObject, waitMs = 0): ScriptEvent {
  return { event, tokens: 0, waitMs }
}

function toStart(script: MessageScript): JsonObject {
  const { usage } = script
  if (script.isPrefilled) return toMessage(script)
  const ends = { stop_reason: null, stop_sequence: null, stop_details: null }
  return { ...toShell(script), content: [], ...ends, usage: usage.start }
}

function toShell({ model, id }: MessageScript): JsonObject {
  return { model, id, type: 'message', role: 'assistant' }
}

function toEnd({ stop, usage, contextManagement }: MessageScript): JsonObject {
  const context = contextManagement === undefined ? {} : { context_management: contextManagement }
  return { type: 'message_delta', delta: stop, usage: usage.end, ...context }
}
