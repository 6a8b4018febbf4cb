import { useCallback, useSyncExternalStore } from 'react'
import { useStudio } from '../../session/index.ts'
import { toDuration } from '../../text/index.ts'

/** Shows how long a completed call ran. The time appears once the times of the frames are loaded. */
export function CallDuration({ toolUseId }: { readonly toolUseId: string }) {
  const { frames, callTimes } = useStudio()
  const read = useCallback(
    () => callTimes.durationOf(toolUseId, frames.getSnapshot().frames),
    [callTimes, frames, toolUseId],
  )
  const duration = useSyncExternalStore(frames.subscribe, read)
  if (duration === undefined) return null
  return <span className="call-duration">{toDuration(duration)}</span>
}
