import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createPastFrames } from './frames/index.ts'
import { createReadOnlySession } from './read-only-session.ts'
import type { StudioSession } from './studio-session.ts'

/** Returns the session that chat and wire show: itself, or its state at the selected moment. */
export function useShownSession(studio: StudioSession): StudioSession {
  const { moment } = studio
  const past = useMemo(() => createPast(studio), [studio])
  const isPast = useSyncExternalStore(moment.subscribe, () => moment.get() !== undefined)
  useEffect(() => moment.subscribe(past.show), [moment, past])
  return isPast ? past.studio : studio
}

/** Creates the session with its frames and transcript at the selected moment. */
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
