// Loaded before a server with a wrong clock: shifts the time of its whole process.
const shiftMs = Number(process.env.FAULTS_CLOCK_SHIFT_MS)
const RealDate = Date
const now = () => RealDate.now() + shiftMs

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now())
    else super(...parts)
  }

  static now() {
    return now()
  }
}
