import { rootAgent } from 'millrace'
import type { Session } from 'millrace/client'
import type { FrameLog } from './frame-log.ts'
import type { HistoryClock } from './history-clock.ts'
import { fetchStoredTimes } from './stored-times.ts'

/** Loads the storage times of frames. */
export interface TimesLoader {
  /** Loads the times of the history once, after it was read; never rejects. */
  readonly load: () => Promise<void>
  /** Loads the times of newer frames when the stream is at rest, so that figures equal those after a reload. */
  readonly settle: () => Promise<void>
}

interface TimesLoaderOptions {
  readonly session: Pick<Session, 'id' | 'options' | 'getSnapshot'>
  readonly frames: Pick<FrameLog, 'setTimes'>
  /** Signals the end of the history, if there is one. */
  readonly clock: Pick<HistoryClock, 'finished'> | undefined
}

/** Creates the loader of a session's times. */
export function createTimesLoader({ session, frames, clock }: TimesLoaderOptions): TimesLoader {
  let loading: Promise<void> | undefined
  /** Number of completed runs with times. */
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
