import { stopRun } from 'millrace/client'
import { useAgent } from 'millrace/react'
import { useStopRequest, useStudio } from '../../session/index.ts'
import { StopIcon } from '../../ui/index.ts'

/** Stops the run in progress; completed steps stay. */
export function StopButton({ onStop }: { readonly onStop: () => void }) {
  const { session } = useStudio()
  const { status } = useAgent(session)
  const { isStopping, stop } = useStopRequest(() => stopRun(session))
  // While history is read there is nothing to stop.
  if (status !== 'streaming' && status !== 'awaiting_tools') return null
  return (
    <button
      type="button"
      className="stop"
      disabled={isStopping}
      aria-label="Stop"
      title={isStopping ? 'Stopping…' : 'Stop the run'}
      onClick={() => {
        stop()
        onStop()
      }}
    >
      <StopIcon />
    </button>
  )
}
