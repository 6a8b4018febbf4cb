import { createListeners } from '../ui/index.ts'

/** A command that this page sent to a pending call. */
export interface SentCommand {
  readonly kind: 'answer' | 'fail' | 'approve' | 'change' | 'deny'
  /** The answer or its beginning. */
  readonly content: string
  /** The server did not accept it: the call was answered, decided or abandoned. */
  readonly isRejected: boolean
}

/** Commands that this page sent, so that a call can show that another one won. */
export interface SentCommands {
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the latest command of a call; the same object until it changes. */
  readonly get: (callId: string) => SentCommand | undefined
  readonly add: (callId: string, command: Pick<SentCommand, 'kind' | 'content'>) => void
  /** Marks the latest command of a call as rejected. */
  readonly markRejected: (callId: string) => void
}

/** The number of characters of an answer that are kept. */
export const MAX_KEPT = 4_096

/** Creates an empty list of sent commands. It outlives the rows, and the oldest commands are dropped first. */
export function createSentCommands({ maxCalls = 200 } = {}): SentCommands {
  const commands = new Map<string, SentCommand>()
  const listeners = createListeners()

  function set(callId: string, command: SentCommand): void {
    commands.delete(callId)
    commands.set(callId, command)
    const [oldest] = commands.keys()
    if (commands.size > maxCalls && oldest !== undefined) commands.delete(oldest)
    listeners.notify()
  }

  return {
    subscribe: listeners.subscribe,
    get: (callId) => commands.get(callId),
    add: (callId, { kind, content }) =>
      set(callId, { kind, content: content.slice(0, MAX_KEPT), isRejected: false }),
    markRejected(callId) {
      const command = commands.get(callId)
      if (command) set(callId, { ...command, isRejected: true })
    },
  }
}
