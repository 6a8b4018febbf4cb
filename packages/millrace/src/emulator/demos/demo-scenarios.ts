import { demoError } from './demo-error.ts'
import { demoFrontend } from './demo-frontend.ts'
import { demoLong } from './demo-long.ts'
import { demoText } from './demo-text.ts'
import { demoThinking } from './demo-thinking.ts'
import { demoTools } from './demo-tools.ts'
import { createWelcome } from './demo-welcome.ts'
import type { Scenario } from '../scenario.ts'

/** A prompt that a page may suggest. */
export interface DemoPrompt {
  readonly prompt: string
  readonly summary: string
}

const demos = [demoText, demoThinking, demoTools, demoFrontend, demoError, demoLong]

/** What the demo agent can show; the last one answers every other prompt. */
export const demoScenarios: readonly Scenario[] = [...demos, createWelcome(demos)]

/** The prompts that choose a demo, in the order in which a newcomer may try them. */
export const demoPrompts: readonly DemoPrompt[] = demos.flatMap(({ prompt, summary }) =>
  prompt === undefined ? [] : [{ prompt, summary }],
)
