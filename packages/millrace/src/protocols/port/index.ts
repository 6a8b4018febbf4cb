export { decisionFieldsIn, requestFieldsIn } from './approval-fields.ts'
export type {
  Dialect,
  DialectFrame,
  DialectOpening,
  DialectReader,
  EventDialect,
  EventWriter,
  FrameDialect,
  FrameWriter,
  StreamEnd,
} from './dialect.ts'
export type { PlainMessage, StreamEvent } from '../../events/index.ts'
export { openDialect } from './open-dialect.ts'
export type { DialectWriter } from './open-dialect.ts'
export { isAnswer, settledStages } from './settled-stages.ts'
export type { Format, FormatOpening, Frame, FrameReader } from './format.ts'
export type {
  CallAnswer,
  CallDecision,
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
  WaitingCall,
  WaitingCalls,
} from './plan.ts'
export type { SchemaIssue, StandardSchema } from '../../tools/index.ts'
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
