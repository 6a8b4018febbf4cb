export { rootAgent } from './agents.ts'
export type { Block, CallBlock, ResultBlock, TextBlock } from './block.ts'
export { createTranscript } from './create-transcript.ts'
export { endTranscript } from './end-transcript.ts'
export { finalText } from './final-text.ts'
export { reduceTranscript } from './reduce-transcript.ts'
export { toolInput } from './tool-input.ts'
export type {
  AgentNode,
  PendingTool,
  Transcript,
  TranscriptError,
  TranscriptStatus,
} from './transcript.ts'
