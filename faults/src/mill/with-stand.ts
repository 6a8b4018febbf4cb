import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeKinds } from '@millrace/bench/servers'
import type { DurableStore } from '../stores.ts'
import { type Mill, openMill } from './open-mill.ts'
import { type OpenModel, openModel } from './open-model.ts'

/** A model and a store, for servers that are started and ended. */
export interface Stand {
  readonly model: OpenModel
  /** The address, in the form of `MILLRACE_STORE`. */
  readonly address: string
  /** A folder for files. */
  readonly folder: string
  /** The calls for which the tool `ship` has run, one a line. */
  readonly shippedPath: string
  /** Starts a server that ends with the stand at the latest. */
  readonly startMill: () => Promise<Mill>
}

/** The store of sessions, and the pace of the model. */
export interface StandOptions {
  readonly store: DurableStore
  /** Whether several servers open the file of SQLite. */
  readonly isShared?: boolean
  readonly tokensPerSecond?: number
  /** The time after which the runs of a silent server are taken over. */
  readonly leaseMs?: number
  /** Number of runs that the log of a session keeps; all if absent. */
  readonly keepRuns?: number
  /** Limits of the servers that differ from the defaults. */
  readonly limits?: Readonly<Record<string, number>>
  /** Starts the model; default: one with the usual scripts. */
  readonly startModel?: () => Promise<OpenModel>
}

/** Creates a stand, calls the work with it, and always closes everything. */
export async function withStand<Result>(
  {
    store,
    isShared = false,
    tokensPerSecond = 1_500,
    leaseMs = 1_000,
    keepRuns,
    limits = {},
    startModel = () => openModel(tokensPerSecond),
  }: StandOptions,
  use: (stand: Stand) => Promise<Result>,
): Promise<Result> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-faults-'))
    closing.push(() => rm(folder, { recursive: true, force: true }))
    const opened = await storeKinds[store].open()
    closing.push(opened.close)
    const address = `${opened.address}${isShared && store === 'sqlite' ? '?shared=1' : ''}`
    const model = await startModel()
    closing.push(() => model.close())
    const shippedPath = join(folder, 'shipped')
    const env = {
      FAULTS_SHIPPED: shippedPath,
      ...(keepRuns !== undefined && { FAULTS_KEEP_RUNS: String(keepRuns) }),
    }
    const startMill = async (): Promise<Mill> => {
      const mill = await openMill({ store: address, modelUrl: model.url, leaseMs, limits, env })
      closing.push(() => mill.kill())
      return mill
    }
    return await use({ model, address, folder, shippedPath, startMill })
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
