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
} from '../events/telemetry.ts'
export {
  openTelemetryMetrics,
  type OpenTelemetryMetricsOptions,
} from '../telemetry/open-telemetry-metrics.ts'
export { openTelemetry, type OpenTelemetryOptions } from '../telemetry/open-telemetry.ts'
