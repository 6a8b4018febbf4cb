import { openStore } from 'millrace/node'
import { inParallel } from '../in-parallel.ts'
import { ask, post } from '../mill/ask.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readNamedLog } from '../mill/read-named-log.ts'
import { withStand } from '../mill/with-stand.ts'
import { onEachPlace, type StorePlace } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const SESSIONS = 200
const SHORT_SESSIONS = 10
const AT_ONCE = 5
/** A server whose store is written by another process checks it once a second. */
const NOTICE_LIMIT_MS = 15_000

/** Another process removes sessions while they are followed, and creates them again under their names. */
export const incarnations: Trial = {
  name: 'incarnations',
  summary: 'sessions removed by another process while they are followed, and begun again',
  run: (options) => onEachPlace(options, (place) => removeOften(place, options)),
}

function removeOften(
  { store, title: where }: StorePlace,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const total = isShort ? SHORT_SESSIONS : SESSIONS
  return withStand({ store }, async ({ startMill, address }) => {
    const mill = await startMill()
    const rounds: Round[] = []
    await inParallel(Array(total).keys(), AT_ONCE, async () => {
      signal.throwIfAborted()
      rounds.push(await playRound(mill, address, signal))
      onProgress(rounds.length, total, `sessions on ${where}`)
    })
    const faults = rounds.flatMap(({ wrong }) => wrong)
    const count = (is: (round: Round) => boolean): number => rounds.filter(is).length
    const figures = [
      `${count(({ isNotified }) => isNotified)} of ${total} followers notified`,
      `${count(({ isRefused }) => isRefused)} of ${total} old cursors refused (410)`,
      `${count(({ isSpliced }) => isSpliced)} spliced`,
    ].join(', ')
    const what = 'sessions removed by another process and begun again'
    return { what, where, figures, bound: 'each notified, each refused, 0 spliced', faults }
  })
}

interface Round {
  readonly isNotified: boolean
  readonly isRefused: boolean
  readonly isSpliced: boolean
  readonly wrong: readonly string[]
}

async function playRound(mill: Mill, address: string, outer: AbortSignal): Promise<Round> {
  const session = await ask(mill, 'tell oldmill')
  const whole = await readNamedLog(mill, session, 'cursor=0', outer)
  const limit = AbortSignal.any([outer, AbortSignal.timeout(NOTICE_LIMIT_MS)])
  let onFirst = (): void => {}
  const begun = new Promise<void>((resolve) => (onFirst = resolve))
  const following = readNamedLog(mill, session, 'cursor=0&follow=1', limit, onFirst)
  const followed = following.catch(() => undefined)
  await Promise.race([begun, followed])
  await removeElsewhere(address, session)
  const again = { agent_uuid: session, user_prompt: 'tell youngmill' }
  await (await post(mill, '/agent/run', again)).text()
  const seen = await followed
  const lastId = whole.ids.at(-1) ?? 0
  const cursors = [`cursor=${lastId}&log=${whole.log}`, `cursor=3@${whole.log}`, `cursor=${lastId}`]
  const answers = await Promise.all(
    cursors.map((query) => readNamedLog(mill, session, query, outer)),
  )
  const fresh = await readNamedLog(mill, session, 'cursor=0', outer)
  const isNotified = seen !== undefined
  const isRefused = answers.every(({ status, text }) => status === 410 && /log_replaced/.test(text))
  const isSpliced = [...answers, ...(seen ? [seen] : [])].some(({ text }) => /youngmill/.test(text))
  const isFresh = fresh.log !== whole.log && !/oldmill/.test(fresh.text) && fresh.ids[0] === 1
  const wrong = [
    ...(isNotified ? [] : [`${session}: its follower was not notified`]),
    ...(isRefused ? [] : [`${session}: ${answers.map(({ status }) => status).join(', ')}`]),
    ...(isSpliced ? [`${session}: a reader of the old log got some of the new one`] : []),
    ...(isFresh ? [] : [`${session}: the new log is not one of its own`]),
  ]
  return { isNotified, isRefused, isSpliced, wrong }
}

/** Removes a session like another process, such as `millrace sessions delete`. */
async function removeElsewhere(address: string, session: string): Promise<void> {
  const store = await openStore(address, { exclusive: false })
  try {
    await store.remove(session)
  } finally {
    await store.close()
  }
}
