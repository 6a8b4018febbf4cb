import type { Tracer } from '@opentelemetry/api'
import type { AgentTelemetry } from '../events/index.ts'
import { createContentAttributes, noContent } from './content-attributes.ts'
import { loadApi } from './load-api.ts'
import { providerOf } from './provider-of.ts'
import { TracedWork, type Tracing } from './traced-work.ts'

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

/** Creates agent telemetry that records OpenTelemetry spans by the GenAI conventions. */
export async function openTelemetry({
  tracer,
  provider,
  captureContent = false,
  maxContentChars = 65_536,
  now = () => performance.now(),
}: OpenTelemetryOptions = {}): Promise<AgentTelemetry> {
  const api = await loadApi()
  const tracing: Tracing = {
    api,
    tracer: tracer ?? api.trace.getTracer('millrace'),
    content: captureContent ? createContentAttributes(maxContentChars) : noContent,
    capturesMessages: captureContent,
    providerOf: (model) => provider ?? providerOf(model),
    now,
  }
  return { startRun: (info) => TracedWork.startRun(tracing, info) }
}
