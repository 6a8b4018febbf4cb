import type { Scenario } from '../replies/scenario.ts'
import { demoApproval } from './tools/demo-approval.ts'
import { demoCitations } from './demo-citations.ts'
import { demoCodeExecution } from './tools/demo-code-execution.ts'
import { demoCut } from './endings/demo-cut.ts'
import { demoDeception } from './endings/demo-deception.ts'
import { demoError } from './endings/demo-error.ts'
import { demoFiles } from './tools/demo-files.ts'
import { demoFrontend } from './tools/demo-frontend.ts'
import { demoImages } from './demo-images.ts'
import { demoLong } from './demo-long.ts'
import { demoMaxTokens } from './endings/demo-max-tokens.ts'
import { demoMcp } from './tools/demo-mcp.ts'
import { demoOverloaded } from './endings/demo-overloaded.ts'
import { demoParallelTools } from './tools/demo-parallel-tools.ts'
import { demoPatch } from './tools/demo-patch.ts'
import { demoPauseTurn } from './endings/demo-pause-turn.ts'
import { demoRefusal } from './endings/demo-refusal.ts'
import { demoSubagents } from './demo-subagents.ts'
import { demoText } from './demo-text.ts'
import { demoThinking } from './demo-thinking.ts'
import { demoTools } from './tools/demo-tools.ts'
import { demoWebSearch } from './tools/demo-web-search.ts'
import { createWelcome } from './demo-welcome.ts'
import { demoWriteFile } from './tools/demo-write-file.ts'
import { subagentScenarios } from './subagent-scenarios.ts'

/** A prompt that a page can suggest. */
export interface DemoPrompt {
  readonly prompt: string
  readonly summary: string
  /** Heading under which similar prompts are listed. */
  readonly group: string
}

/** All demos, in an order for newcomers. */
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
