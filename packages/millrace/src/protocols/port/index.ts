export { decisionFieldsIn, requestFieldsIn } from './approval-fields.ts'
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
  type RouteParameter,
  type RoutePlan,
} from './protocol.ts'
export { readChoice } from './read-choice.ts'
