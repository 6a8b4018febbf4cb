import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { note, ok } from '../finding.ts'

/** Smaller differences between clocks do no harm. */
const toleranceMs = 2_000

/** Compares the clock of the server with that of this machine. */
export const clock: Check = {
  title: 'Clock',
  run: async ({ greeted, greeting }) => {
    // The server read its clock between the request and the arrival of the response.
    const halfMs = greeting.arrivedMs / 2
    const offsetMs = greeting.timeMs - (greeted.startedAtMs + halfMs)
    const about = `${toTime(Math.abs(offsetMs))} ${offsetMs < 0 ? 'behind' : 'ahead of'} this one (± ${toTime(halfMs)})`
    if (Math.abs(offsetMs) - halfMs <= toleranceMs) {
      return ok(`The server’s clock agrees with this one to ${toTime(Math.abs(offsetMs) + halfMs)}`)
    }
    return note(
      `The server’s clock is ${about}`,
      'Displayed times, and the expiry of claims, are off by that; no data is lost. Synchronise both machines with a time server.',
    )
  },
}
