import { createListeners } from '../../../streams/index.ts'
import type { RedisContext } from '../redis-context.ts'

/** Commands between processes. A disconnected process misses them. */
export interface Commands {
  send(session: string, command: string): Promise<void>
  onCommand(listener: (session: string, command: string) => void): () => void
  /** Handles a publication on the channel of commands. */
  receive(message: string): void
}

/** Creates the commands of a process. */
export function createCommands({
  connection,
  keys,
}: Pick<RedisContext, 'connection' | 'keys'>): Commands {
  const listeners = createListeners<[session: string, command: string]>()
  const process = crypto.randomUUID()

  return {
    send: async (session, command) => {
      const message = JSON.stringify([process, session, command])
      // Not repeatable: after a lost reply, the publication may have arrived, and a second one would be another command.
      await connection.send('publish', [keys.commands, message], { isRepeatable: false })
      listeners.notify(session, command)
    },

    onCommand: listeners.subscribe,

    receive: (message) => {
      const [sender, session, command] = decode(message)
      // Local listeners were called when it was sent.
      if (sender === process || session === undefined || command === undefined) return
      listeners.notify(session, command)
    },
  }
}

/** Decodes a command; empty for other formats, because every client may publish. */
function decode(message: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(message)
    const isList = Array.isArray(value) && value.every((part) => typeof part === 'string')
    return isList ? value : []
  } catch {
    return []
  }
}
