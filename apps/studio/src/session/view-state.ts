import { type AgentChoice, createAgentChoice } from './agent-choice.ts'
import { type AgentColors, createAgentColors } from './agent-colors.ts'
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
    jumps: createJumps(),
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
  const listeners = new Set<() => void>()
  let shown: number | undefined
  return {
    get: () => shown,
    set(count) {
      if (count === shown) return
      shown = count
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Sends values to its listeners. */
interface Channel<T> {
  readonly send: (value: T) => void
  readonly subscribe: (listener: (value: T) => void) => () => void
}

/** Navigation between the chat and the wire. */
interface Jumps {
  /** To a frame of the wire by its index. */
  readonly wire: Channel<number>
  /** To a block of the chat. */
  readonly chat: Channel<BlockPlace>
}

/** Creates the navigation of a session. */
function createJumps(): Jumps {
  return { wire: createChannel(), chat: createChannel() }
}

function createChannel<T>(): Channel<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    send(value) {
      for (const listener of listeners) listener(value)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
