/** Formats a duration. */
export function toDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(2)} s`
  if (milliseconds < 99_950) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  const minutes = Math.floor(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`
}

/** Formats a number. */
export function toCount(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** Formats an amount in dollars: small ones with two significant digits, larger ones with cents. */
export function toDollars(amount: number): string {
  const digits = Math.abs(amount) < 0.1 ? { maximumSignificantDigits: 2 } : {}
  return amount.toLocaleString('en', { style: 'currency', currency: 'USD', ...digits })
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

const units = ['bytes', 'kB', 'MB', 'GB']

/** Formats a number of bytes in the fitting unit. */
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

/** Formats a time in the reader's locale; an invalid one stays as it is. */
export function toLocalTime(at: string): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString()
}
