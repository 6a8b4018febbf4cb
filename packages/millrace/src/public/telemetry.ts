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
export { openTelemetry, openTelemetryMetrics } from '../telemetry/index.ts'
export type { OpenTelemetryMetricsOptions, OpenTelemetryOptions } from '../telemetry/index.ts'
