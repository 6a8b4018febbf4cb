import type { FetchFunction } from '../../../src/client/session.ts'
import type {
  TabChannel,
  TabLocks,
  TabMessage,
} from '../../../src/client/transport/shared/tab-channel.ts'

/** A tab of a simulated browser. */
export interface PretendedTab {
  readonly locks: TabLocks
  readonly createChannel: (name: string) => TabChannel
  readonly fetch: FetchFunction
  /** The open streams of this tab. */
  readonly openStreams: () => number
  /** Freezes the tab: it receives, sends and reads nothing, but keeps its lock and its connections. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Removes the tab, like a browser: its lock is free, its connections are cut. */
  readonly kill: () => void
}

interface Waiter {
  readonly tab: symbol
  readonly grant: () => void
}

interface Holder {
  readonly tab: symbol
  readonly steal: () => void
}

/** Web Locks, channels and networks of tabs that can be frozen and killed. */
export function createTabWorld() {
  const holders = new Map<string, Holder>()
  const queues = new Map<string, Waiter[]>()
  const channels = new Set<{ name: string; tab: symbol; hear: (message: TabMessage) => void }>()

  function release(name: string, holder: Holder): void {
    if (holders.get(name) !== holder) return
    holders.delete(name)
    queues.get(name)?.shift()?.grant()
  }

  function openTab(): PretendedTab {
    const tab = Symbol('tab')
    const gate = createGate()
    const cuts = new Set<AbortController>()

    const request: TabLocks['request'] = (name, { ifAvailable, steal, signal }, callback) =>
      new Promise((resolve, reject) => {
        const grant = (): void => {
          const holder = { tab, steal: () => reject(new DOMException('stolen', 'AbortError')) }
          holders.set(name, holder)
          void callback({ name }).then(() => {
            release(name, holder)
            resolve(undefined)
          })
        }
        const held = holders.get(name)
        if (steal) {
          holders.delete(name)
          held?.steal()
          grant()
        } else if (!held) grant()
        else if (ifAvailable) void callback(null).then(resolve)
        else {
          const waiter = { tab, grant }
          const queue = queues.get(name) ?? []
          queues.set(name, queue)
          queue.push(waiter)
          signal?.addEventListener('abort', () => {
            const place = queue.indexOf(waiter)
            if (place >= 0) queue.splice(place, 1)
            reject(new DOMException('aborted', 'AbortError'))
          })
        }
      })

    const createChannel = (name: string): TabChannel => {
      const own = { name, tab, hear: (_: TabMessage): void => {} }
      channels.add(own)
      return {
        post: (message) => {
          const copy = structuredClone(message)
          gate.pass(() => {
            for (const other of channels) {
              if (other !== own && other.name === name) queueMicrotask(() => other.hear(copy))
            }
          })
        },
        listen: (hear) => {
          own.hear = (message) => gate.pass(() => channels.has(own) && hear(message))
        },
        close: () => channels.delete(own),
      }
    }

    const tabFetch: FetchFunction = async (url, init) => {
      const cut = new AbortController()
      const { signal } = init
      signal?.addEventListener('abort', () => cut.abort(signal.reason))
      const response = await fetch(url, { ...init, signal: cut.signal })
      if (!response.body || !response.headers.get('content-type')?.includes('event-stream')) {
        return response
      }
      cuts.add(cut)
      const reader = response.body.getReader()
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = await reader.read()
          await gate.open()
          if (value) return controller.enqueue(value)
          cuts.delete(cut)
          controller.close()
        },
        cancel(reason) {
          cuts.delete(cut)
          return reader.cancel(reason)
        },
      })
      cut.signal.addEventListener('abort', () => cuts.delete(cut))
      return new Response(body, response)
    }

    return {
      locks: { request },
      createChannel,
      fetch: tabFetch,
      openStreams: () => cuts.size,
      freeze: gate.shut,
      thaw: gate.unshut,
      kill() {
        for (const own of channels) if (own.tab === tab) channels.delete(own)
        for (const queue of queues.values()) {
          queue.splice(0, queue.length, ...queue.filter((waiter) => waiter.tab !== tab))
        }
        for (const cut of cuts) cut.abort()
        for (const [name, holder] of holders) if (holder.tab === tab) release(name, holder)
      },
    }
  }

  return { openTab }
}

/** Calls wait while it is closed, and continue when it opens. */
function createGate() {
  let waiting: (() => void)[] | undefined
  return {
    shut: (): void => {
      waiting ??= []
    },
    unshut: (): void => {
      const due = waiting ?? []
      waiting = undefined
      for (const action of due) action()
    },
    pass: (action: () => void): void => {
      if (waiting) waiting.push(action)
      else action()
    },
    open: (): Promise<void> | undefined =>
      waiting && new Promise((resolve) => waiting?.push(resolve)),
  }
}
