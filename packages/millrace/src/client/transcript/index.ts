export { agentOf, childrenOf, rootAgent } from './agents.ts'
export type {
  Block,
  BlockImage,
  CallBlock,
  CallDecisionStatus,
  CallStatus,
  ErrorBlock,
  ResultBlock,
  TextBlock,
  ThinkingBlock,
  UserBlock,
} from './block.ts'
export type { Citation } from '../../events/index.ts'
export { createTranscript } from './create-transcript.ts'
export { cutTranscript, foreignError } from './cut-transcript.ts'
export { endTranscript } from './end-transcript.ts'
export { finalText } from './final-text.ts'
export { reduceTranscript } from './reduce-transcript.ts'
export type { Sequence } from './sequence.ts'
export { toolInput } from './tool-input.ts'
export type {
  AgentNode,
  PendingTool,
  QueuedPrompt,
  RunMark,
  StepMark,
  Transcript,
  TranscriptError,
  TranscriptStatus,
} from './transcript.ts'
