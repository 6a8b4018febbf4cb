import { rootAgent } from 'millrace'
import type { Session } from 'millrace/client'
import type { FrameLog } from './frame-log.ts'
import type { HistoryClock } from './history-clock.ts'
import { fetchStoredTimes } from './stored-times.ts'

/** Asks a server when frames were stored. */
export interface TimesLoader {
  /** Asks at most once when the history was stored, once it is read; settles in any case. */
  readonly load: () => Promise<void>
  /** Asks for what has come since, when nothing more comes: then figures are those that a reload would show. */
  readonly settle: () => Promise<void>
}

interface TimesLoaderOptions {
  readonly session: Pick<Session, 'id' | 'options' | 'getSnapshot'>
  readonly frames: Pick<FrameLog, 'setTimes'>
  /** Tells when the history is read, if there is one. */
  readonly clock: Pick<HistoryClock, 'finished'> | undefined
}

/** Creates a loader of a conversation's times. */
export function createTimesLoader({ session, frames, clock }: TimesLoaderOptions): TimesLoader {
  let loading: Promise<void> | undefined
  /** How many runs are over and have their times. */
  let known = 0

  const ask = async (): Promise<void> => {
    const { transcript } = session.getSnapshot()
    const { lastId, status } = transcript
    const runs = rootAgent(transcript)?.runs.length ?? 0
    const times = await fetchStoredTimes(session, runs, known === 0 ? undefined : runs - known)
    if (!times) return
    frames.setTimes(times, lastId)
    const isOver = status !== 'streaming' && status !== 'awaiting_tools'
    known = Math.max(known, isOver ? runs : runs - 1)
  }

  const load = async (): Promise<void> => {
    await clock?.finished
    if (clock) await ask()
  }
  return {
    load: () => (loading ??= load()),
    settle: ask,
  }
}
