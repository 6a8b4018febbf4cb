import { createSseDecoder } from 'millrace'
import type { Mill } from './open-mill.ts'

/** One frame that a reader has received. */
export interface SeenFrame {
  readonly id: number
  readonly data: string
}

/** The frames that a reader has received, over all its connections. */
export interface Followed {
  /** In the order of arrival, duplicates included. */
  readonly frames: readonly SeenFrame[]
  readonly connections: number
  /** Whether `[DONE]` has arrived. */
  readonly isDone: boolean
}

/** A reader that reconnects to any available server after its last id. */
export interface Follower {
  readonly seen: () => Followed
  /** Resolves when the run has ended and all of it was received. */
  readonly done: Promise<Followed>
}

/** The options of a follower. */
export interface FollowOptions {
  readonly session: string
  /** The current server: a running one, after another has died. */
  readonly chooseMill: () => Mill | undefined
  readonly signal: AbortSignal
  readonly onFrame?: (frame: SeenFrame) => void
  /** Called when a server rejects its reconnection, with the error. */
  readonly onRefused?: (status: number, text: string) => void
}

const RETRY_MS = 20

/** Follows a session to the end of its run, across the death of any server. */
export function followSession({
  session,
  chooseMill,
  signal,
  onFrame = () => {},
  onRefused = () => {},
}: FollowOptions): Follower {
  const frames: SeenFrame[] = []
  let connections = 0
  let isDone = false
  const seen = (): Followed => ({ frames, connections, isDone })

  const readOnce = async (mill: Mill): Promise<void> => {
    const cursor = frames.at(-1)?.id ?? 0
    const url = `${mill.url}/agent/${session}/stream?compact=0`
    const response = await fetch(url, { headers: { 'last-event-id': String(cursor) }, signal })
    if (!response.ok) return onRefused(response.status, await response.text())
    connections++
    const decoder = createSseDecoder({
      onEvent: ({ id, data }) => {
        if (data === '[DONE]') return void (isDone = true)
        const frame = { id: Number(id), data }
        frames.push(frame)
        onFrame(frame)
      },
    })
    for await (const chunk of response.body ?? []) decoder.feed(chunk)
  }

  const follow = async (): Promise<Followed> => {
    while (!isDone) {
      signal.throwIfAborted()
      const mill = chooseMill()
      // A dying server cuts its readers, like a real one.
      if (mill !== undefined) await readOnce(mill).catch(() => signal.throwIfAborted())
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
    return seen()
  }
  return { seen, done: follow() }
}
