import type { Attributes } from '@opentelemetry/api'
import {
  type RunInfo,
  type SpanInfos,
  type SpanOutcome,
  toUsageTotals,
  type Usage,
  type WorkKind,
} from '../events/index.ts'

/** Initial data of a span, by the GenAI conventions. */
export interface SpanOpening {
  readonly name: string
  readonly kind: 'INTERNAL' | 'CLIENT'
  readonly attributes: Attributes
}

/** Returns the initial data of a run span. */
export function openingOfRun({ name, model, runId }: RunInfo, provider: string): SpanOpening {
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
export const openings: {
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
export function closingAttributes(kind: WorkKind | 'run', outcome: SpanOutcome): Attributes {
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
