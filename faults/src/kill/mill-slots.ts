import type { LoggedLine, Mill } from '../mill/open-mill.ts'

/** A fixed number of servers, each of which is replaced when it is killed. */
export interface MillSlots {
  /** Aborts when a server cannot be replaced. */
  readonly broken: AbortSignal
  /** Resolves when all servers run and respond. */
  readonly filled: () => Promise<readonly Mill[]>
  /** The running servers. */
  readonly living: () => readonly Mill[]
  /** The errors in the logs of all servers, dead ones included. */
  readonly complaints: () => readonly LoggedLine[]
  readonly close: () => Promise<void>
}

/** The number of servers, and the function that starts one. */
export interface MillSlotsOptions {
  readonly size: number
  readonly open: () => Promise<Mill>
  /** Called after a death, before the server is replaced. */
  readonly onDeath: (dead: Mill) => Promise<void>
}

/** Starts all servers. */
export function createMillSlots({ size, open, onDeath }: MillSlotsOptions): MillSlots {
  const mills = new Map<number, Mill>()
  const logs: (readonly LoggedLine[])[] = []
  const changes = new Set<Promise<void>>()
  const broken = new AbortController()
  let isClosed = false

  const follow = (change: Promise<void>): void => {
    const settled: Promise<void> = change
      .catch((error: unknown) => broken.abort(error))
      .finally(() => changes.delete(settled))
    changes.add(settled)
  }

  const fill = async (place: number): Promise<void> => {
    const mill = await open()
    mills.set(place, mill)
    logs.push(mill.logged)
    void mill.gone.then(() => follow(replace(place, mill)))
  }

  const replace = async (place: number, dead: Mill): Promise<void> => {
    mills.delete(place)
    if (!isClosed) await onDeath(dead)
    if (!isClosed) await fill(place)
  }

  const living = (): readonly Mill[] => [...mills.values()].filter((mill) => !mill.isGone())

  for (let place = 0; place < size; place++) follow(fill(place))
  return {
    broken: broken.signal,
    living,
    complaints: () => logs.flat().filter(({ level }) => level === 'error'),
    filled: async () => {
      for (;;) {
        await Promise.all(changes)
        broken.signal.throwIfAborted()
        const all = living()
        const areWell = await Promise.all(all.map(isWell))
        if (all.length === size && areWell.every(Boolean)) return all
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(changes)
      await Promise.all([...mills.values()].map((mill) => mill.kill()))
    },
  }
}

/** A killed server may not be recorded as gone yet. */
async function isWell(mill: Mill): Promise<boolean> {
  try {
    const response = await fetch(`${mill.url}/health`)
    await response.body?.cancel()
    return true
  } catch {
    await mill.gone
    return false
  }
}
