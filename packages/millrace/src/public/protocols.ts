export type { PlainMessage } from '../events/conversation-digest.ts'
export type { PausedCall, StreamEvent } from '../events/decode/stream-event.ts'
export type { SchemaIssue, StandardSchema } from '../json/standard-schema.ts'
export type {
  EventFormat,
  EventWriter,
  FormatFrame,
  FormatOpening,
  FormatReader,
  FrameFormat,
  FrameWriter,
  LogFormat,
  StreamEnd,
} from '../protocols/port/log-format.ts'
export type {
  CallAnswer,
  CallResult,
  IdleSession,
  JsonReply,
  MessagePart,
  PastRun,
  Plan,
  PlannedDecision,
  RunsRead,
  StreamFacts,
  StreamReply,
  UserMessage,
  WaitingCalls,
} from '../protocols/port/plan.ts'
export {
  definePlan,
  type Protocol,
  type ProtocolCode,
  type ProtocolRequest,
  type ProtocolRoute,
  readChoice,
  type RouteParameter,
  type RoutePlan,
  type RouteReply,
} from '../protocols/port/protocol.ts'
export {
  agUi,
  aiSdk,
  defaultProtocols,
  json,
  raw,
  segments,
  xml,
  type PathOptions,
} from '../protocols/registry/protocols.ts'
