export type { ApiErrorType } from './api-error.ts'
export { demoPrompts, demoScenarios } from './demo-scenarios.ts'
export type { DemoPrompt } from './demo-scenarios.ts'
export { createEmulator } from './emulator.ts'
export type { Emulator, EmulatorOptions } from './emulator.ts'
export { naturalPace } from './pace.ts'
export type { Pace } from './pace.ts'
export type {
  Scenario,
  ScenarioArgs,
  ScriptedBlock,
  ScriptedError,
  ScriptedReply,
  ScriptedText,
  ScriptedThinking,
  ScriptedToolUse,
  ToolOutcome,
  Turn,
} from './scenario.ts'
