export type {
  LogFormat,
  FormatFrame,
  FormatReader,
  EventFormat,
  EventWriter,
  FrameFormat,
  FrameWriter,
  StreamEnd,
} from './log-format.ts'
export type { PausedCall, PlainMessage } from '../../events/index.ts'
export { openFormat, type FormatWriter } from './open-format.ts'
export { decisionFieldsIn, isAnswer, requestFieldsIn, settledStages } from './settled-stages.ts'
export type {
  CallAnswer,
  PlannedDecision,
  CallResult,
  IdleSession,
  JsonReply,
  MessagePart,
  PastRun,
  Plan,
  StreamFacts,
  StreamReply,
  UserMessage,
  WaitingCalls,
} from './plan.ts'
export {
  definePlan,
  type Protocol,
  type ProtocolCode,
  type ProtocolRoute,
  readChoice,
  type RouteParameter,
  type RoutePlan,
} from './protocol.ts'
