export { rootAgent, finalText } from './agents.ts'
export type { Block, CallBlock, ResultBlock, TextBlock } from './block.ts'
export { createTranscript, reduceTranscript, endTranscript } from './reduce-transcript.ts'
export { toolInput } from './tool-input.ts'
export type {
  AgentNode,
  PendingTool,
  Transcript,
  TranscriptError,
  TranscriptStatus,
} from './transcript.ts'
