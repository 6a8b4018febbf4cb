export type { Format, FormatOpening, Frame, FrameReader, FrameWriter, StreamEnd } from './format.ts'
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
