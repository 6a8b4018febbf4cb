import { createAgentChoice } from './agent-choice.ts'
import type { AgentChoice } from './agent-choice.ts'
import { createAgentColors } from './agent-colors.ts'
import type { AgentColors } from './agent-colors.ts'
import { createJumps } from './jumps.ts'
import type { Jumps } from './jumps.ts'
import { createSelectedMoment } from './selected-moment.ts'
import type { SelectedMoment } from './selected-moment.ts'
import { createSentCommands } from './sent-commands.ts'
import type { SentCommands } from './sent-commands.ts'

/** State of the page that belongs to a session and outlives the components that show it. */
export interface ViewState {
  readonly sentCommands: SentCommands
  readonly agentColors: AgentColors
  /** Navigation between the views of the session. */
  readonly jumps: Jumps
  readonly moment: SelectedMoment
  readonly choice: AgentChoice
  /** Expanded cards, choices and drafts, by their place. */
  readonly kept: Map<string, unknown>
}

/** Creates the view state of a session that has just been opened. */
export function createViewState(): ViewState {
  return {
    sentCommands: createSentCommands(),
    agentColors: createAgentColors(),
    jumps: createJumps(),
    moment: createSelectedMoment(),
    choice: createAgentChoice(),
    kept: new Map(),
  }
}
