import type { Scenario } from '../scenario.ts'
import { demoApproval } from './demo-approval.ts'
import { demoCitations } from './demo-citations.ts'
import { demoCodeExecution } from './demo-code-execution.ts'
import { demoCut } from './demo-cut.ts'
import { demoDeception } from './demo-deception.ts'
import { demoError } from './demo-error.ts'
import { demoFiles } from './demo-files.ts'
import { demoFrontend } from './demo-frontend.ts'
import { demoImages } from './demo-images.ts'
import { demoLong } from './demo-long.ts'
import { demoMaxTokens } from './demo-max-tokens.ts'
import { demoMcp } from './demo-mcp.ts'
import { demoOverloaded } from './demo-overloaded.ts'
import { demoParallelTools } from './demo-parallel-tools.ts'
import { demoPatch } from './demo-patch.ts'
import { demoPauseTurn } from './demo-pause-turn.ts'
import { demoRefusal } from './demo-refusal.ts'
import { demoSubagents } from './demo-subagents.ts'
import { demoText } from './demo-text.ts'
import { demoThinking } from './demo-thinking.ts'
import { demoTools } from './demo-tools.ts'
import { demoWebSearch } from './demo-web-search.ts'
import { createWelcome } from './demo-welcome.ts'
import { demoWriteFile } from './demo-write-file.ts'
import { subagentScenarios } from './subagent-scenarios.ts'

/** A prompt that a page can suggest. */
export interface DemoPrompt {
  readonly prompt: string
  readonly summary: string
  /** Heading under which similar prompts are listed. */
  readonly group: string
}

/** All demos, in a sensible order for a newcomer. */
const groups = {
  'What a model says': [demoText, demoThinking, demoCitations, demoLong],
  'What an agent does': [
    demoTools,
    demoParallelTools,
    demoWriteFile,
    demoImages,
    demoFrontend,
    demoApproval,
    demoPatch,
    demoDeception,
    demoSubagents,
  ],
  'What the provider does': [demoWebSearch, demoCodeExecution, demoFiles, demoMcp, demoPauseTurn],
  'What goes wrong': [demoMaxTokens, demoRefusal, demoOverloaded, demoCut, demoError],
}

/** The prompts of all demos, grouped. */
export const demoPrompts: readonly DemoPrompt[] = Object.entries(groups).flatMap(([group, demos]) =>
  demos.map(({ prompt, summary }) => ({ prompt, summary, group })),
)

/** Scenarios of the demo agent; the last one answers every other prompt. */
export const demoScenarios: readonly Scenario[] = [
  ...Object.values(groups).flat(),
  ...subagentScenarios,
  createWelcome(demoPrompts),
]
