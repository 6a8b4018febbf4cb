import {
  type AgentEvent,
  type AnnouncedCall,
  type BlockCitation,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type ContentBlock,
  failureOf,
  isCall,
  type MessageEnd,
  type ModelEvent,
  type ModelRequest,
  noTelemetry,
  noUsage,
  retryOfCut,
  type SpanOutcome,
  streamWithin,
  toCitation,
} from '../../events/index.ts'
import { nameCalls } from '../calls/call-ids.ts'
import { continueStream, type InterruptedAnswer } from './continue-answer.ts'
import { type AgentSettings, currentSpan, priceOf, type Run, type RunStream } from '../run.ts'
import { untilAborted } from '../until-aborted.ts'

type BlockEvent = BlockStart | BlockDelta | BlockCitation | BlockEnd

/** One answer of the model, complete or not. */
export interface Reply {
  readonly end: MessageEnd
  /** The id of the model, as the provider reports it. */
  readonly model: string
  /** The provider's id of the message, once it has started. */
  readonly messageId?: string
  /** Its complete calls. */
  readonly calls: readonly AnnouncedCall[]
  readonly cutCalls: readonly string[]
  /** Whether any of it was emitted. */
  readonly isShown: boolean
}

interface ModelCall {
  readonly request: ModelRequest
  readonly attempt: number
  /** The interrupted answer that the request continues. */
  readonly answer?: InterruptedAnswer | undefined
}

/** Calls the model once and emits its output as it arrives. */
export async function* callModel(
  run: Run,
  { request, attempt, answer }: ModelCall,
): RunStream<Reply> {
  const { settings } = run
  const model = run.model.id
  if (run.signal.aborted) {
    const { content = [] } = answer ?? {}
    const isShown = answer !== undefined
    return { end: cutEnd(true, content), model, calls: [], cutCalls: [], isShown }
  }
  const span = currentSpan(run).start('model', { model, attempt, request })
  const cut = new AbortController()
  run.interrupt = () => cut.abort()
  const signal = AbortSignal.any([run.signal, cut.signal])
  try {
    const ask = () => {
      const source = run.model.stream(request, { signal, permit: run.permit })
      return answer === undefined ? source : continueStream(source, answer)
    }
    // Without telemetry, tokens pass through no additional generator.
    const open = settings.telemetry === noTelemetry ? ask : () => streamWithin(span, ask)
    const reply = yield* readReply(run, open, { signal, answer })
    span.end(toOutcome(reply, settings))
    return reply
  } finally {
    span.end()
    run.interrupt = undefined
    cut.abort()
  }
}

async function* readReply(
  run: Run,
  open: () => AsyncIterable<ModelEvent>,
  {
    signal,
    answer,
  }: { readonly signal: AbortSignal; readonly answer: InterruptedAnswer | undefined },
): RunStream<Reply> {
  const { settings, state } = run
  /** The complete blocks, and the interrupted text. */
  const whole: ContentBlock[] = [...(answer?.content ?? [])]
  const inputTexts = new Map<unknown, string>()
  const names = nameCalls(run.callIds, state.agent)
  let model = run.model.id
  let messageId: string | undefined
  let isShown = answer !== undefined
  let end: MessageEnd | undefined
  try {
    for await (const event of untilAborted(open(), signal, settings.abortGraceMs)) {
      // The source is read to its end, so that its connection can be reused.
      if (event.type === 'message_end') end = { ...event, content: names.content(event.content) }
      if (event.type === 'message_start') ({ model, messageId } = event)
      if (event.type === 'notice') settings.onNotice(event)
      if (!isBlockEvent(event) || end !== undefined) continue
      isShown = true
      const named = 'kind' in event ? names.rename(event) : event
      if (named.type === 'block_end') {
        if (named.block === answer?.block) whole.pop()
        whole.push(named.content)
        if (named.inputText !== undefined) inputTexts.set(named.content['id'], named.inputText)
      }
      yield stamp(named, state.agent)
    }
  } catch (error) {
    settings.onError(error)
    end ??= brokenEnd(whole)
  }
  end ??= cutEnd(signal.aborted, whole)
  const calls = end.content.filter(isCall).map((block) => toCall(block, inputTexts))
  const cutCalls = names.cut()
  return { end, model, calls, cutCalls, isShown, ...(messageId !== undefined && { messageId }) }
}

function toOutcome({ end, model, messageId }: Reply, settings: AgentSettings): SpanOutcome {
  const { stopReason, usage, content, outcome } = end
  const cost = priceOf(settings, usage, model)
  const isFailed = outcome === 'failed' || outcome === 'interrupted'
  return {
    stopReason,
    usage,
    content,
    responseModel: model,
    ...(messageId !== undefined && { responseId: messageId }),
    ...(cost !== null && { costUsd: cost.total }),
    ...(isFailed && { error: toSpanError(end) }),
  }
}

function toSpanError(end: MessageEnd): NonNullable<SpanOutcome['error']> {
  const { type, message } = failureOf(end)
  return { type: end.failure === undefined ? end.outcome : type, message }
}

function isBlockEvent(event: ModelEvent): event is BlockEvent {
  return event.type.startsWith('block_')
}

/** Adds the agent to an event. Deltas are copied by field, because a spread would cost more than all their other processing. */
function stamp(event: BlockEvent, agent: string): AgentEvent {
  const { type, block } = event
  if (type === 'block_citation')
    return { type: 'citation', agent, block, ...toCitation(event.citation) }
  if (type !== 'block_delta') return { ...event, agent }
  return { type, agent, block, text: event.text }
}

function toCall(block: ContentBlock, inputTexts: ReadonlyMap<unknown, string>): AnnouncedCall {
  const { id, name, input } = block
  const inputText = inputTexts.get(id) ?? JSON.stringify(input ?? {})
  return { id: String(id), name: String(name), inputText }
}

/** Creates the end of a stream without a last event: it was stopped or interrupted. */
function cutEnd(isAborted: boolean, content: readonly ContentBlock[]): MessageEnd {
  const outcome = isAborted ? 'aborted' : 'interrupted'
  const retry = retryOfCut(outcome, { isBegun: content.length > 0 })
  return { type: 'message_end', outcome, stopReason: null, usage: noUsage, content, retry }
}

function brokenEnd(content: readonly ContentBlock[]): MessageEnd {
  const message = 'The connection to the model failed unexpectedly; see the server’s log.'
  const failure = { type: 'model_error', message, retriable: false }
  return {
    type: 'message_end',
    outcome: 'failed',
    stopReason: null,
    usage: noUsage,
    content,
    failure,
    retry: 'none',
  }
}
