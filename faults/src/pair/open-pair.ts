import { type Mill, type MillOptions, openMill } from '../mill/open-mill.ts'
import { type ModelCall, openModel } from '../mill/open-model.ts'
import type { PairStore } from './pair-store.ts'

/** A server whose words are known wherever they stand: its model says none without this mark. */
export interface MarkedMill extends Mill {
  readonly mark: string
  /** The requests that its model has received. */
  readonly modelCalls: readonly ModelCall[]
}

/** Two servers, or more, on one store, with all that they need. */
export interface Pair<Store extends PairStore = PairStore> {
  readonly store: Store
  readonly mills: readonly [MarkedMill, MarkedMill, ...MarkedMill[]]
  /** Ends everything, also what was stopped or has died. */
  close(): Promise<void>
}

/** How a pair is made. */
export interface PairOptions<Store extends PairStore = PairStore> extends Pick<
  MillOptions,
  'leaseMs'
> {
  readonly openStore: () => Promise<Store>
  readonly servers?: 2 | 3
  readonly tokensPerSecond?: number
  /** How far the clock of each server is from that of the machine, and of the store. */
  readonly clockShiftsMs?: readonly number[]
  /**
   * Releases waiters for a store that will not return: the end of a trial may have ended the store
   * before.
   */
  readonly signal: AbortSignal
}

/** The marks of the servers; each is one character, which no chunking cuts. */
const MARKS = ['α', 'β', 'γ'] as const

/** Removes the marks from a text, so that it is the same for every model. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[αβγ]/g, '')
}

/** The mark of the server of an epoch, counted from 0, where two have taken over from each other. */
export function markOfEpoch(first: string, epoch: number): string | undefined {
  return epoch % 2 === 0 ? first : MARKS.find((mark) => mark !== first)
}

/** Returns the marks in a text. */
export function marksIn(text: string): string[] {
  return MARKS.filter((mark) => text.includes(mark))
}

/** Starts a store and its servers, each with a model of its own. */
export async function openPair<Store extends PairStore>({
  openStore,
  servers = 2,
  tokensPerSecond = 300,
  clockShiftsMs = [],
  signal,
  ...options
}: PairOptions<Store>): Promise<Pair<Store>> {
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  const openOne = async (index: 0 | 1 | 2, { address }: Store): Promise<MarkedMill> => {
    const mark = MARKS[index]
    const model = await openModel(tokensPerSecond, mark)
    closers.push(model.close)
    const clockShiftMs = clockShiftsMs[index] ?? 0
    const mill = await openMill({ ...options, store: address, modelUrl: model.url, clockShiftMs })
    closers.push(mill.kill)
    return { ...mill, mark, modelCalls: model.received }
  }
  try {
    const store = await openStore()
    closers.push(store.stop)
    signal.addEventListener('abort', store.letGo, { once: true })
    signal.throwIfAborted()
    const first = await openOne(0, store)
    await store.prepare()
    const second = await openOne(1, store)
    const others = servers === 3 ? [await openOne(2, store)] : []
    return { store, mills: [first, second, ...others], close }
  } catch (error) {
    await close()
    throw error
  }
}
