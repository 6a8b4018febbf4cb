export { decisionFieldsIn, requestFieldsIn } from './approval-fields.ts'
export type {
  LogFormat,
  FormatFrame,
  FormatOpening,
  FormatReader,
  EventFormat,
  EventWriter,
  FrameFormat,
  FrameWriter,
  StreamEnd,
} from './log-format.ts'
export type { PausedCall, PlainMessage, StreamEvent } from '../../events/index.ts'
export { openFormat } from './open-format.ts'
export type { FormatWriter } from './open-format.ts'
export { isAnswer, settledStages } from './settled-stages.ts'
export type {
  CallAnswer,
  PlannedDecision,
  CallResult,
  IdleSession,
  JsonReply,
  MessagePart,
  PastRun,
  Plan,
  RunsRead,
  StreamFacts,
  StreamReply,
  UserMessage,
  WaitingCalls,
} from './plan.ts'
export { definePlan } from './protocol.ts'
export { readChoice } from './read-choice.ts'
export type {
  Protocol,
  ProtocolCode,
  ProtocolRequest,
  ProtocolRoute,
  RouteParameter,
  RoutePlan,
  RouteReply,
} from './protocol.ts'
