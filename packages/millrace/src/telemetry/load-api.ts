import type { ContextAPI, MetricsAPI, SpanKind, SpanStatusCode, TraceAPI } from '@opentelemetry/api'
import { loadPeer } from '../errors/index.ts'

/** The used parts of the OpenTelemetry API. */
export interface TelemetryApi {
  readonly context: ContextAPI
  readonly trace: TraceAPI
  readonly metrics: MetricsAPI
  readonly SpanKind: typeof SpanKind
  readonly SpanStatusCode: typeof SpanStatusCode
}

/** Loads the OpenTelemetry API on demand. It is an optional dependency. */
export function loadApi(): Promise<TelemetryApi> {
  return loadPeer('@opentelemetry/api', 'Telemetry', () => import('@opentelemetry/api'))
}
