import { createAgentChoice } from './agent-choice.ts'
import type { AgentChoice } from './agent-choice.ts'
import { createFaceBook } from './agent-colors.ts'
import type { FaceBook } from './agent-colors.ts'
import { createJumps } from './jumps.ts'
import type { Jumps } from './jumps.ts'
import { createMoment } from './selected-moment.ts'
import type { Moment } from './selected-moment.ts'
import { createSentWords } from './sent-commands.ts'
import type { SentWords } from './sent-commands.ts'

/** State of the page that belongs to a session and outlives the components that show it. */
export interface ViewState {
  readonly sentWords: SentWords
  readonly faces: FaceBook
  /** Navigation between the views of the session. */
  readonly jumps: Jumps
  readonly moment: Moment
  readonly choice: AgentChoice
  /** Expanded cards, choices and drafts, by their place. */
  readonly kept: Map<string, unknown>
}

/** Creates the view state of a session that has just been opened. */
export function createViewState(): ViewState {
  return {
    sentWords: createSentWords(),
    faces: createFaceBook(),
    jumps: createJumps(),
    moment: createMoment(),
    choice: createAgentChoice(),
    kept: new Map(),
  }
}
