import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { note, ok } from '../finding.ts'

/** Clocks that differ by less do no harm. */
const toleranceMs = 2_000

/** How far the clock of the server is from that of this machine. */
export const clock: Check = {
  title: 'Clock',
  run: async ({ greeted, greeting }) => {
    // The server looked at its clock after it was asked and before we had its answer.
    const halfMs = greeting.arrivedMs / 2
    const offsetMs = greeting.timeMs - (greeted.startedAtMs + halfMs)
    const about = `${toTime(Math.abs(offsetMs))} ${offsetMs < 0 ? 'behind' : 'ahead of'} this one (± ${toTime(halfMs)})`
    if (Math.abs(offsetMs) - halfMs <= toleranceMs) {
      return ok(`The server’s clock agrees with this one to ${toTime(Math.abs(offsetMs) + halfMs)}`)
    }
    return note(
      `The server’s clock is ${about}`,
      'Times that people are shown, and claims that expire, are off by that; nothing is lost. Let both machines follow a time server.',
    )
  },
}
