/** Which of the server's agents is asked; a conversation keeps the one that it began with. */
export interface AgentChoice {
  /** Undefined leaves it to the server. */
  readonly get: () => string | undefined
  readonly set: (agent: string | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
  /** What is sent with each question, as it is now. */
  readonly runFields: Readonly<Record<string, string>>
}

/** Creates a choice that is left to the server. */
export function createAgentChoice(): AgentChoice {
  const listeners = new Set<() => void>()
  // Calls are shown while the model writes them.
  const runFields: Record<string, string> = { tool_input: 'live' }
  return {
    runFields,
    get: () => runFields['agent_type'],
    set(agent) {
      if (agent === undefined) delete runFields['agent_type']
      else runFields['agent_type'] = agent
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
