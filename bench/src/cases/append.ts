import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'millrace/node'
import type { Store } from 'millrace/server'
import { createSqliteStore } from 'millrace/sqlite'
import type { Bench } from '../bench-case.ts'
import { timeOnce } from '../measure.ts'
import { presentStores } from '../servers/index.ts'
import { allowed } from '../serving/allowed.ts'
import { formatTable } from '../table.ts'

const ROUNDS = 5
const APPENDS = 200
const CHECKS = 5_000
const SESSION = '00000000-0000-4000-8000-000000000000'
const line = new TextEncoder().encode(
  '{"type":"text","agent":"00000000-0000-4000-8000-000000000000","id":"b1","delta":"flour ","final":false}',
)

/** CPU of one append, and of its checks of the file, in microseconds. */
interface Round {
  readonly appendUs: number
  readonly looks: number
  readonly looksUs: number
}

/** Measures an append on each store, and, on SQLite, the check that the file at the path is still the same. */
export const appendBench: Bench = {
  name: 'append',
  run: async (onProgress) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'))
    try {
      const rounds = await measureRounds(join(folder, 'millrace.db'), onProgress)
      const least = (of: (round: Round) => number): number => Math.min(...rounds.map(of))
      const appendUs = least((round) => round.appendUs)
      const looksUs = least((round) => round.looksUs)
      const looks = rounds[0]?.looks ?? NaN
      const share = looksUs / appendUs
      const rows = [
        ['', 'CPU µs', 'of an append'],
        ['append of one line, synced', appendUs.toFixed(1), ''],
        [
          `its looks at the file, ${looks} stat calls`,
          looksUs.toFixed(1),
          `${(share * 100).toFixed(1)} %`,
        ],
      ]
      const isCostly = !(share <= allowed.identityShare)
      const stores = await compareStores(onProgress)
      return {
        text: [
          `append: the check that the file of SQLite is still the one at its path\n${formatTable(rows)}`,
          `append: one line after the other on each store\n${stores}`,
        ].join('\n\n'),
        faults: [
          ...(looks > 0 ? [] : ['appends do not look at the file']),
          ...(isCostly ? [`the check takes ${(share * 100).toFixed(1)} % of an append`] : []),
        ],
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Opens a session, and returns a function that appends one line to it. */
async function openAppend(store: Store): Promise<() => Promise<void>> {
  const { epoch } = await store.open(SESSION, { owner: 'bench', ms: 600_000 })
  let tail = 0
  return async () => {
    ;({ tail } = await store.append({ session: SESSION, epoch, tail, lines: [line] }))
  }
}

/** CPU of this process and duration of an append: the minimum of several rounds. */
async function compareStores(onProgress: (message: string) => void): Promise<string> {
  const rows = [['', 'CPU µs', 'ms']]
  for (const { title, open } of presentStores) {
    onProgress(`append: ${title}`)
    const { address, close } = await open()
    const store = await openStore(address)
    try {
      const append = await openAppend(store)
      await timeOnce(append, APPENDS)
      let [cpuUs, ms] = [Infinity, Infinity]
      for (let round = 1; round <= ROUNDS; round++) {
        const start = performance.now()
        cpuUs = Math.min(cpuUs, (await timeOnce(append, APPENDS)) * 1_000)
        ms = Math.min(ms, (performance.now() - start) / APPENDS)
      }
      rows.push([title, cpuUs.toFixed(1), ms.toFixed(2)])
    } finally {
      await store.close()
      await close()
    }
  }
  return formatTable(rows)
}

async function measureRounds(
  path: string,
  onProgress: (message: string) => void,
): Promise<readonly Round[]> {
  const store = createSqliteStore({ path })
  const looked = watchStats()
  try {
    const append = await openAppend(store)
    await append()
    const rounds: Round[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      onProgress(`append: round ${round} of ${ROUNDS}`)
      looked.paths.length = 0
      const appendUs = (await timeOnce(append, APPENDS)) * 1_000
      const looks = looked.paths.length / APPENDS
      const own = looked.paths.slice(0, looks)
      const look = (): void => {
        for (const one of own) looked.stat(one, { throwIfNoEntry: false })
      }
      rounds.push({ appendUs, looks, looksUs: (await timeOnce(look, CHECKS)) * 1_000 })
    }
    return rounds
  } finally {
    looked.stop()
    await store.close()
  }
}

/** Records the paths that modules of this process check with `statSync`. */
function watchStats() {
  const { statSync: stat } = fs
  const paths: fs.PathLike[] = []
  const noting = (path: fs.PathLike, options?: fs.StatSyncOptions) => {
    paths.push(path)
    return stat(path, options)
  }
  Object.assign(fs, { statSync: noting })
  syncBuiltinESMExports()
  return {
    paths,
    stat,
    stop: (): void => {
      Object.assign(fs, { statSync: stat })
      syncBuiltinESMExports()
    },
  }
}
