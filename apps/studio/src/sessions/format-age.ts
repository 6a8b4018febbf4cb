const units = [
  { milliseconds: 86_400_000, word: 'd' },
  { milliseconds: 3_600_000, word: 'h' },
  { milliseconds: 60_000, word: 'min' },
] as const

const DAYS_SHOWN_MS = 14 * 86_400_000

/** Formats how long ago a time was; the date after two weeks. */
export function toAge(time: number, now: number): string {
  const passed = now - time
  if (passed > DAYS_SHOWN_MS) {
    return new Date(time).toLocaleDateString('en', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    })
  }
  const unit = units.find(({ milliseconds }) => passed >= milliseconds)
  return unit ? `${Math.floor(passed / unit.milliseconds)} ${unit.word} ago` : 'just now'
}
