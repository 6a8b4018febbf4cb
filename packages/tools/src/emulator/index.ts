export type { ApiError, ApiErrorType } from './routes/api-error.ts'
export { demoPrompts, demoScenarios } from './demos/demo-scenarios.ts'
export type { DemoPrompt } from './demos/demo-scenarios.ts'
export { createEmulator } from './emulator.ts'
export type { EmulatedRequest, Emulator, EmulatorOptions } from './emulator.ts'
export { decodeFaults } from './faults/decode-faults.ts'
export type { Fault, FaultKind, FaultPlace } from './faults/fault.ts'
export { naturalPace } from './pace.ts'
export type { Pace } from './pace.ts'
export type { RequestMessage } from './request/request-content.ts'
export type { Scenario, ScenarioArgs, ScriptedFile, ToolOutcome, Turn } from './replies/scenario.ts'
export type {
  ScriptedBlock,
  ScriptedCitation,
  ScriptedCompaction,
  ScriptedError,
  ScriptedMcpToolUse,
  ScriptedRawBlock,
  ScriptedRedactedThinking,
  ScriptedReply,
  ScriptedServerToolUse,
  ScriptedText,
  ScriptedThinking,
  ScriptedToolResult,
  ScriptedToolUse,
} from './replies/scripted-reply.ts'
