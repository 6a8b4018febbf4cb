import { type Mill, type MillOptions, openMill } from '../mill/open-mill.ts'
import { type ModelCall, openModel } from '../mill/open-model.ts'
import type { PairStore } from './pair-store.ts'

/** A server whose text is recognizable at any position: its model emits no word without this mark. */
export interface MarkedMill extends Mill {
  readonly mark: string
  /** The requests that its model has received. */
  readonly modelCalls: readonly ModelCall[]
}

/** Two or more servers on one store, with their models. */
export interface Pair<Store extends PairStore = PairStore> {
  readonly store: Store
  readonly mills: readonly [MarkedMill, MarkedMill, ...MarkedMill[]]
  /** Ends everything, stopped and dead processes included. */
  close(): Promise<void>
}

/** The options of a pair. */
export interface PairOptions<Store extends PairStore = PairStore> extends Pick<
  MillOptions,
  'leaseMs'
> {
  readonly openStore: () => Promise<Store>
  readonly servers?: 2 | 3
  readonly tokensPerSecond?: number
  /** The difference of the clock of each server to that of the machine and the store. */
  readonly clockShiftsMs?: readonly number[]
  /**
   * Releases waiters for a store that will not return: the end of a trial may have ended the store
   * before.
   */
  readonly signal: AbortSignal
}

/** The marks of the servers; each is one character, so that no chunking cuts it. */
const MARKS = ['α', 'β', 'γ'] as const

/** Removes the marks from a text, so that it is the same for every model. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[αβγ]/g, '')
}

/** The mark of the server of an epoch, counted from 0, if two servers take over from each other. */
export function markOfEpoch(first: string, epoch: number): string | undefined {
  return epoch % 2 === 0 ? first : MARKS.find((mark) => mark !== first)
}

/** Returns the marks in a text. */
export function marksIn(text: string): string[] {
  return MARKS.filter((mark) => text.includes(mark))
}

/** Starts a store and its servers, each with a separate model. */
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
