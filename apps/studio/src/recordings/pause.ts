/** The time without a pause in milliseconds, less than one frame. */
const BUDGET_MS = 10

/** Creates a pause for long work, which yields to the page after a time budget. */
export function createPause(): () => Promise<void> {
  let started = performance.now()
  return async () => {
    if (performance.now() - started < BUDGET_MS) return
    await nextTurn()
    started = performance.now()
  }
}

/** Yields by a message, because browsers delay nested timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const onPageVisible = () => {
      port1.close()
      resolve()
    }
    port1.addEventListener('message', onPageVisible, { once: true })
    port1.start()
    port2.postMessage(undefined)
  })
}
