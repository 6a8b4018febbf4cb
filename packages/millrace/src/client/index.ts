export type { Connection, ConnectionState } from './connection-state.ts'
export { answerCall, decideCalls, steerRun, stopRun } from './control-run.ts'
export type { CallDecision } from './control-run.ts'
export { createSession } from './create-session.ts'
export type { Answer, Answers, OutgoingPrompt } from './outbox.ts'
export { createSessionId } from './session-id.ts'
export type {
  FetchFunction,
  Frame,
  HeaderFields,
  Session,
  SessionOptions,
  SessionSnapshot,
} from './session.ts'
