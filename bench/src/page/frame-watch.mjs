// Runs in the measured page, before its own scripts.
const FRAME_MS = 1000 / 60

const watch = {
  frames: 0,
  dropped: 0,
  longestTaskMs: 0,
  reset() {
    watch.frames = watch.dropped = watch.longestTaskMs = 0
  },
}
globalThis.frameWatch = watch

let last = performance.now()
function onFrame(time) {
  watch.frames++
  watch.dropped += Math.max(0, Math.round((time - last) / FRAME_MS) - 1)
  last = time
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    watch.longestTaskMs = Math.max(watch.longestTaskMs, duration)
  }
}).observe({ type: 'longtask' })
