import { useState } from 'react'

/** A stop that was asked for. */
export interface Stopping {
  readonly isStopping: boolean
  readonly stop: () => void
}

/** Asks for a stop once; one that found nothing to stop, or did not arrive, may be asked for again. */
export function useStopping(request: () => Promise<boolean>): Stopping {
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
