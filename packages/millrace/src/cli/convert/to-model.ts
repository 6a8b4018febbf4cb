import { blockKey, createJoiner, type Envelope, traitsOf } from '../../envelope/index.ts'
import type { ModelEvent } from '../../events/index.ts'
import { isJsonObject, parseJsonObject } from '../../json/index.ts'
import { type Counter, createCounter } from './counter.ts'
import { MessageBuilder } from './message-builder.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** What a whole message of the root agent does to the message of its model. */
type Deed = (builder: MessageBuilder, whole: Envelope, omitted: Counter) => void

/** Runs that ended for these reasons may have left their model's message open. */
const cutting: ReadonlySet<unknown> = new Set(['aborted', 'error'])

/** Ends the model's message for a reason that its own end may or may not have told. */
const endAfter =
  (reason?: string): Deed =>
  (builder, { delta }) => {
    const { stop_reason: told, usage } = parseJsonObject(delta) ?? {}
    if (cutting.has(told)) return builder.cut()
    const stopReason = typeof told === 'string' ? told : reason
    builder.end({ stopReason, usage: isJsonObject(usage) ? usage : undefined })
  }

const omit: Deed = (_, { type }, omitted) => omitted.add(type)

const deeds: Readonly<Record<string, Deed>> = {
  meta_init(builder, { delta }) {
    builder.end({})
    const { model } = parseJsonObject(delta) ?? {}
    builder.setModel(typeof model === 'string' ? model : '')
  },
  citation: (builder, item) => builder.cite(item),
  tool_call: (builder, whole) => builder.addCall(whole),
  server_tool_call: (builder, whole) => builder.addCall(whole),
  server_tool_result: (builder, whole) => builder.addResult(whole),
  tool_result(builder, whole, omitted) {
    builder.end({ stopReason: 'tool_use' })
    omit(builder, whole, omitted)
  },
  tool_result_image: omit,
  awaiting_frontend_tools: endAfter('tool_use'),
  awaiting_approval: endAfter('tool_use'),
  meta_step: endAfter(),
  meta_end: endAfter(),
  meta_final: endAfter(),
  rollback: (builder) => builder.fail('api_error', 'The answer was cut and is being given anew.'),
  error(builder, { delta }) {
    const { type, message } = parseJsonObject(delta) ?? {}
    builder.fail(String(type ?? 'api_error'), String(message ?? delta))
  },
}

/**
 * Turns the messages of a run into what its root agent's model said: one message for each step. Results of tools,
 * sub-agents and files are no part of that.
 */
export function toModel(): Stage<WireItem, ModelEvent> {
  const builder = new MessageBuilder()
  const joiner = createJoiner()
  const omitted = createCounter()
  let root: string | undefined

  function take(envelope: Envelope): void {
    root ??= envelope.agent
    if (envelope.agent !== root) return omitted.add('messages of sub-agents')
    if (envelope.type !== 'citation') builder.settle()
    if (traitsOf(envelope.type)?.emission === 'incremental') {
      return builder.stream(blockKey(envelope), envelope)
    }
    const whole = joiner.push(envelope)
    if (whole !== undefined) (deeds[whole.type] ?? omit)(builder, whole, omitted)
  }

  return {
    push(item) {
      if (item === DONE) builder.end({})
      else take(item)
      return builder.take()
    },
    end() {
      builder.cut()
      return builder.take()
    },
    notes() {
      const list = omitted.list()
      return list === '' ? [] : [`A stream of the Messages API cannot say: ${list}.`]
    },
  }
}
