// Runs in the measured page, before its own scripts: records the visible rows once in each frame.
const watch = {
  isOn: false,
  frames: 0,
  /** Frames in which the middle of the view, or any part of it, was empty instead of rows. */
  blankMiddle: 0,
  blankAnywhere: 0,
  longestBlankMs: 0,
  mostElements: 0,
  /** The distance that rows have moved, regardless of changes of their offsets by the browser. */
  travelledPx: 0,
  start() {
    watch.frames = watch.blankMiddle = watch.blankAnywhere = watch.longestBlankMs = 0
    watch.mostElements = watch.travelledPx = 0
    blankSince = anchor = undefined
    watch.isOn = true
  },
  stop() {
    watch.isOn = false
    return { ...watch }
  },
  /** The positions at which a wheel scrolls the list itself, and no box in it. */
  margin() {
    const { left, top, height } = scrollArea().getBoundingClientRect()
    return { x: left + 6, y: top + height / 2 }
  },
  /** Moves the view to a part of the whole, like a drag of the scroll bar. */
  async drag(to, frames) {
    const area = scrollArea()
    const from = partOf(area)
    for (let frame = 1; frame <= frames; frame++) {
      const part = from + ((to - from) * frame) / frames
      area.scrollTop = part * (area.scrollHeight - area.clientHeight)
      await new Promise(requestAnimationFrame)
      // As with a pointer, the view moves between two frames.
      await new Promise((resolve) => setTimeout(resolve))
    }
  },
  /** Waits until the text is in view; returns the time, in milliseconds since the request of the page. */
  async shown(words) {
    while (!endsWith(scrollArea(), words)) await new Promise(requestAnimationFrame)
    return performance.now()
  },
}
globalThis.scrollWatch = watch

let blankSince
let anchor

const scrollArea = () => document.querySelector('.chat-scroll')
const isAtEnd = (area) => area.scrollHeight - area.scrollTop - area.clientHeight < 4
const partOf = (area) => area.scrollTop / (area.scrollHeight - area.clientHeight)

function endsWith(area, words) {
  const rows = area === null ? [] : [...area.querySelectorAll('[data-row]')]
  return rows.slice(-4).some((row) => row.textContent.includes(words)) && isAtEnd(area)
}

function onFrame(time) {
  if (watch.isOn) look(time, scrollArea())
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)

function look(time, area) {
  const view = area.getBoundingClientRect()
  const middle = view.top + view.height / 2
  const spaces = [...area.getElementsByClassName('row-space')].map((each) =>
    each.getBoundingClientRect(),
  )
  const isBlank = spaces.some(({ top, bottom }) => bottom > view.top + 1 && top < view.bottom - 1)
  watch.frames++
  watch.blankAnywhere += isBlank
  watch.blankMiddle += spaces.some(({ top, bottom }) => top < middle && bottom > middle)
  watch.mostElements = Math.max(watch.mostElements, document.getElementsByTagName('*').length)
  if (!isBlank) blankSince = undefined
  else watch.longestBlankMs = Math.max(watch.longestBlankMs, time - (blankSince ??= time))
  follow(document.elementFromPoint(view.left + view.width / 2, middle)?.closest('[data-row]'))
}

/** Adds the distance of the row that was in the middle. */
function follow(next) {
  const { row, top } = anchor ?? {}
  if (row?.isConnected) watch.travelledPx += Math.abs(row.getBoundingClientRect().top - top)
  anchor = next ? { row: next, top: next.getBoundingClientRect().top } : undefined
}
