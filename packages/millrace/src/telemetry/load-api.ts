import type { ContextAPI, MetricsAPI, SpanKind, SpanStatusCode, TraceAPI } from '@opentelemetry/api'
import { MillraceError } from '../errors/index.ts'

/** The used parts of the OpenTelemetry API. */
export interface TelemetryApi {
  readonly context: ContextAPI
  readonly trace: TraceAPI
  readonly metrics: MetricsAPI
  readonly SpanKind: typeof SpanKind
  readonly SpanStatusCode: typeof SpanStatusCode
}

/** Loads the OpenTelemetry API on demand. It is an optional dependency. */
export async function loadApi(): Promise<TelemetryApi> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    const message =
      'The package `@opentelemetry/api` could not be loaded; run `npm install @opentelemetry/api`.'
    throw new MillraceError('unsupported', message, { cause })
  }
}
