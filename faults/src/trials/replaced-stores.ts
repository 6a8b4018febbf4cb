import { startPostgres, startRedis, type StoreName } from '@millrace/bench/servers'
import { copyFile, rename, rm } from 'node:fs/promises'
import { ask, post } from '../mill/ask.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readNamedLog } from '../mill/read-named-log.ts'
import { type Stand, withStand } from '../mill/with-stand.ts'
import { until } from '../pair/until.ts'
import { openMill } from '../mill/open-mill.ts'
import { openModel } from '../mill/open-model.ts'
import { usesStore } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const ROUNDS = 10
const NOTICE_LIMIT_MS = 10_000
const POSTS = 5
const bound = 'each noticed, 0 acknowledged, old cursors 410'

/** The files of a store are deleted, moved or replaced under a running server; Redis and Postgres are emptied. */
export const replacedStores: Trial = {
  name: 'replaced-stores',
  summary: 'files deleted, moved and replaced under a running server; Redis and Postgres emptied',
  run: async (options) => {
    const found: Finding[] = []
    if (usesStore(options, 'sqlite')) {
      for (const name of Object.keys(harms)) found.push(await harmFiles(name, options))
      found.push(await restoreBackup(options))
    }
    for (const kind of emptied)
      if (usesStore(options, kind.name)) found.push(await empty(kind, options))
    return found
  },
}

type Harm = (file: string) => Promise<void>

