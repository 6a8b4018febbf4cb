import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createPastFrames } from './frames/index.ts'
import { createReadOnlySession } from './read-only-session.ts'
import type { StudioSession } from './studio-session.ts'

/** What chat and wire show of a conversation: itself, or what it was at the moment that was chosen. */
export function useShownSession(studio: StudioSession): StudioSession {
  const { moment } = studio
  const past = useMemo(() => createPast(studio), [studio])
  const isPast = useSyncExternalStore(moment.subscribe, () => moment.get() !== undefined)
  useEffect(() => moment.subscribe(past.show), [moment, past])
  return isPast ? past.studio : studio
}

/** The same conversation with its frames and its transcript as they were. */
function createPast(studio: StudioSession) {
  const { session, frames, moments, moment } = studio
  const readOnly = createReadOnlySession(session)
  const log = createPastFrames(frames)
  const show = (): void => {
    const count = moment.get()
    if (count === undefined) return
    readOnly.show(moments.transcriptAt(count))
    log.show(count)
  }
  show()
  const shown: StudioSession = {
    ...studio,
    session: readOnly.session,
    frames: log.log,
    readOnly: 'past',
  }
  return { studio: shown, show }
}
