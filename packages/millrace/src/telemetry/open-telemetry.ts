import type { Tracer } from '@opentelemetry/api'
import type { AgentTelemetry } from '../events/index.ts'
import { createContentAttributes, noContent } from './content-attributes.ts'
import { loadApi } from './load-api.ts'
import { providerOf } from './provider-of.ts'
import { TracedWork, type Tracing } from './traced-work.ts'

/** How work becomes spans. */
export interface OpenTelemetryOptions {
  /** The tracer that makes the spans; else the one named `millrace` of the provider that is registered. */
  readonly tracer?: Tracer
  /** Who serves the models, as `gen_ai.provider.name`; else it is guessed from each model's id. */
  readonly provider?: string
  /** Whether prompts, answers, arguments, results and error messages are written into the spans. */
  readonly captureContent?: boolean
  /** The most that one attribute holds of them, in UTF-16 units; the newest messages count most. */
  readonly maxContentChars?: number
  /** A clock in milliseconds. */
  readonly now?: () => number
}

/** Tells a tracer of OpenTelemetry what an agent does, in the words of its GenAI conventions. */
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
