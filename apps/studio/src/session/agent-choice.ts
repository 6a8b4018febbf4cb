import { createListeners } from '../ui/index.ts'

/** The agent of new runs; a session keeps its first agent. */
export interface AgentChoice {
  /** Undefined for the default of the server. */
  readonly get: () => string | undefined
  readonly set: (agent: string | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
  /** Fields of each prompt, as they are now. */
  readonly runFields: Readonly<Record<string, string>>
}

/** Creates a choice of the server's default. */
export function createAgentChoice(): AgentChoice {
  const listeners = createListeners()
  // Calls are shown while the model writes them.
  const runFields: Record<string, string> = { tool_input: 'live' }
  return {
    runFields,
    get: () => runFields['agent_type'],
    set(agent) {
      if (agent === undefined) delete runFields['agent_type']
      else runFields['agent_type'] = agent
      listeners.notify()
    },
    subscribe: listeners.subscribe,
  }
}
