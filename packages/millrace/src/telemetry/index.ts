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
