export type { Connection, Session, SessionSnapshot } from './session.ts'
export { answerCall, decideCalls, type CallDecision } from './commands/control-run.ts'
export { type PageTool, serveTool } from './frontend-tools/serve-tool.ts'
export type { Answer, Answers, OutgoingPrompt } from './session.ts'
