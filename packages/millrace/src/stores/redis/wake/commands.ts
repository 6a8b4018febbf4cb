import type { RedisContext } from '../redis-context.ts'

type Listener = (session: string, command: string) => void

/** Commands from process to process. One that is sent while a process is cut off is not heard by it. */
export interface Commands {
  send(session: string, command: string): Promise<void>
  onCommand(listener: Listener): () => void
  /** Takes what was published on the channel of commands. */
  hear(message: string): void
}

/** Builds the commands of a process. */
export function createCommands({
  connection,
  keys,
}: Pick<RedisContext, 'connection' | 'keys'>): Commands {
  const listeners = new Set<Listener>()
  const process = crypto.randomUUID()

  const tell = (session: string, command: string): void => {
    for (const listener of listeners) listener(session, command)
  }

  return {
    send: async (session, command) => {
      const message = JSON.stringify([process, session, command])
      // Nobody knows whether a publication was heard whose answer was lost, and twice is not the same as once.
      await connection.send('publish', [keys.commands, message], { isRepeatable: false })
      tell(session, command)
    },

    onCommand: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    hear: (message) => {
      const [sender, session, command] = decode(message)
      // Those here were told when it was sent.
      if (sender === process || session === undefined || command === undefined) return
      tell(session, command)
    },
  }
}

/** Gives nothing for what no store has sent: anyone may publish. */
function decode(message: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(message)
    const isList = Array.isArray(value) && value.every((part) => typeof part === 'string')
    return isList ? value : []
  } catch {
    return []
  }
}
