const units = ['bytes', 'kB', 'MB', 'GB']

/** A number of bytes as people say it: in the unit that fits, with a digit after the point while that tells something. */
export function toSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (Math.round(value) >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`
}
