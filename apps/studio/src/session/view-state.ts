import { type AgentChoice, createAgentChoice } from './agent-choice.ts'
import { type AgentColors, createAgentColors } from './agent-colors.ts'
import { createListeners, type Listeners } from '../ui/index.ts'
import type { BlockPlace } from './frames/index.ts'
import { createSentCommands, type SentCommands } from './sent-commands.ts'

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
    jumps: { wire: createListeners(), chat: createListeners() },
    moment: createSelectedMoment(),
    choice: createAgentChoice(),
    kept: new Map(),
  }
}

/** The moment that is shown, as a number of frames; undefined for the present. */
interface SelectedMoment {
  readonly get: () => number | undefined
  readonly set: (count: number | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a selection of the present. */
function createSelectedMoment(): SelectedMoment {
  const listeners = createListeners()
  let shown: number | undefined
  return {
    get: () => shown,
    set(count) {
      if (count === shown) return
      shown = count
      listeners.notify()
    },
    subscribe: listeners.subscribe,
  }
}

/** Navigation between the chat and the wire. */
interface Jumps {
  /** To a frame of the wire by its index. */
  readonly wire: Listeners<[index: number]>
  /** To a block of the chat. */
  readonly chat: Listeners<[place: BlockPlace]>
}
