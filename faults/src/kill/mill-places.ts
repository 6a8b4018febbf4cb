import type { LoggedLine, Mill } from '../mill/open-mill.ts'

/** A fixed number of servers, each of which is replaced when it is killed. */
export interface MillPlaces {
  /** Aborts when a place cannot be filled. */
  readonly broken: AbortSignal
  /** Resolves when every place is filled, with servers that answer. */
  readonly filled: () => Promise<readonly Mill[]>
  /** The servers that live. */
  readonly living: () => readonly Mill[]
  /** The errors that any of the servers has logged, the dead included. */
  readonly complaints: () => readonly LoggedLine[]
  readonly close: () => Promise<void>
}

/** How many places there are, and how they are filled. */
export interface MillPlacesOptions {
  readonly size: number
  readonly open: () => Promise<Mill>
  /** Told of a death before the place is filled again. */
  readonly onDeath: (dead: Mill) => Promise<void>
}

/** Begins to fill all places. */
export function createMillPlaces({ size, open, onDeath }: MillPlacesOptions): MillPlaces {
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

/** A server that was killed may not be known to be gone yet. */
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