const filesOf = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`]

/** The operation on the files of a store, and its reversal if the server is to continue by itself. */
const harms: Readonly<Record<string, { readonly harm: Harm; readonly mend?: Harm }>> = {
  moved: {
    harm: async (file) => {
      for (const one of filesOf(file)) await rename(one, `${one}.moved`)
    },
    mend: async (file) => {
      for (const one of filesOf(file)) await rename(`${one}.moved`, one)
    },
  },
  deleted: {
    harm: async (file) => {
      for (const one of filesOf(file)) await rm(one)
    },
  },
  replaced: {
    harm: async (file) => {
      await copyFile(file, `${file}.copy`)
      await rename(`${file}.copy`, file)
    },
  },
}

/** The reaction of a server to the change of its store. */
interface Outcome {
  readonly isNoticed: boolean
  readonly acknowledged: number
}

/** Waits until a server reports that it is unhealthy, and sends it a write request. */
async function watchHarm(mill: Mill, signal: AbortSignal): Promise<Outcome> {
  const isUnhealthy = async (): Promise<boolean> => (await healthOf(mill)) === 503
  const isNoticed = await until(isUnhealthy, { limitMs: NOTICE_LIMIT_MS, signal })
  let acknowledged = 0
  for (let count = 0; count < POSTS; count++) {
    const response = await post(mill, '/agent/run', { user_prompt: 'tell' })
    await response.text()
    if (response.ok) acknowledged++
  }
  return { isNoticed, acknowledged }
}

async function healthOf({ url }: Mill): Promise<number> {
  const response = await fetch(`${url}/health`)
  await response.text()
  return response.status
}

function faultsOf(round: number, { isNoticed, acknowledged }: Outcome): string[] {
  return [
    ...(isNoticed ? [] : [`round ${round}: the server still reports that it is healthy`]),
    ...(acknowledged > 0 ? [`round ${round}: ${acknowledged} runs acknowledged`] : []),
  ]
}

async function harmFiles(name: string, options: TrialOptions): Promise<Finding> {
  const { isShort, signal, onProgress } = options
  const { harm, mend } = harms[name] ?? { harm: async () => {} }
  const rounds = isShort ? 1 : ROUNDS
  const faults: string[] = []
  let recovered = 0
  for (let round = 1; round <= rounds; round++) {
    await withStand({ store: 'sqlite' }, async (stand) => {
      const mill = await stand.startMill()
      const session = await ask(mill, 'tell')
      const { log, ids } = await readNamedLog(mill, session, 'cursor=0', signal)
      await harm(fileOf(stand))
      faults.push(...faultsOf(round, await watchHarm(mill, signal)))
      const next = mend === undefined ? await restart(stand, mill) : mill
      await mend?.(fileOf(stand))
      if ((await healthOf(next)) === 200) recovered++
      else faults.push(`round ${round}: it does not continue`)
      const query = `cursor=${ids.at(-1)}&log=${log}`
      const { status } = await readNamedLog(next, session, query, signal)
      const expected = name === 'deleted' ? 410 : 200
      if (status !== expected) faults.push(`round ${round}: the reader got ${status}`)
    })
    onProgress(round, rounds, `files ${name}`)
  }
  const way = mend === undefined ? 'after a restart' : 'by themselves'
  const figures = `${rounds} times, ${faults.length} faults, ${recovered} continued ${way}`
  return {
    what: `the file ${name} under a running server`,
    where: 'SQLite',
    figures,
    bound,
    faults,
  }
}

function fileOf({ address }: Stand): string {
  return address.replace('sqlite:', '')
}

async function restart({ startMill }: Stand, mill: Mill): Promise<Mill> {
  await mill.kill()
  return startMill()
}

/**
 * A backup is restored while the server is down: readers that were ahead of it receive an error.
 */
async function restoreBackup({ signal }: TrialOptions): Promise<Finding> {
  const faults: string[] = []
  await withStand({ store: 'sqlite' }, async (stand) => {
    const file = fileOf(stand)
    const first = await stand.startMill()
    const session = await ask(first, 'tell')
    await readNamedLog(first, session, 'cursor=0', signal)
    await first.stop()
    await copyFile(file, `${file}.backup`)
    const second = await stand.startMill()
    await (await post(second, '/agent/run', { agent_uuid: session, user_prompt: 'tell' })).text()
    const { log, ids } = await readNamedLog(second, session, 'cursor=0', signal)
    await second.stop()
    for (const one of filesOf(file)) await rm(one, { force: true })
    await rename(`${file}.backup`, file)
    const third = await stand.startMill()
    const query = `cursor=${ids.at(-1)}&log=${log}`
    const { status, text } = await readNamedLog(third, session, query, signal)
    if (status !== 410 || !text.includes('log_truncated')) faults.push(`answered ${status} ${text}`)
  })
  const figures = `${1 - faults.length} of 1 readers notified (410 log_truncated)`
  return {
    what: 'an older copy restored',
    where: 'SQLite',
    figures,
    bound: 'each notified',
    faults,
  }
}

/** A store that can be emptied while servers use it. */
interface Emptied {
  readonly name: StoreName
  readonly title: string
  start(): Promise<{
    readonly url: string
    empty(): Promise<unknown>
    stop(): Promise<void>
  }>
}

const emptied: readonly Emptied[] = [
  {
    name: 'redis',
    title: 'Redis',
    start: async () => {
      const { url, admin, stop } = await startRedis()
      return { url, stop, empty: () => admin.flushall() }
    },
  },
  {
    name: 'postgres',
    title: 'Postgres',
    start: async () => {
      const { url, query, stop } = await startPostgres()
      return { url, stop, empty: () => query('DROP SCHEMA millrace CASCADE') }
    },
  },
]

async function empty(
  { title, start }: Emptied,
  { signal, isShort, onProgress }: TrialOptions,
): Promise<Finding> {
  const rounds = isShort ? 1 : ROUNDS
  const faults: string[] = []
  const store = await start()
  const model = await openModel()
  try {
    for (let round = 1; round <= rounds; round++) {
      const settings = { store: store.url, modelUrl: model.url }
      const mill = await openMill(settings)
      const session = await ask(mill, 'tell')
      const { log, ids } = await readNamedLog(mill, session, 'cursor=0', signal)
      await store.empty()
      faults.push(...faultsOf(round, await watchHarm(mill, signal)))
      await mill.kill()
      const next = await openMill(settings)
      await (await post(next, '/agent/run', { agent_uuid: session, user_prompt: 'tell' })).text()
      const query = `cursor=${ids.at(-1)}&log=${log}`
      const { status } = await readNamedLog(next, session, query, signal)
      if (status !== 410) faults.push(`round ${round}: the reader got ${status}`)
      await next.kill()
      onProgress(round, rounds, `${title} emptied`)
    }
  } finally {
    await model.close()
    await store.stop()
  }
  const figures = `${rounds} times, ${faults.length} faults`
  return { what: `${title} emptied under a running server`, where: title, figures, bound, faults }
}
