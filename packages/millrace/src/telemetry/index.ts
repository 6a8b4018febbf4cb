export type {
  AgentTelemetry,
  ModelCallInfo,
  RunInfo,
  SpanAttributes,
  SpanInfos,
  SpanOutcome,
  StepInfo,
  ToolCallInfo,
  WorkKind,
  WorkSpan,
} from '../events/index.ts'
export { openTelemetry } from './open-telemetry.ts'
export type { OpenTelemetryOptions } from './open-telemetry.ts'
export { openTelemetryMetrics } from './open-telemetry-metrics.ts'
export type { OpenTelemetryMetricsOptions } from './open-telemetry-metrics.ts'
