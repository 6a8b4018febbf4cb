/** How long the page may stand still, in milliseconds: less than one frame. */
const BUDGET_MS = 10

/** Creates a way to let the page go on in long work: it waits for a turn once it has worked for a while. */
export function createPause(): () => Promise<void> {
  let started = performance.now()
  return async () => {
    if (performance.now() - started < BUDGET_MS) return
    await nextTurn()
    started = performance.now()
  }
}

/** Timers are slowed where they follow each other; messages are not. */
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
