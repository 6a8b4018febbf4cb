import type { Store } from 'millrace/server'
import type { Mill } from '../mill/open-mill.ts'
import { createMillSlots, type MillSlots } from './mill-slots.ts'

/** Called after the death of a server, with the store as the server left it. */
export type OnDeath = (store: Store) => Promise<void>

/** Servers on one store, each of which is replaced when it dies. */
export interface MillGroup extends Pick<MillSlots, 'broken' | 'living' | 'complaints' | 'close'> {
  /** Resolves when every server is running, with the server that gets the next request. */
  readonly ready: () => Promise<Mill>
  /** Kills a server after a number of frames, and the one that then recovers the run after a further number. */
  readonly arm: (lead: Mill, first: number, second: number) => void
  /** Cancels all scheduled kills. */
  readonly disarm: () => void
  /** The server that currently has the run of a session. */
  readonly ownerOf: (session: string) => Promise<Mill | undefined>
  /** Calls back for kills before the servers are replaced; returns a function that stops this. */
  readonly onDeath: (listener: OnDeath) => () => void
  /** Reads the store without the servers. */
  readonly look: <Result>(see: (store: Store) => Promise<Result>) => Promise<Result>
}

/** The parts of a group that depend on the store. */
export interface MillGroupOptions {
  readonly size: number
  readonly open: (mortality: { readonly dieAfter?: number }) => Promise<Mill>
  readonly look: MillGroup['look']
  readonly ownerOf: (session: string, living: readonly Mill[]) => Promise<Mill | undefined>
  readonly onClose: () => Promise<void>
}

/** More frames than any run has. */
const NEVER = 1_000_000_000

/** Starts the servers of a group. */
export function createMillGroup({
  size,
  open,
  look,
  ownerOf,
  onClose,
}: MillGroupOptions): MillGroup {
  const listeners = new Set<OnDeath>()
  let mortality: { readonly dieAfter?: number } = {}
  let turn = 0
  const { broken, filled, living, complaints, close } = createMillSlots({
    size,
    open: () => {
      const given = mortality
      mortality = {}
      return open(given)
    },
    onDeath: () =>
      look(async (store) => {
        for (const tell of listeners) await tell(store)
      }),
  })
  return {
    broken,
    living,
    complaints,
    ready: async () => {
      const all = await filled()
      const mill = all[turn++ % size]
      if (mill === undefined) throw new Error('There is no server.')
      return mill
    },
    arm: (lead, first, second) => {
      lead.dieAfter(first)
      const others = living().filter((mill) => mill !== lead)
      for (const mill of others) mill.dieAfter(second)
      if (others.length === 0) mortality = { dieAfter: second }
    },
    disarm: () => {
      mortality = {}
      for (const mill of living()) mill.dieAfter(NEVER)
    },
    ownerOf: (session) => ownerOf(session, living()),
    onDeath: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    close: async () => {
      await close()
      await onClose()
    },
  }
}
