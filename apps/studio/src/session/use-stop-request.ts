import { useState } from 'react'

/** A stop that was asked for. */
export interface StopRequest {
  readonly isStopping: boolean
  readonly stop: () => void
}

/** Asks for a stop once; one that found nothing to stop, or did not arrive, may be asked for again. */
export function useStopRequest(request: () => Promise<boolean>): StopRequest {
  const [isStopping, setStopping] = useState(false)
  const stop = () => {
    setStopping(true)
    request().then(
      (isStopped) => setStopping(isStopped),
      () => setStopping(false),
    )
  }
  return { isStopping, stop }
}
