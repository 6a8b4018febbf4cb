import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'
import {
  type RunInfo,
  type SpanAttributes,
  type SpanInfos,
  type SpanOutcome,
  type WorkKind,
  type WorkSpan,
  toUsageTotals,
  type Usage,
} from '../events/index.ts'
import { redactText } from '../outbound/index.ts'
import type { ContentAttributes } from './content-attributes.ts'
import type { TelemetryApi } from './load-api.ts'

/** Shared state of all spans of one telemetry. */
export interface Tracing {
  readonly api: TelemetryApi
  readonly tracer: Tracer
  readonly content: ContentAttributes
  /** Whether error messages are recorded. They may quote content. */
  readonly capturesMessages: boolean
  providerOf(model: string): string
  now(): number
}

const CONVERSATION = 'gen_ai.conversation.id'

/** An OpenTelemetry span of a run, step, model call or tool call. */
export class TracedSpan implements WorkSpan {
  readonly #tracing: Tracing
  readonly #kind: WorkKind | 'run'
  readonly #span: Span
  readonly #context: Context
  /** Attributes of the agent, equal on all spans of a run. */
  readonly #owner: Attributes
  readonly #startedAt: number
  #isEnded = false

  private constructor(
    tracing: Tracing,
    { kind, opening, owner, parent }: SpanPosition,
    content: Attributes,
  ) {
    const { api, tracer } = tracing
    const attributes = { ...opening.attributes, ...owner, ...content }
    const options = { kind: api.SpanKind[opening.kind], attributes }
    this.#tracing = tracing
    this.#kind = kind
    this.#owner = owner
    this.#span = tracer.startSpan(opening.name, options, parent)
    this.#context = api.trace.setSpan(parent, this.#span)
    this.#startedAt = tracing.now()
  }

  /** Starts a run span: below the call that spawned the run, or below the active span. */
  static startRun(tracing: Tracing, info: RunInfo): TracedSpan {
    const { agent, name, model } = info
    const spawner = info.parent instanceof TracedSpan ? info.parent : undefined
    const conversation = spawner === undefined ? agent : spawner.#owner[CONVERSATION]
    const owner = {
      [CONVERSATION]: conversation,
      'gen_ai.agent.id': agent,
      ...(name !== undefined && { 'gen_ai.agent.name': name }),
    }
    const opening = openingOfRun(info, tracing.providerOf(model))
    const parent = spawner === undefined ? tracing.api.context.active() : spawner.#context
    const place = { kind: 'run', opening, owner, parent } as const
    return new TracedSpan(tracing, place, tracing.content.ofRun(info))
  }

  start<Kind extends WorkKind>(kind: Kind, info: SpanInfos[Kind]): WorkSpan {
    const provider = 'model' in info ? this.#tracing.providerOf(info.model) : ''
    const opening = openings[kind](info, provider)
    const content = this.#tracing.content.ofStart(kind, info)
    const place = { kind, opening, owner: this.#owner, parent: this.#context }
    return new TracedSpan(this.#tracing, place, content)
  }

  event(name: string, attributes: SpanAttributes = {}): void {
    if (this.#isEnded) return
    if (name === 'first_chunk') return this.#markFirstChunk()
    const named = Object.entries(attributes).map(
      ([key, value]) => [`millrace.${key}`, value] as const,
    )
    this.#span.addEvent(`millrace.${name}`, Object.fromEntries(named))
  }

  end(outcome: SpanOutcome = {}): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { api, content, capturesMessages } = this.#tracing
    this.#span.setAttributes({
      ...closingAttributes(this.#kind, outcome),
      ...content.ofEnd(this.#kind, outcome),
    })
    if (outcome.error !== undefined) {
      const { message } = outcome.error
      this.#span.setStatus({
        code: api.SpanStatusCode.ERROR,
        ...(capturesMessages && { message: redactText(message) }),
      })
    }
    this.#span.end()
  }

  run<Result>(work: () => Result): Result {
    return this.#tracing.api.context.with(this.#context, work)
  }

  #markFirstChunk(): void {
    const seconds = (this.#tracing.now() - this.#startedAt) / 1000
    this.#span.setAttribute('gen_ai.response.time_to_first_chunk', seconds)
  }
}

interface SpanPosition {
  readonly kind: WorkKind | 'run'
  readonly opening: SpanOpening
  readonly owner: Attributes
  readonly parent: Context
}

/** Initial data of a span, by the GenAI conventions. */
interface SpanOpening {
  readonly name: string
  readonly kind: 'INTERNAL' | 'CLIENT'
  readonly attributes: Attributes
}

function openingOfRun({ name, model, runId }: RunInfo, provider: string): SpanOpening {
  return {
    name: name === undefined ? 'invoke_agent' : `invoke_agent ${name}`,
    kind: 'INTERNAL',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'millrace.run.id': runId,
    },
  }
}

/** Initial data of spans within a run, by kind. */
const openings: {
  readonly [Kind in WorkKind]: (info: SpanInfos[Kind], provider: string) => SpanOpening
} = {
  step: ({ step }) => ({ name: 'step', kind: 'INTERNAL', attributes: { 'millrace.step': step } }),
  model: ({ model, attempt, request }, provider) => ({
    name: `chat ${model}`,
    kind: 'CLIENT',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': request.maxTokens,
      'gen_ai.request.stream': true,
      'millrace.attempt': attempt,
    },
  }),
  tool: ({ name, callId, description }) => ({
    name: `execute_tool ${name}`,
    kind: 'INTERNAL',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      ...(description !== undefined && { 'gen_ai.tool.description': description }),
    },
  }),
}

/** Kinds of spans with usage: model calls, and runs as their sum. Usage on steps would be counted twice. */
const usageKinds: ReadonlySet<WorkKind | 'run'> = new Set(['run', 'model'])

/** Returns the final attributes of a span, without content. */
function closingAttributes(kind: WorkKind | 'run', outcome: SpanOutcome): Attributes {
  const { error, stopReason, usage, steps, costUsd, responseModel, responseId } = outcome
  return {
    ...(error && { 'error.type': error.type }),
    ...(stopReason && toStopReason(kind, stopReason)),
    ...(usage && usageKinds.has(kind) && toUsageAttributes(usage)),
    ...(steps !== undefined && { 'millrace.steps': steps }),
    ...(costUsd !== undefined && { 'millrace.cost_usd': costUsd }),
    ...(responseModel !== undefined && { 'gen_ai.response.model': responseModel }),
    ...(responseId !== undefined && { 'gen_ai.response.id': responseId }),
  }
}

/** The conventions define an attribute for the stop reason of a model only. */
function toStopReason(kind: WorkKind | 'run', stopReason: string): Attributes {
  return kind === 'model'
    ? { 'gen_ai.response.finish_reasons': [stopReason] }
    : { 'millrace.stop_reason': stopReason }
}

function toUsageAttributes(usage: Usage): Attributes {
  const { inputTokens, outputTokens } = toUsageTotals(usage)
  const { cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(typeof written === 'number' && { 'gen_ai.usage.cache_creation.input_tokens': written }),
    ...(typeof read === 'number' && { 'gen_ai.usage.cache_read.input_tokens': read }),
  }
}
