import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { post } from '../mill/ask.ts'
import { findDifferences } from './audit-run.ts'
import type { LiveRun } from './live-runs.ts'
import { lastSeen, type RestartOptions } from './restart-redis.ts'
import { readHoldings, readStoredLog } from './stored-log.ts'
import { rest, until } from './until.ts'

/** What came of losses. */
export interface CutRedis {
  /** The runs of which something was lost. */
  readonly lostRuns: number
  /** The messages that readers had seen and that were lost. */
  readonly lostMessages: number
  readonly faults: readonly string[]
}

const TOLD_LIMIT_MS = 20_000
const READERS = 2

/** Kills Redis again and again and cuts the end off its file, as a crash of the machine does. */
export async function cutRedis(options: RestartOptions): Promise<CutRedis> {
  const { pair, runs, restarts, runsAtOnce, onRestart, signal } = options
  const [one, two] = pair.mills
  const faults: string[] = []
  let [lostRuns, lostMessages] = [0, 0]
  for (let count = 0; count < restarts; count++) {
    const { path, size: before } = await findAppended(pair.redis.dir)
    while (runs.all.size < runsAtOnce) await runs.begin(runs.all.size % 2 === 0 ? one : two)
    await rest(150 + ((count * 137) % 700), signal)
    await pair.redis.crash(async () => {
      const { size } = await stat(path)
      const part = ((count * 37) % 100) / 100
      await truncate(path, Math.floor(before + (size - before) * part))
    })
    for (const run of await awaitTold(options, faults)) {
      const { wrong, lost } = await auditLost(options, run)
      faults.push(...wrong.map((what) => `${run.session}: ${what}`))
      lostRuns++
      lostMessages += lost
      runs.drop(run)
    }
    await runs.finish()
    onRestart(count + 1)
  }
  if (lostMessages === 0) faults.push('nothing was lost, so that nothing was shown')
  return { lostRuns, lostMessages, faults }
}

/** The file to which Redis appends. */
async function findAppended(
  dir: string,
): Promise<{ readonly path: string; readonly size: number }> {
  const folder = join(dir, 'appendonlydir')
  const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof')) ?? ''
  const path = join(folder, name)
  return { path, size: (await stat(path)).size }
}

/** Waits until each run is over or closed, and all readers of those that are closed have been told. */
async function awaitTold(
  { pair, runs, signal }: RestartOptions,
  faults: string[],
): Promise<readonly LiveRun[]> {
  let lost: LiveRun[] = []
  let left: LiveRun[] = []
  const areSettled = async (): Promise<boolean> => {
    const holdings = await readHoldings(pair.redis, [...runs.all.keys()])
    const closed = new Set(holdings.filter(({ isLost }) => isLost).map(({ session }) => session))
    const all = [...runs.all.values()]
    lost = all.filter(({ session }) => closed.has(session))
    const others = all.filter(({ session }) => !closed.has(session))
    left = [...lost.filter((run) => !isTold(run)), ...others.filter((run) => !isOver(run))]
    return left.length === 0
  }
  if (await until(areSettled, { limitMs: TOLD_LIMIT_MS, signal })) return lost
  for (const run of left) {
    const told = run.refusals.map(({ status, text }) => `${status} ${text}`)
    const readers = run.readers.map(({ seen }) => seen())
    const stand = readers.map(({ frames, connections }) => `${frames.at(-1)?.id} in ${connections}`)
    const what = lost.includes(run)
      ? 'a loss was not told to all'
      : 'it neither ended nor was closed'
    const last = told.slice(-2).join(' | ')
    faults.push(`${run.session}: ${what}; readers at ${stand.join(' and ')}; told: ${last}`)
  }
  return lost
}

function isTold({ refusals }: LiveRun): boolean {
  const told = refusals.filter(
    ({ status, text }) => status === 409 && text.includes('log_truncated'),
  )
  return new Set(told.map(({ reader }) => reader)).size === READERS
}

function isOver({ readers }: LiveRun): boolean {
  return readers.every(({ seen }) => seen().isDone)
}

/** Looks at a run of which something was lost: what is left is as it was, and nothing is added to it. */
async function auditLost(
  { pair }: RestartOptions,
  run: LiveRun,
): Promise<{ readonly wrong: readonly string[]; readonly lost: number }> {
  const { session, readers } = run
  const { lines, tail } = await readStoredLog(pair.redis, session)
  const wrong = readers.flatMap(({ seen }) => {
    const { frames } = seen()
    const left = { ...seen(), frames: frames.slice(0, tail) }
    const order = frames.every(({ id }, index) => id === index + 1)
    return [...findDifferences(left, lines), ...(order ? [] : ['a reader was given an id twice'])]
  })
  for (const mill of pair.mills) {
    const body = { agent_uuid: session, user_prompt: 'grind on' }
    const response = await post(mill, '/agent/run', body)
    const text = await response.text()
    if (response.status !== 409 || !text.includes('log_truncated'))
      wrong.push(`a question there is answered ${response.status} ${text.slice(0, 200)}`)
  }
  return { wrong, lost: Math.max(0, lastSeen(run) - tail) }
}
