/** Calls back after a delay. The timer does not keep the process alive, on platforms that support `unref`. */
export function startIdleTimer(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(callback, ms)
  if (hasUnref(timer)) timer.unref()
  return timer as ReturnType<typeof setTimeout>
}

/** Checks for a Node timer. Browsers and edge platforms use numbers. */
function hasUnref(timer: unknown): timer is { unref(): unknown } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}
