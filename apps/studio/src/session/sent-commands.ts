/** What was sent from this page to a call that waited. */
export interface SentCommand {
  readonly kind: 'answer' | 'fail' | 'approve' | 'change' | 'deny'
  /** The answer, or its beginning. */
  readonly content: string
  /** The server did not take it: the call had been answered, decided or given up. */
  readonly isRejected: boolean
}

/** Remembers what was sent from this page, so that a call can tell when something else has counted. */
export interface SentCommands {
  readonly subscribe: (listener: () => void) => () => void
  /** The latest that was sent to a call; the same object until that changes. */
  readonly get: (toolUseId: string) => SentCommand | undefined
  readonly add: (toolUseId: string, command: Pick<SentCommand, 'kind' | 'content'>) => void
  /** Notes that the latest command for a call came too late. */
  readonly markRejected: (toolUseId: string) => void
}

/** As much of an answer as is kept, in characters. */
export const MAX_KEPT = 4_096

/** Creates a memory of what was sent; rows that leave the view lose theirs. The oldest commands are forgotten first. */
export function createSentCommands({ maxCalls = 200 } = {}): SentCommands {
  const commands = new Map<string, SentCommand>()
  const listeners = new Set<() => void>()

  function set(toolUseId: string, command: SentCommand): void {
    commands.delete(toolUseId)
    commands.set(toolUseId, command)
    const [oldest] = commands.keys()
    if (commands.size > maxCalls && oldest !== undefined) commands.delete(oldest)
    for (const listener of listeners) listener()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get: (toolUseId) => commands.get(toolUseId),
    add: (toolUseId, { kind, content }) =>
      set(toolUseId, { kind, content: content.slice(0, MAX_KEPT), isRejected: false }),
    markRejected(toolUseId) {
      const command = commands.get(toolUseId)
      if (command) set(toolUseId, { ...command, isRejected: true })
    },
  }
}
