import { join } from 'node:path'
import { spread } from '../cuts/offsets.ts'
import { compareWithLog } from '../mill/compare-with-log.ts'
import { withStand } from '../mill/with-stand.ts'
import { sizeOf, usedLength } from '../torn/used-length.ts'
import { type CopyReading, type Logs, readCopy, saysDamaged, type Tear } from '../torn/read-copy.ts'
import { writeFile, type WrittenFile } from '../torn/write-file.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

/** Cuts in the file, and as many in its log. */
const TEARS = 500
const SHORT_TEARS = 20

const names = { database: 'SQLite file', log: 'its -wal file' }

/** The states of the copies that were truncated in one of the files. */
interface Outcomes {
  whole: number
  shorter: number
  damaged: number
  readonly wrong: string[]
}

/** The file of a killed server is cut at any byte. */
export const tornFile: Trial = {
  name: 'torn-file',
  only: 'sqlite',
  summary: 'the file of a server that was killed, cut anywhere',
  run: (options) =>
    withStand({ store: 'sqlite', tokensPerSecond: 10_000 }, async (stand) => {
      const written = await writeFile(stand, options.signal)
      const folder = join(stand.folder, 'copy')
      const { logs, refusal } = await readCopy(written, folder)
      if (refusal !== undefined) throw new Error('The file was not whole.', { cause: refusal })
      const lost = countLost(written, logs)
      const tearAll = (file: Tear['file']): Promise<Finding> =>
        tear(written, { file, folder, logs, lost }, options)
      return [await tearAll('database'), await tearAll('log')]
    }),
}

/** The frames that readers had received and the file does not have. */
function countLost({ seen }: WrittenFile, logs: Logs): number {
  let lost = 0
  for (const [session, frames] of seen) {
    const log = logs.get(session) ?? []
    const { doubles, changed, gaps } = compareWithLog(frames, log.slice(0, frames.at(-1)?.id))
    lost += doubles + changed + gaps
  }
  return lost
}

interface TearPlan {
  readonly file: Tear['file']
  readonly folder: string
  /** The content of the unmodified file. */
  readonly logs: Logs
  readonly lost: number
}

async function tear(
  written: WrittenFile,
  { file, folder, logs, lost }: TearPlan,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const size = await (file === 'log' ? usedLength(written.log) : sizeOf(written.database))
  const places = [...spread(size, isShort ? SHORT_TEARS : TEARS)]
  const outcomes: Outcomes = { whole: 0, shorter: 0, damaged: 0, wrong: [] }
  for (const [done, place] of places.entries()) {
    signal.throwIfAborted()
    // Any byte, not only page boundaries.
    const offset = Math.min(size - 1, place + ((done * 97) % 4096))
    judge(await readCopy(written, folder, { file, offset }), logs, outcomes)
    onProgress(done + 1, places.length, names[file])
  }
  const { whole, shorter, damaged, wrong } = outcomes
  // SQLite ignores the end of its log by itself; nothing is damaged then.
  const needless =
    file === 'log' && damaged > 0 ? [`${damaged} reported as damaged for a cut log`] : []
  const received = `${whole} whole, ${shorter} a shorter prefix, ${damaged} reported as damaged`
  return {
    what: `${names[file]} of a killed server cut at ${places.length} of ${size} bytes`,
    where: 'SQLite',
    figures: `${received}, ${wrong.length} wrong; ${lost} lost by the kill`,
    bound: '0 wrong',
    faults: [...wrong, ...needless, ...(lost > 0 ? [`${lost} received frames are lost`] : [])],
  }
}

/** Every line that could be read must be the written one, and unreadable ones must be reported. */
function judge({ logs, refusal }: CopyReading, whole: Logs, outcomes: Outcomes): void {
  const isRight = [...logs].every(([session, log]) => {
    const before = whole.get(session) ?? []
    return log.every((line, index) => line === before[index])
  })
  if (!isRight) outcomes.wrong.push('a line differs from the written one')
  else if (refusal !== undefined) {
    if (saysDamaged(refusal)) outcomes.damaged++
    else outcomes.wrong.push(`the damage of a file is not reported: ${String(refusal)}`)
  } else if ([...whole].every(([session, log]) => logs.get(session)?.length === log.length)) {
    outcomes.whole++
  } else outcomes.shorter++
}
