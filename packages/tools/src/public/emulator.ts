export { demoPrompts, demoScenarios, type DemoPrompt } from '../emulator/demos/demo-scenarios.ts'
export {
  createEmulator,
  type EmulatedRequest,
  type Emulator,
  type EmulatorOptions,
} from '../emulator/emulator.ts'
export { decodeFaults } from '../emulator/faults/decode-faults.ts'
export type { Fault, FaultKind, FaultPlace } from '../emulator/faults/fault.ts'
export { naturalPace, type Pace } from '../emulator/pace.ts'
export type {
  Scenario,
  ScenarioArgs,
  ScriptedFile,
  ToolOutcome,
  Turn,
} from '../emulator/replies/scenario.ts'
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
} from '../emulator/replies/scripted-reply.ts'
export type { RequestMessage } from '../emulator/request/request-content.ts'
export type { ApiError, ApiErrorType } from '../emulator/routes/api-error.ts'
