import { checkOptions, type OptionTypes } from '../errors/index.ts'
import type { Tracer } from '@opentelemetry/api'
import type { AgentTelemetry } from '../events/index.ts'
import { createContentAttributes, noContent } from './content-attributes.ts'
import { loadApi } from './load-api.ts'
import { TracedSpan, type Tracing } from './traced-span.ts'

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** The tracer; default: the tracer `millrace` of the registered provider. */
  readonly tracer?: Tracer
  /** The provider of the models, as `gen_ai.provider.name`; default: derived from each model id. */
  readonly provider?: string
  /** Whether spans contain prompts, answers, arguments, results and error messages. */
  readonly captureContent?: boolean
  /** Maximum length of their text in one attribute, in UTF-16 units. The newest messages have priority. */
  readonly maxContentChars?: number
  /** A clock in milliseconds. */
  readonly now?: () => number
}

const types: OptionTypes<OpenTelemetryOptions> = {
  tracer: 'object',
  provider: 'string',
  captureContent: 'boolean',
  maxContentChars: 'number',
  now: 'function',
}

/** Creates agent telemetry that records OpenTelemetry spans by the GenAI conventions. */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<AgentTelemetry> {
  checkOptions('openTelemetry', options, types)
  const {
    tracer,
    provider,
    captureContent = false,
    maxContentChars = 65_536,
    now = () => performance.now(),
  }: OpenTelemetryOptions = ({} = options)
  const api = await loadApi()
  const tracing: Tracing = {
    api,
    tracer: tracer ?? api.trace.getTracer('millrace'),
    content: captureContent ? createContentAttributes(maxContentChars) : noContent,
    capturesMessages: captureContent,
    providerOf: (model) => provider ?? providerOf(model),
    now,
  }
  return { startRun: (info) => TracedSpan.startRun(tracing, info) }
}

/** Patterns of model names and OpenTelemetry's names of their providers. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'anthropic'],
  [/gpt-|\bo[1-9]\b/i, 'openai'],
  [/gemini/i, 'gcp.gemini'],
  [/[sx]tral/i, 'mistral_ai'],
  [/deepseek/i, 'deepseek'],
  [/grok/i, 'x_ai'],
  [/kimi|moonshot/i, 'moonshot_ai'],
  [/command-/i, 'cohere'],
  [/sonar/i, 'perplexity'],
]

/** OpenTelemetry's name for an unknown provider. */
const OTHER = '_OTHER'

/** Derives the provider from a model id. The conventions require one on every span. */
function providerOf(model: string): string {
  return providers.find(([pattern]) => pattern.test(model))?.[1] ?? OTHER
}
