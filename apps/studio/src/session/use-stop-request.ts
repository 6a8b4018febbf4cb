import { useState } from 'react'

/** A request to stop. */
export interface StopRequest {
  readonly isStopping: boolean
  readonly stop: () => void
}

/** Requests a stop once. It can be repeated if nothing was stopped or the request failed. */
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
