import { createListeners } from '../../../streams/index.ts'
import { decodeMessage } from '../../remote/index.ts'
import type { RedisContext } from '../create-redis-context.ts'

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
      const [sender, session, command] = decodeMessage(message)
      // Local listeners were called when it was sent.
      if (sender === process || typeof session !== 'string' || typeof command !== 'string') return
      listeners.notify(session, command)
    },
  }
}
