import type { ContextAPI, MetricsAPI, SpanKind, SpanStatusCode, TraceAPI } from '@opentelemetry/api'
import { MillraceError } from '../errors/index.ts'

/** OpenTelemetry's API, as far as it is used. */
export interface TelemetryApi {
  readonly context: ContextAPI
  readonly trace: TraceAPI
  readonly metrics: MetricsAPI
  readonly SpanKind: typeof SpanKind
  readonly SpanStatusCode: typeof SpanStatusCode
}

/** Loads OpenTelemetry's API only when it is asked for: not everyone has installed it. */
export async function loadApi(): Promise<TelemetryApi> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    const message =
      'The package `@opentelemetry/api` could not be loaded; run `npm install @opentelemetry/api`.'
    throw new MillraceError('unsupported', message, { cause })
  }
}
