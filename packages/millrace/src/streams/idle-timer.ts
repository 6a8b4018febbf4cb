/** Calls back after so many milliseconds, and does not keep the process alive until then where the platform can tell. */
export function startIdleTimer(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(callback, ms)
  if (hasUnref(timer)) timer.unref()
  return timer as ReturnType<typeof setTimeout>
}

/** Timers of browsers and edge platforms are numbers. */
function hasUnref(timer: unknown): timer is { unref(): unknown } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}
